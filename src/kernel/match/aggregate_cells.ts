/**
 * Sums, and positions of the smallest and largest cell, of columns. `mask` is 1 for cells that count; without a mask,
 * all cells count.
 */
import { compareSlices } from "./match_ranges.ts"

/** The number of cells that count, and the positions of the minimum and maximum; −1 without such cells. */
export interface Extremes {
  readonly count: number
  readonly minAt: number
  readonly maxAt: number
}

/** The number of cells whose 32-bit halves can be summed exactly in a double. */
const BLOCK_CELLS = 1 << 20

/** Returns the number of cells that count. */
export const countKept = (mask: Uint8Array | undefined, length: number): number => {
  if (mask === undefined) return length
  let count = 0
  for (let i = 0; i < length; i++) count += mask[i]
  return count
}

/** Returns the sum of floats, added in their order. */
export const sumFloats = (values: Floats, mask: Uint8Array | undefined): number => {
  let sum = 0
  if (mask === undefined) { for (let i = 0; i < values.length; i++) sum += values[i] }
  else for (let i = 0; i < values.length; i++) if (mask[i] === 1) sum += values[i]
  return sum
}

/** 64-bit integers. */
type Large = BigInt64Array | BigUint64Array
type Floats = Float32Array | Float64Array
type Small = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array

/** Returns the exact sum of integers of up to 32 bits. */
export const sumIntegers = (values: Small, mask: Uint8Array | undefined): bigint => {
  let total = 0n
  for (let from = 0; from < values.length; from += BLOCK_CELLS) {
    const to = Math.min(from + BLOCK_CELLS, values.length)
    let sum = 0
    if (mask === undefined) { for (let i = from; i < to; i++) sum += values[i] }
    else for (let i = from; i < to; i++) if (mask[i] === 1) sum += values[i]
    total += BigInt(sum)
  }
  return total
}

/** Returns the exact sum of 64-bit integers. */
export const sumHalves = (values: Large, mask: Uint8Array | undefined): bigint => {
  const { buffer, byteOffset, length } = values
  const low = new Uint32Array(buffer, byteOffset, 2 * length)
  const high = values instanceof BigInt64Array ? new Int32Array(buffer, byteOffset, 2 * length) : low
  let total = 0n
  for (let from = 0; from < length; from += BLOCK_CELLS) {
    const to = Math.min(from + BLOCK_CELLS, length)
    let lows = 0
    let highs = 0
    for (let i = from; i < to; i++) {
      if (mask !== undefined && mask[i] === 0) continue
      lows += low[2 * i]
      highs += high[2 * i + 1]
    }
    total += BigInt(lows) + (BigInt(highs) << 32n)
  }
  return total
}

/** Returns the extremes of floats and of integers of up to 32 bits. NaN counts, but is never an extreme. */
export const extremesOfNumbers = (
  values: Small | Floats,
  mask: Uint8Array | undefined,
): Extremes => {
  let count = 0
  let minAt = -1
  let maxAt = -1
  let low = Infinity
  let high = -Infinity
  for (let i = 0; i < values.length; i++) {
    if (mask !== undefined && mask[i] === 0) continue
    count++
    const value = values[i]
    if (value < low || (minAt < 0 && value === low)) {
      low = value
      minAt = i
    }
    if (value > high || (maxAt < 0 && value === high)) {
      high = value
      maxAt = i
    }
  }
  return { count, minAt, maxAt }
}

/** Returns the extremes of 64-bit integers. */
export const extremesOfHalves = (values: Large, mask: Uint8Array | undefined): Extremes => {
  const { buffer, byteOffset, length } = values
  const low = new Uint32Array(buffer, byteOffset, 2 * length)
  const high = values instanceof BigInt64Array ? new Int32Array(buffer, byteOffset, 2 * length) : low
  let count = 0
  let minAt = -1
  let maxAt = -1
  for (let i = 0; i < length; i++) {
    if (mask !== undefined && mask[i] === 0) continue
    count++
    const [h, l] = [high[2 * i + 1], low[2 * i]]
    if (minAt < 0 || h < high[2 * minAt + 1] || (h === high[2 * minAt + 1] && l < low[2 * minAt])) minAt = i
    if (maxAt < 0 || h > high[2 * maxAt + 1] || (h === high[2 * maxAt + 1] && l > low[2 * maxAt])) maxAt = i
  }
  return { count, minAt, maxAt }
}

/** Returns the extremes of texts, compared bytewise: text `i` is `bytes[offsets[i]] … bytes[offsets[i + 1] − 1]`. */
export const extremesOfTexts = (
  bytes: Uint8Array,
  offsets: ArrayLike<number>,
  mask: Uint8Array | undefined,
): Extremes => {
  let count = 0
  let minAt = -1
  let maxAt = -1
  for (let i = 0; i + 1 < offsets.length; i++) {
    if (mask !== undefined && mask[i] === 0) continue
    count++
    const [from, to] = [offsets[i], offsets[i + 1]]
    if (minAt < 0 || compareSlices(bytes, from, to, bytes, offsets[minAt], offsets[minAt + 1]) < 0) minAt = i
    if (maxAt < 0 || compareSlices(bytes, from, to, bytes, offsets[maxAt], offsets[maxAt + 1]) > 0) maxAt = i
  }
  return { count, minAt, maxAt }
}

/** Returns the extremes of cells of one number each. */
export const extremesOf = (values: Small | Floats | Large, mask: Uint8Array | undefined): Extremes =>
  values instanceof BigInt64Array || values instanceof BigUint64Array
    ? extremesOfHalves(values, mask)
    : extremesOfNumbers(values, mask)

/** Returns the sum of single-valued cells; sums of integers are exact. */
export const sumCells = (values: Small | Floats | Large, mask: Uint8Array | undefined): number | bigint =>
  values instanceof BigInt64Array || values instanceof BigUint64Array
    ? sumHalves(values, mask)
    : values instanceof Float32Array || values instanceof Float64Array
    ? sumFloats(values, mask)
    : sumIntegers(values, mask)
