/**
 * Sums, and the places of the smallest and largest cell, of columns. `keep` has a one for each cell that counts; all count
 * where it is not there.
 */
import { compareSlices } from "./match_ranges.ts"

/** What is known of cells: how many count, and which of them is the smallest and which the largest; −1 where there is none. */
export interface Extremes {
  readonly count: number
  readonly least: number
  readonly most: number
}

/** Cells whose 32-bit halves add up exactly in a double. */
const BLOCK = 1 << 20

/** How many cells count. */
export const countKept = (keep: Uint8Array | undefined, length: number): number => {
  if (keep === undefined) return length
  let count = 0
  for (let i = 0; i < length; i++) count += keep[i]
  return count
}

/** The sum of floats, in their order. */
export const sumFloats = (values: Floats, keep: Uint8Array | undefined): number => {
  let sum = 0
  if (keep === undefined) { for (let i = 0; i < values.length; i++) sum += values[i] }
  else for (let i = 0; i < values.length; i++) if (keep[i] === 1) sum += values[i]
  return sum
}

/** 64-bit integers. */
type Large = BigInt64Array | BigUint64Array
type Floats = Float32Array | Float64Array
type Small = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array

/** The sum of integers of up to 32 bits, exact. */
export const sumIntegers = (values: Small, keep: Uint8Array | undefined): bigint => {
  let total = 0n
  for (let from = 0; from < values.length; from += BLOCK) {
    const to = Math.min(from + BLOCK, values.length)
    let sum = 0
    if (keep === undefined) { for (let i = from; i < to; i++) sum += values[i] }
    else for (let i = from; i < to; i++) if (keep[i] === 1) sum += values[i]
    total += BigInt(sum)
  }
  return total
}

/** The sum of 64-bit integers, exact. */
export const sumHalves = (values: Large, keep: Uint8Array | undefined): bigint => {
  const { buffer, byteOffset, length } = values
  const low = new Uint32Array(buffer, byteOffset, 2 * length)
  const high = values instanceof BigInt64Array ? new Int32Array(buffer, byteOffset, 2 * length) : low
  let total = 0n
  for (let from = 0; from < length; from += BLOCK) {
    const to = Math.min(from + BLOCK, length)
    let lows = 0
    let highs = 0
    for (let i = from; i < to; i++) {
      if (keep !== undefined && keep[i] === 0) continue
      lows += low[2 * i]
      highs += high[2 * i + 1]
    }
    total += BigInt(lows) + (BigInt(highs) << 32n)
  }
  return total
}

/** The extremes of floats and of integers of up to 32 bits. A NaN counts, but is no extreme. */
export const extremesOfNumbers = (
  values: Small | Floats,
  keep: Uint8Array | undefined,
): Extremes => {
  let count = 0
  let least = -1
  let most = -1
  let low = Infinity
  let high = -Infinity
  for (let i = 0; i < values.length; i++) {
    if (keep !== undefined && keep[i] === 0) continue
    count++
    const value = values[i]
    if (value < low || (least < 0 && value === low)) {
      low = value
      least = i
    }
    if (value > high || (most < 0 && value === high)) {
      high = value
      most = i
    }
  }
  return { count, least, most }
}

/** The extremes of 64-bit integers. */
export const extremesOfHalves = (values: Large, keep: Uint8Array | undefined): Extremes => {
  const { buffer, byteOffset, length } = values
  const low = new Uint32Array(buffer, byteOffset, 2 * length)
  const high = values instanceof BigInt64Array ? new Int32Array(buffer, byteOffset, 2 * length) : low
  let count = 0
  let least = -1
  let most = -1
  for (let i = 0; i < length; i++) {
    if (keep !== undefined && keep[i] === 0) continue
    count++
    const [h, l] = [high[2 * i + 1], low[2 * i]]
    if (least < 0 || h < high[2 * least + 1] || (h === high[2 * least + 1] && l < low[2 * least])) least = i
    if (most < 0 || h > high[2 * most + 1] || (h === high[2 * most + 1] && l > low[2 * most])) most = i
  }
  return { count, least, most }
}

/** The extremes of texts, by their bytes: text `i` is `bytes[offsets[i]] … bytes[offsets[i + 1] − 1]`. */
export const extremesOfTexts = (
  bytes: Uint8Array,
  offsets: ArrayLike<number>,
  keep: Uint8Array | undefined,
): Extremes => {
  let count = 0
  let least = -1
  let most = -1
  for (let i = 0; i + 1 < offsets.length; i++) {
    if (keep !== undefined && keep[i] === 0) continue
    count++
    const [from, to] = [offsets[i], offsets[i + 1]]
    if (least < 0 || compareSlices(bytes, from, to, bytes, offsets[least], offsets[least + 1]) < 0) least = i
    if (most < 0 || compareSlices(bytes, from, to, bytes, offsets[most], offsets[most + 1]) > 0) most = i
  }
  return { count, least, most }
}

/** The extremes of cells of one number each. */
export const extremesOf = (values: Small | Floats | Large, keep: Uint8Array | undefined): Extremes =>
  values instanceof BigInt64Array || values instanceof BigUint64Array
    ? extremesOfHalves(values, keep)
    : extremesOfNumbers(values, keep)

/** The sum of cells of one number each: of integers exact. */
export const sumCells = (values: Small | Floats | Large, keep: Uint8Array | undefined): number | bigint =>
  values instanceof BigInt64Array || values instanceof BigUint64Array
    ? sumHalves(values, keep)
    : values instanceof Float32Array || values instanceof Float64Array
    ? sumFloats(values, keep)
    : sumIntegers(values, keep)
