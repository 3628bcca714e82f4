import type { KeyWords } from "./order_key.ts"

/** A range of one dimension as key words, both ends inclusive. */
export interface WordRange {
  readonly low: ReadonlyArray<number>
  readonly high: ReadonlyArray<number>
}

/**
 * Clears `mask[i]` for every cell whose key words are in none of `ranges` (sorted and disjoint). One or two words.
 */
export const matchWords = (words: KeyWords, ranges: ReadonlyArray<WordRange>, mask: Uint8Array): void => {
  const n = mask.length
  const two = words.length === 2
  const high = words[0]
  const low = two ? words[1] : words[0]
  if (ranges.length === 1 && !two) {
    const from = ranges[0].low[0]
    const to = ranges[0].high[0]
    for (let i = 0; i < n; i++) if (high[i] < from || high[i] > to) mask[i] = 0
    return
  }
  // ranges as flat words; the last range that starts at or before the cell is the only one that may hold it
  const count = ranges.length
  const lowHigh = Uint32Array.from(ranges, (r) => r.low[0])
  const lowLow = Uint32Array.from(ranges, (r) => two ? r.low[1] : 0)
  const highHigh = Uint32Array.from(ranges, (r) => r.high[0])
  const highLow = Uint32Array.from(ranges, (r) => two ? r.high[1] : 0)
  for (let i = 0; i < n; i++) {
    if (mask[i] === 0) continue
    const h = high[i]
    const l = two ? low[i] : 0
    let from = 0
    let to = count
    while (from < to) {
      const middle = (from + to) >>> 1
      if (lowHigh[middle] < h || (lowHigh[middle] === h && lowLow[middle] <= l)) from = middle + 1
      else to = middle
    }
    const r = from - 1
    if (r < 0 || h > highHigh[r] || (h === highHigh[r] && l > highLow[r])) mask[i] = 0
  }
}

/** A range of strings, both ends inclusive; `undefined` is no end. */
export interface ByteRangeOfStrings {
  readonly low: Uint8Array | undefined
  readonly high: Uint8Array | undefined
}

/** Clears `mask[i]` for every string that is in none of `ranges`. */
export const matchStrings = (
  bytes: Uint8Array,
  offsets: Uint32Array,
  ranges: ReadonlyArray<ByteRangeOfStrings>,
  mask: Uint8Array,
): void => {
  for (let i = 0; i < mask.length; i++) {
    if (mask[i] === 0) continue
    let inside = 0
    for (let r = 0; r < ranges.length && inside === 0; r++) {
      const { low, high } = ranges[r]
      if (low !== undefined && compareWith(bytes, offsets[i], offsets[i + 1], low) < 0) continue
      if (high !== undefined && compareWith(bytes, offsets[i], offsets[i + 1], high) > 0) continue
      inside = 1
    }
    mask[i] = inside
  }
}

const compareWith = (bytes: Uint8Array, from: number, to: number, other: Uint8Array): number => {
  const length = Math.min(to - from, other.length)
  for (let k = 0; k < length; k++) {
    const difference = bytes[from + k] - other[k]
    if (difference !== 0) return difference
  }
  return (to - from) - other.length
}

/** Strings compare as unsigned bytes, a prefix first. */
export const compareBytes = (a: Uint8Array, b: Uint8Array): number => compareWith(a, 0, a.length, b)
