/**
 * Ranges of one dimension, and several of them made into sorted, disjoint ones.
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

/** A range of strings; `undefined` is no end. */
export interface StringRange {
  readonly low: Uint8Array | undefined
  readonly high: Uint8Array | undefined
}

/** What to do with a range that leaves the domain: refuse it, or take what lies inside. */
export type OutOfBounds = "error" | "clip"

/** Sorted, disjoint ranges of the same numbers. */
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

/** Sorted, disjoint ranges of the same strings. */
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
