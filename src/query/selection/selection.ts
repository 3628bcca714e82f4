/**
 * Selections: the requested part of each dimension, validated against the schema.
 *
 * @module
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import { parseScalar, parseText, ScalarError, textJson } from "../../../schema/array/scalar.ts"
import type { Hint } from "../../../schema/errors/hint.ts"
import { SelectionError, type SelectionReason } from "../../array/open/errors.ts"
import { compareBytes } from "../../kernel/match/match_ranges.ts"
import { limitsOf, OutOfBoundsError, outOfBoundsError, shownRange } from "./domain_bounds.ts"
import { mergeNumbers, mergeStrings, type NumberRange, type OutOfBounds, type StringRange } from "./merge_ranges.ts"
import { numberPoints, stringPoints } from "./points.ts"
import { inputOf, type Pair, rangesInput, type RegionInput } from "./range_input.ts"

export type { NumberRange, OutOfBounds, StringRange } from "./merge_ranges.ts"
export type { Bound, Pair, Point, Points, RangeInput, RegionInput } from "./range_input.ts"

/** The selected part of one dimension: sorted, disjoint ranges, or `undefined` for the whole dimension. */
export type DimensionSelection =
  | { readonly kind: "number"; readonly dimension: Dimension; readonly ranges: ReadonlyArray<NumberRange> | undefined }
  | { readonly kind: "string"; readonly dimension: Dimension; readonly ranges: ReadonlyArray<StringRange> | undefined }

/** The selected parts of all dimensions, in schema order. */
export type Selection = ReadonlyArray<DimensionSelection>

/** Validates `ranges` against the schema. Throws {@link SelectionError}. */
export const parseSelection = (
  uri: string,
  schema: ArraySchema,
  ranges: RegionInput,
  outOfBounds: OutOfBounds,
): Selection => {
  const names = schema.dimensions.map((d) => d.name)
  const refuse = (reason: SelectionReason, field: string, detail: string, hint?: Hint): never => {
    throw new SelectionError({ uri, field, reason, detail, hint })
  }
  if (typeof ranges !== "object" || ranges === null || Array.isArray(ranges)) {
    return refuse("WrongType", "", "a region is an object of ranges by dimension name: { x: [1, 5] }")
  }
  for (const name of Object.keys(ranges)) {
    if (names.includes(name)) continue
    const quoted = (all: ReadonlyArray<string>): string => all.map((n) => JSON.stringify(n)).join(", ")
    const labels = schema.dimensionLabels.map((label) => label.name)
    const more = labels.length === 0 ? "" : `, and the labels ${quoted(labels)}`
    refuse("UnknownName", name, `there is no such dimension; the array has ${quoted(names)}${more}`)
  }
  return schema.dimensions.map((dimension, d) => {
    const input = Object.hasOwn(ranges, dimension.name) ? ranges[dimension.name] : undefined
    try {
      return dimension.cellValNum === VAR
        ? { kind: "string", dimension, ranges: input === undefined ? undefined : stringRanges(dimension, input) }
        : {
          kind: "number",
          dimension,
          ranges: input === undefined ? undefined : numberRanges(dimension, limitsOf(schema, d), input, outOfBounds),
        }
    } catch (error) {
      if (!(error instanceof ScalarError)) throw error
      return refuse(
        error instanceof OutOfBoundsError ? "OutOfBounds" : "InvalidRange",
        dimension.name,
        error.reason,
        error instanceof OutOfBoundsError ? { _tag: "ClipRanges" } : undefined,
      )
    }
  })
}

const stringRanges = (dimension: Dimension, input: unknown): ReadonlyArray<StringRange> => {
  const requested = rangesInput(input)
  return "points" in requested
    ? stringPoints(dimension, requested.points)
    : mergeStrings(eachPair(requested.pairs, (pair) => stringRange(dimension, pair)))
}

const numberRanges = (
  dimension: Dimension,
  inside: NumberRange,
  input: unknown,
  outOfBounds: OutOfBounds,
): ReadonlyArray<NumberRange> => {
  const requested = rangesInput(input)
  if ("points" in requested) return numberPoints(dimension, inside, requested.points, outOfBounds)
  return mergeNumbers(
    eachPair(requested.pairs, (pair) => clipped(dimension, inside, numberRange(dimension, inside, pair), outOfBounds))
      .flat(),
  )
}

/** Converts each range. If there are several ranges, errors state which one is invalid. */
const eachPair = <A>(pairs: ReadonlyArray<Pair>, take: (pair: Pair) => A): ReadonlyArray<A> =>
  pairs.map((pair, i) => {
    try {
      return take(pair)
    } catch (error) {
      if (!(error instanceof ScalarError) || pairs.length === 1) throw error
      const reason = `range ${i + 1} of ${pairs.length}: ${error.reason}`
      throw error instanceof OutOfBoundsError ? new OutOfBoundsError(reason) : new ScalarError(reason)
    }
  })

const numberRange = (dimension: Dimension, inside: NumberRange, [low, high]: Pair): NumberRange => {
  const range = {
    low: low === null ? inside.low : parseScalar(dimension.type, inputOf(low)),
    high: high === null ? inside.high : parseScalar(dimension.type, inputOf(high)),
  }
  if (Number.isNaN(range.low) || Number.isNaN(range.high)) throw new ScalarError("NaN is not a bound of a range")
  if (range.low > range.high) {
    throw new ScalarError(`the range ${shownRange(range)} is empty: its low bound is above its high bound`)
  }
  return range
}

const clipped = (
  dimension: Dimension,
  inside: NumberRange,
  range: NumberRange,
  outOfBounds: OutOfBounds,
): ReadonlyArray<NumberRange> => {
  if (range.low >= inside.low && range.high <= inside.high) return [range]
  if (outOfBounds === "error") {
    throw outOfBoundsError(`the range ${shownRange(range)}`, dimension, inside)
  }
  const low = range.low < inside.low ? inside.low : range.low
  const high = range.high > inside.high ? inside.high : range.high
  return low > high ? [] : [{ low, high }]
}

const stringRange = (dimension: Dimension, [low, high]: Pair): StringRange => {
  const range = {
    low: low === null ? undefined : parseText(dimension.type, inputOf(low)),
    high: high === null ? undefined : parseText(dimension.type, inputOf(high)),
  }
  if (range.low !== undefined && range.high !== undefined && compareBytes(range.low, range.high) > 0) {
    throw new ScalarError(
      `the range [${JSON.stringify(textJson(range.low))}, ${JSON.stringify(textJson(range.high))}] is empty: ` +
        `its low bound is above its high bound`,
    )
  }
  return range
}
