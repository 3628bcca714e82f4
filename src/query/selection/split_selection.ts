/**
 * Splits selections in two along a dimension.
 */
import { type Datatype, isFloat, sizeOf } from "../../../schema/array/datatype.ts"
import type { Scalar } from "../../../schema/array/scalar.ts"
import { nextBytes, nextFloat, previousFloat } from "../../kernel/neighbours.ts"
import { compareBytes } from "../../kernel/match/match_ranges.ts"
import type { NumberRange, StringRange } from "./merge_ranges.ts"
import type { DimensionSelection, Selection } from "./selection.ts"

/** A split along dimension `d`: the first part ends with the coordinate `last`. */
export interface Cut {
  readonly d: number
  readonly last: Scalar | Uint8Array
}

/** Returns the next value of a datatype. */
export const nextScalar = (type: Datatype, value: Scalar): Scalar =>
  typeof value === "bigint" ? value + 1n : isFloat(type) ? nextFloat(value, sizeOf(type) as 4 | 8) : value + 1

/** Returns the previous value of a datatype. */
export const previousScalar = (type: Datatype, value: Scalar): Scalar =>
  typeof value === "bigint" ? value - 1n : isFloat(type) ? previousFloat(value, sizeOf(type) as 4 | 8) : value - 1

/** Returns the two parts of a selection. `whole` returns the bounds of dimensions that are selected whole. */
export const cutSelection = (
  selection: Selection,
  { d, last }: Cut,
  whole: (d: number) => NumberRange,
): readonly [Selection, Selection] => {
  const selected = selection[d]
  const parts = selected.kind === "string"
    ? cutStrings(selected.ranges ?? [{ low: undefined, high: undefined }], last as Uint8Array)
    : cutNumbers(selected.dimension.type, selected.ranges ?? [whole(d)], last as Scalar)
  const withRanges = (ranges: ReadonlyArray<NumberRange | StringRange>): Selection =>
    selection.map((s, i) => i === d ? { ...s, ranges } as DimensionSelection : s)
  return [withRanges(parts[0]), withRanges(parts[1])]
}

const cutNumbers = (
  type: Datatype,
  ranges: ReadonlyArray<NumberRange>,
  last: Scalar,
): readonly [ReadonlyArray<NumberRange>, ReadonlyArray<NumberRange>] => {
  const before: Array<NumberRange> = []
  const after: Array<NumberRange> = []
  for (const range of ranges) {
    if (range.high <= last) before.push(range)
    else if (range.low > last) after.push(range)
    else {
      before.push({ low: range.low, high: last })
      after.push({ low: nextScalar(type, last), high: range.high })
    }
  }
  return [before, after]
}

const cutStrings = (
  ranges: ReadonlyArray<StringRange>,
  last: Uint8Array,
): readonly [ReadonlyArray<StringRange>, ReadonlyArray<StringRange>] => {
  const before: Array<StringRange> = []
  const after: Array<StringRange> = []
  for (const range of ranges) {
    if (range.high !== undefined && compareBytes(range.high, last) <= 0) before.push(range)
    else if (range.low !== undefined && compareBytes(range.low, last) > 0) after.push(range)
    else {
      before.push({ low: range.low, high: last })
      after.push({ low: nextBytes(last), high: range.high })
    }
  }
  return [before, after]
}
