/**
 * Selections: what a user asks of each dimension, checked against the schema.
 *
 * @module
 */
import type { ArraySchema } from "../../schema/array_schema.ts"
import { VAR } from "../../schema/cell_val_num.ts"
import type { Dimension } from "../../schema/dimension.ts"
import {
  parseScalar,
  parseText,
  readScalar,
  type Scalar,
  ScalarError,
  type ScalarInput,
  scalarJson,
  textJson,
} from "../../schema/scalar.ts"
import { sizeOf } from "../../schema/datatype.ts"
import { SelectionError } from "../array/errors.ts"
import { compareBytes } from "../kernel/match_ranges.ts"

/** One bound of a range; `null` is the end of the domain. */
export type Bound = ScalarInput | Date | null

/** A range with both ends inclusive, or a single point. */
export type RangeInput = readonly [low: Bound, high: Bound] | Bound

/** Ranges by the name of their dimension; a dimension that is not named is taken whole. */
export type RangesInput = Readonly<Record<string, RangeInput | ReadonlyArray<RangeInput>>>

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

/** What is asked of one dimension: `undefined` is everything; else ranges, sorted and disjoint. */
export type DimensionSelection =
  | { readonly kind: "number"; readonly dimension: Dimension; readonly ranges: ReadonlyArray<NumberRange> | undefined }
  | { readonly kind: "string"; readonly dimension: Dimension; readonly ranges: ReadonlyArray<StringRange> | undefined }

/** What is asked of all dimensions, in schema order. */
export type Selection = ReadonlyArray<DimensionSelection>

/** What to do with a range that leaves the domain: refuse it, or take what lies inside. */
export type Outside = "error" | "crop"

/** The domain of a dimension; `undefined` for strings, which have none. */
export const domainOf = (dimension: Dimension): NumberRange | undefined =>
  dimension.cellValNum === VAR ? undefined : {
    low: readScalar(dimension.type, dimension.domain, 0),
    high: readScalar(dimension.type, dimension.domain, sizeOf(dimension.type)),
  }

/** Checks `ranges` against the schema. Throws {@link SelectionError}. */
export const parseSelection = (
  uri: string,
  schema: ArraySchema,
  ranges: RangesInput,
  outside: Outside,
): Selection => {
  const names = schema.dimensions.map((d) => d.name)
  for (const name of Object.keys(ranges)) {
    if (!names.includes(name)) {
      throw new SelectionError({
        uri,
        field: name,
        reason: `there is no such dimension; the array has ${names.map((n) => JSON.stringify(n)).join(", ")}`,
      })
    }
  }
  return schema.dimensions.map((dimension, d) => {
    const given = Object.hasOwn(ranges, dimension.name) ? ranges[dimension.name] : undefined
    const list = given === undefined ? undefined : asList(given)
    try {
      if (dimension.cellValNum === VAR) {
        return {
          kind: "string",
          dimension,
          ranges: list === undefined ? undefined : mergeStrings(list.map((r) => stringRange(dimension, r))),
        }
      }
      const inside = limitsOf(schema, d)
      return {
        kind: "number",
        dimension,
        ranges: list === undefined ? undefined : mergeNumbers(
          list.flatMap((r) => {
            const range = numberRange(dimension, inside, r)
            return cropped(dimension, inside, range, outside)
          }),
        ),
      }
    } catch (error) {
      if (error instanceof ScalarError) {
        throw new SelectionError({ uri, field: dimension.name, reason: error.reason })
      }
      throw error
    }
  })
}

/** The domain, or the current domain where there is one. */
const limitsOf = (schema: ArraySchema, d: number): NumberRange => {
  const dimension = schema.dimensions[d]
  const current = schema.currentDomain
  if (current.empty) return domainOf(dimension)!
  const range = current.ranges[d]
  return { low: readScalar(dimension.type, range.low), high: readScalar(dimension.type, range.high) }
}

const isRange = (given: unknown): given is readonly [Bound, Bound] =>
  Array.isArray(given) && given.length === 2 && !Array.isArray(given[0]) && !Array.isArray(given[1])

// `[1, 5]` is a range; `[[1, 5], 7]` and `[3]` are lists of ranges and points
const asList = (given: RangeInput | ReadonlyArray<RangeInput>): ReadonlyArray<RangeInput> =>
  Array.isArray(given) && !isRange(given) ? given as ReadonlyArray<RangeInput> : [given as RangeInput]

const inputOf = (bound: Exclude<Bound, null>): ScalarInput => {
  if (!(bound instanceof Date)) return bound
  if (Number.isNaN(bound.getTime())) throw new ScalarError("an invalid Date is no bound of a range")
  return bound.toISOString()
}

const numberRange = (dimension: Dimension, inside: NumberRange, given: RangeInput): NumberRange => {
  const [low, high] = isRange(given) ? given : [given as Bound, given as Bound]
  const range = {
    low: low === null ? inside.low : parseScalar(dimension.type, inputOf(low)),
    high: high === null ? inside.high : parseScalar(dimension.type, inputOf(high)),
  }
  if (Number.isNaN(range.low) || Number.isNaN(range.high)) throw new ScalarError("NaN is no bound of a range")
  if (range.low > range.high) {
    throw new ScalarError(`the range ${shown(range)} is empty: its low bound is above its high bound`)
  }
  return range
}

const cropped = (
  dimension: Dimension,
  inside: NumberRange,
  range: NumberRange,
  outside: Outside,
): ReadonlyArray<NumberRange> => {
  if (range.low >= inside.low && range.high <= inside.high) return [range]
  if (outside === "error") {
    throw new ScalarError(
      `the range ${shown(range)} is outside the domain ${shown(inside)} of this ${dimension.type} dimension; ` +
        `ask for what is inside, or let ranges be cropped`,
    )
  }
  const low = range.low < inside.low ? inside.low : range.low
  const high = range.high > inside.high ? inside.high : range.high
  return low > high ? [] : [{ low, high }]
}

const stringRange = (dimension: Dimension, given: RangeInput): StringRange => {
  const [low, high] = isRange(given) ? given : [given as Bound, given as Bound]
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

const shown = (range: NumberRange): string => `[${scalarJson(range.low)}, ${scalarJson(range.high)}]`

const mergeNumbers = (ranges: ReadonlyArray<NumberRange>): ReadonlyArray<NumberRange> => {
  const sorted = [...ranges].sort((a, b) => a.low < b.low ? -1 : a.low > b.low ? 1 : 0)
  const out: Array<NumberRange> = []
  for (const range of sorted) {
    const last = out[out.length - 1]
    if (last === undefined || range.low > last.high) out.push(range)
    else if (range.high > last.high) out[out.length - 1] = { low: last.low, high: range.high }
  }
  return out
}

const mergeStrings = (ranges: ReadonlyArray<StringRange>): ReadonlyArray<StringRange> => {
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
