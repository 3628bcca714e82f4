/**
 * Dictionary encoding of strings: every different string once, then an id for each cell.
 *
 * @module
 */
import { readBigEndian } from "./big_endian.ts"
import { copyString, type Strings } from "./strings.ts"
import { damaged } from "./transform.ts"

/** The strings of `ids` in `dictionary`: `size` bytes in `count` cells. */
export const expandDictionary = (
  dictionary: Uint8Array,
  ids: Uint8Array,
  idWidth: number,
  lengthWidth: number,
  size: number,
  count: number,
): Strings => {
  if (ids.byteLength !== count * idWidth) {
    throw damaged(`dictionary: ${ids.byteLength} bytes of ids for ${count} cells of ${idWidth}`)
  }
  const words = entries(dictionary, lengthWidth)
  const bytes = new Uint8Array(size)
  const offsets = new Uint32Array(count + 1)
  for (let cell = 0, to = 0; cell < count; cell++) {
    const id = readBigEndian(ids, cell * idWidth, idWidth)
    if (!(id < words.count)) throw damaged(`dictionary: id ${id} among ${words.count} strings`)
    const start = words.starts[id]
    const length = words.ends[id] - start
    if (length > size - to) throw damaged(`dictionary: more than the ${size} bytes that there should be`)
    copyString(dictionary, start, length, bytes, to)
    offsets[cell + 1] = to += length
  }
  if (offsets[count] < size) throw damaged(`dictionary: ${offsets[count]} bytes instead of ${size}`)
  return { bytes, offsets }
}

/** Where the strings lie in the dictionary; it says their lengths, but not how many they are. */
const entries = (
  dictionary: Uint8Array,
  lengthWidth: number,
): { readonly count: number; readonly starts: Uint32Array; readonly ends: Uint32Array } => {
  const most = Math.floor(dictionary.byteLength / lengthWidth)
  const starts = new Uint32Array(most)
  const ends = new Uint32Array(most)
  let count = 0
  for (let at = 0; at < dictionary.byteLength; count++) {
    if (lengthWidth > dictionary.byteLength - at) throw damaged("dictionary: the last string is cut short")
    const length = readBigEndian(dictionary, at, lengthWidth)
    at += lengthWidth
    if (length > dictionary.byteLength - at) {
      throw damaged(`dictionary: a string of ${length} bytes, ${dictionary.byteLength - at} are left`)
    }
    starts[count] = at
    ends[count] = at += length
  }
  return { count, starts, ends }
}
