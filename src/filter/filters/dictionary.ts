/**
 * Dictionary encoding of strings: stores every distinct string once, then an id per cell.
 *
 * @module
 */
import { STEP, type Steps } from "../../kernel/steps.ts"
import { readBigEndian, widthOf, writeBigEndian } from "../part/big_endian.ts"
import { copyString, equalBytes, longestOf, type Strings } from "../part/strings.ts"
import { damaged } from "../part/transform.ts"

/** The number of cells that are looked up between two yields. */
const HASH_STEP = 1 << 12

/** Returns the strings with these `ids` in `dictionary`: `size` bytes in `count` cells. */
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
    if (length > size - to) throw damaged(`dictionary: more than the expected ${size} bytes`)
    copyString(dictionary, start, length, bytes, to)
    offsets[cell + 1] = to += length
  }
  if (offsets[count] < size) throw damaged(`dictionary: ${offsets[count]} bytes instead of ${size}`)
  return { bytes, offsets }
}

/** Returns the positions of the strings in the dictionary, which stores their lengths but not their number. */
const entries = (
  dictionary: Uint8Array,
  lengthWidth: number,
): { readonly count: number; readonly starts: Uint32Array; readonly ends: Uint32Array } => {
  const maxCount = Math.floor(dictionary.byteLength / lengthWidth)
  const starts = new Uint32Array(maxCount)
  const ends = new Uint32Array(maxCount)
  let count = 0
  for (let at = 0; at < dictionary.byteLength; count++) {
    if (lengthWidth > dictionary.byteLength - at) throw damaged("dictionary: the last string is incomplete")
    const length = readBigEndian(dictionary, at, lengthWidth)
    at += lengthWidth
    if (length > dictionary.byteLength - at) {
      throw damaged(`dictionary: a string of ${length} bytes; ${dictionary.byteLength - at} bytes remain`)
    }
    starts[count] = at
    ends[count] = at += length
  }
  return { count, starts, ends }
}

/**
 * Encodes strings as ids in the order of first occurrence. Like the engine, the number of cells determines the id size.
 */
export function* collectDictionary(strings: Strings): Steps<{
  readonly dictionary: Uint8Array
  readonly ids: Uint8Array
  readonly idWidth: number
  readonly lengthWidth: number
}> {
  const { bytes, offsets } = strings
  const cells = offsets.length - 1
  const idWidth = widthOf(cells)
  const lengthWidth = widthOf(yield* longestOf(offsets))
  const ids = new Uint8Array(cells * idWidth)
  // the first cell with each word; a hash table of ids plus one
  const firsts = new Uint32Array(cells)
  const mask = 2 ** Math.ceil(Math.log2(2 * cells + 2)) - 1
  const table = new Uint32Array(mask + 1)
  let count = 0
  let size = 0
  for (let cell = 0, to = 0; cell < cells; cell++) {
    // a small number of cells: at first, each lookup touches a new page of the table, which the system has to allocate
    if (cell % HASH_STEP === HASH_STEP - 1) yield
    const start = offsets[cell]
    const length = offsets[cell + 1] - start
    let at = hash(bytes, start, length) & mask
    let id = table[at] - 1
    while (id >= 0 && !sameWord(bytes, offsets, firsts[id], start, length)) {
      at = (at + 1) & mask
      id = table[at] - 1
    }
    if (id < 0) {
      id = count++
      table[at] = count
      firsts[id] = cell
      size += lengthWidth + length
    }
    to = writeBigEndian(ids, to, idWidth, id)
  }
  const dictionary = new Uint8Array(size)
  for (let id = 0, to = 0; id < count; id++) {
    if (id % STEP === STEP - 1) yield
    const start = offsets[firsts[id]]
    const length = offsets[firsts[id] + 1] - start
    to = writeBigEndian(dictionary, to, lengthWidth, length)
    copyString(bytes, start, length, dictionary, to)
    to += length
  }
  return { dictionary, ids, idWidth, lengthWidth }
}

const sameWord = (bytes: Uint8Array, offsets: Uint32Array, cell: number, start: number, length: number): boolean =>
  offsets[cell + 1] - offsets[cell] === length && equalBytes(bytes, offsets[cell], start, length)

const hash = (bytes: Uint8Array, start: number, length: number): number => {
  let h = length
  for (let i = start; i < start + length; i++) h = Math.imul(h ^ bytes[i], 0x01000193)
  return h ^ (h >>> 15)
}
