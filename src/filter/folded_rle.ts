/**
 * Run-length encoding of whole strings: how often, how long, and the string.
 *
 * @module
 */
import { readBigEndian } from "./big_endian.ts"
import { copyString, type Strings } from "./strings.ts"
import { damaged } from "./transform.ts"

/** The strings of `runs`: `size` bytes in `count` cells. */
export const expandRuns = (
  runs: Uint8Array,
  runWidth: number,
  lengthWidth: number,
  size: number,
  count: number,
): Strings => {
  const header = runWidth + lengthWidth
  const bytes = new Uint8Array(size)
  const offsets = new Uint32Array(count + 1)
  let cell = 0
  let to = 0
  for (let at = 0; at < runs.byteLength;) {
    if (header > runs.byteLength - at) throw damaged("rle: the last run is cut short")
    const run = readBigEndian(runs, at, runWidth)
    const length = readBigEndian(runs, at + runWidth, lengthWidth)
    at += header
    if (length > runs.byteLength - at) {
      throw damaged(`rle: a string of ${length} bytes, ${runs.byteLength - at} are left`)
    }
    if (run > count - cell) throw damaged(`rle: more than the ${count} cells that there should be`)
    if (run * length > size - to) throw damaged(`rle: more than the ${size} bytes that there should be`)
    for (let i = 0; i < run; i++) {
      copyString(runs, at, length, bytes, to)
      offsets[++cell] = to += length
    }
    at += length
  }
  if (cell < count) throw damaged(`rle: ${cell} cells instead of ${count}`)
  if (to < size) throw damaged(`rle: ${to} bytes instead of ${size}`)
  return { bytes, offsets }
}
