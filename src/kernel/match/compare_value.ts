/**
 * Compares cells with one value, block by block: `out[i]` is the result for cell `from + i`. Floats and values of up to
 * 32 bits are float64, which is exact; 64-bit integers are halves; other values are bytes.
 */
import { compareSlices } from "./match_ranges.ts"

/** The result for cells that are less than, equal to and greater than the value; NaN is only different. */
export interface Outcome {
  readonly less: 0 | 1
  readonly equal: 0 | 1
  readonly greater: 0 | 1
}

/** Compares numbers; NaN is incomparable. Each comparison has a loop of its own, for better branch prediction. */
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

/** 64-bit integers as pairs of little-endian halves; the high half is signed or unsigned. */
export interface Halves {
  readonly words: Int32Array
  readonly signed: boolean
}

const TOP = 1 << 31

/** Compares 64-bit integers, starting with cell `from`, with the integer at `at` of `value`. */
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
  // with flipped top bits, unsigned words compare like signed words
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

/**
 * Cells as bytes: cell `i` is `bytes[offsets[i] · unit] … bytes[offsets[i + 1] · unit − 1]`; without offsets, it has
 * `unit` bytes.
 */
export interface ByteCells {
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array | undefined
  readonly unit: number
}

/** Compares bytes, starting with cell `from`: unsigned, a prefix is less. */
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

/** Tests cells for equality with the value: most cells differ in size or in the last bytes. */
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
