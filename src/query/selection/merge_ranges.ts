/**
 * Ranges of one dimension; merges several ranges into sorted, disjoint ones.
 *
 * @module
 */
import type { Scalar } from "../../../schema/array/scalar.ts"
import { compareBytes } from "../../kernel/match/match_ranges.ts"

/** A range of numbers, dates or times. */
export interface NumberRange {
  readonly low: Scalar
  readonly high: Scalar
}

/** A range of strings; `undefined` means unbounded. */
export interface StringRange {
  readonly low: Uint8Array | undefined
  readonly high: Uint8Array | undefined
}

/** Handling of a range that exceeds the domain: fail, or clip the range to the domain. */
export type OutOfBounds = "error" | "clip"

/** Returns sorted, disjoint ranges that contain the same numbers. */
export const mergeNumbers = (ranges: ReadonlyArray<NumberRange>): ReadonlyArray<NumberRange> => {
  const sorted = [...ranges].sort((a, b) => a.low < b.low ? -1 : a.low > b.low ? 1 : 0)
  const out: Array<NumberRange> = []
  for (const range of sorted) {
    const last = out[out.length - 1]
    if (last === undefined || range.low > last.high) out.push(range)
    else if (range.high > last.high) out[out.length - 1] = { low: last.low, high: range.high }
  }
  return out
}

/** Returns sorted, disjoint ranges that contain the same strings. */
export const mergeStrings = (ranges: ReadonlyArray<StringRange>): ReadonlyArray<StringRange> => {
  const from = (r: StringRange) => r.low ?? new Uint8Array(0)
  const sorted = [...ranges].sort((a, b) => compareBytes(from(a), from(b)))
  const out: Array<StringRange> = []
  for (const range of sorted) {
    const last = out[out.length - 1]
    if (last === undefined || (last.high !== undefined && compareBytes(from(range), last.high) > 0)) out.push(range)
    else if (last.high !== undefined && (range.high === undefined || compareBytes(range.high, last.high) > 0)) {
      out[out.length - 1] = { low: last.low, high: range.high }
    }
  }
  return out
}
