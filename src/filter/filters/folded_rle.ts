/**
 * Run-length encoding of whole strings: the length of the run, the length of the string, and the string.
 *
 * @module
 */
import { STEP, type Steps } from "../../kernel/steps.ts"
import { readBigEndian, widthOf, writeBigEndian } from "../part/big_endian.ts"
import { copyString, equalBytes, longestOf, type Strings } from "../part/strings.ts"
import { damaged } from "../part/transform.ts"

/** Returns the strings of `runs`: `size` bytes in `count` cells. */
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
    if (header > runs.byteLength - at) throw damaged("rle: the last run is incomplete")
    const run = readBigEndian(runs, at, runWidth)
    const length = readBigEndian(runs, at + runWidth, lengthWidth)
    at += header
    if (length > runs.byteLength - at) {
      throw damaged(`rle: a string of ${length} bytes; ${runs.byteLength - at} bytes remain`)
    }
    if (run > count - cell) throw damaged(`rle: more than the expected ${count} cells`)
    if (run * length > size - to) throw damaged(`rle: more than the expected ${size} bytes`)
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

/**
 * Encodes strings as runs. The widths fit every run and every string; the engine ignores the last string when it
 * determines them, and truncates the length of a last string that is the longest and exceeds 255 or 65535 bytes.
 */
export function* collapseRuns(strings: Strings): Steps<{
  readonly runs: Uint8Array
  readonly runWidth: number
  readonly lengthWidth: number
}> {
  const { bytes, offsets } = strings
  const cells = offsets.length - 1
  // the first cell of each run, followed by the number of cells
  const firsts = new Uint32Array(cells + 1)
  let count = 0
  let size = 0
  let longestRun = 0
  for (let cell = 0; cell < cells; cell++) {
    if (cell % STEP === STEP - 1) yield
    const start = offsets[cell]
    const length = offsets[cell + 1] - start
    if (cell > 0 && start - offsets[cell - 1] === length && equalBytes(bytes, start, start - length, length)) continue
    if (count > 0) longestRun = Math.max(longestRun, cell - firsts[count - 1])
    firsts[count++] = cell
    size += length
  }
  firsts[count] = cells
  if (count > 0) longestRun = Math.max(longestRun, cells - firsts[count - 1])
  const runWidth = widthOf(longestRun)
  const lengthWidth = widthOf(yield* longestOf(offsets))
  const runs = new Uint8Array(size + count * (runWidth + lengthWidth))
  for (let i = 0, to = 0; i < count; i++) {
    if (i % STEP === STEP - 1) yield
    const start = offsets[firsts[i]]
    const length = offsets[firsts[i] + 1] - start
    to = writeBigEndian(runs, to, runWidth, firsts[i + 1] - firsts[i])
    to = writeBigEndian(runs, to, lengthWidth, length)
    copyString(bytes, start, length, runs, to)
    to += length
  }
  return { runs, runWidth, lengthWidth }
}
