/**
 * Cells against one value, block by block: `out[i]` tells of cell `from + i`. Values of up to 32 bits and floats come as
 * float64, which holds them exactly; 64-bit integers as halves; all else as bytes.
 */
import { compareSlices } from "./match_ranges.ts"

/** What is written for cells that are less than, equal to and greater than the value; who does not compare only differs. */
export interface Outcome {
  readonly less: 0 | 1
  readonly equal: 0 | 1
  readonly greater: 0 | 1
}

/** Numbers; NaN does not compare. One loop for each comparison: the processor foresees how it goes on. */
export const compareNumbers = (cells: Float64Array, value: number, outcome: Outcome, out: Uint8Array): void => {
  const { less, equal, greater } = outcome
  const n = out.length
  if (less === greater) { for (let i = 0; i < n; i++) out[i] = cells[i] === value ? equal : less }
  else if (less === 1) {
    if (equal === 1) { for (let i = 0; i < n; i++) out[i] = cells[i] <= value ? 1 : 0 }
    else for (let i = 0; i < n; i++) out[i] = cells[i] < value ? 1 : 0
  } else if (equal === 1) { for (let i = 0; i < n; i++) out[i] = cells[i] >= value ? 1 : 0 }
  else for (let i = 0; i < n; i++) out[i] = cells[i] > value ? 1 : 0
}

/** 64-bit integers as little-endian halves, of which the more significant one is signed or not. */
export interface Halves {
  readonly words: Int32Array
  readonly signed: boolean
}

const TOP = 1 << 31

/** 64-bit integers from cell `from` on against the one at `at` of `value`. */
export const compareHalves = (
  cells: Halves,
  from: number,
  value: Int32Array,
  outcome: Outcome,
  out: Uint8Array,
): void => {
  const { less, equal, greater } = outcome
  const { words } = cells
  const flip = cells.signed ? 0 : TOP
  // with their top bits turned, unsigned words compare as signed ones do
  const high = value[1] ^ flip
  const low = value[0] ^ TOP
  for (let i = 0, k = 2 * from; i < out.length; i++, k += 2) {
    const h = words[k + 1] ^ flip
    if (h !== high) out[i] = h < high ? less : greater
    else {
      const l = words[k] ^ TOP
      out[i] = l < low ? less : l === low ? equal : greater
    }
  }
}

/** Cells that are bytes: cell `i` is `bytes[offsets[i] · unit] … bytes[offsets[i + 1] · unit − 1]`; without offsets all have `unit`. */
export interface ByteCells {
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array | undefined
  readonly unit: number
}

/** Bytes from cell `from` on: they compare unsigned, a prefix first. */
export const compareByteCells = (
  cells: ByteCells,
  from: number,
  value: Uint8Array,
  outcome: Outcome,
  out: Uint8Array,
): void => {
  const { less, equal, greater } = outcome
  const { bytes, offsets, unit } = cells
  if (less === greater && offsets !== undefined) return equalByteCells(bytes, offsets, unit, from, value, outcome, out)
  for (let i = 0, cell = from; i < out.length; i++, cell++) {
    const start = (offsets === undefined ? cell : offsets[cell]) * unit
    const end = offsets === undefined ? start + unit : offsets[cell + 1] * unit
    const c = compareSlices(bytes, start, end, value, 0, value.length)
    out[i] = c < 0 ? less : c === 0 ? equal : greater
  }
}

/** Whether bytes are those of the value: most differ in their number, or at their end. */
const equalByteCells = (
  bytes: Uint8Array,
  offsets: Uint32Array,
  unit: number,
  from: number,
  value: Uint8Array,
  { equal, greater: other }: Outcome,
  out: Uint8Array,
): void => {
  const { length } = value
  let start = offsets[from] * unit
  for (let i = 0; i < out.length; i++) {
    const end = offsets[from + i + 1] * unit
    let k = end - start === length ? length - 1 : length
    while (k >= 0 && k < length && bytes[start + k] === value[k]) k--
    out[i] = k < 0 ? equal : other
    start = end
  }
}
