/**
 * Converts many points of a dimension to ranges: sorts them once, as values of the dimension's datatype, and joins
 * neighbours.
 *
 * @module
 */
import { arrayOf, isFloat, type TypedArray } from "../../../schema/array/datatype.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import { parseScalar, parseText, type Scalar, ScalarError, scalarJson } from "../../../schema/array/scalar.ts"
import { compareBytes } from "../../kernel/match/match_ranges.ts"
import { outOfBoundsError } from "./domain_bounds.ts"
import type { NumberRange, OutOfBounds, StringRange } from "./merge_ranges.ts"
import { inputOf } from "./range_input.ts"

/** Converts points to values of the dimension's datatype; a typed array of that type is copied without conversion. */
const valuesOf = ({ type }: Dimension, points: Iterable<unknown>): TypedArray => {
  const make = arrayOf(type)
  if (points instanceof make) return (points as TypedArray).slice()
  let out = new make(64)
  let count = 0
  for (const point of points) {
    if (count === out.length) {
      const more = new make(2 * count)
      more.set(out as never)
      out = more
    }
    out[count++] = parseScalar(type, inputOf(point)) as never
  }
  return out.subarray(0, count)
}

/** Converts points of a numeric or datetime dimension to sorted, disjoint ranges. Throws {@link ScalarError}. */
export const numberPoints = (
  dimension: Dimension,
  inside: NumberRange,
  points: Iterable<unknown>,
  outOfBounds: OutOfBounds,
): ReadonlyArray<NumberRange> => {
  const values = valuesOf(dimension, points)
  values.sort()
  const n = values.length
  // `sort` puts NaN last
  if (n > 0 && Number.isNaN(values[n - 1])) throw new ScalarError("NaN is not a point")
  let from = 0
  let to = n
  while (from < n && values[from] < inside.low) from++
  while (to > from && values[to - 1] > inside.high) to--
  if ((from > 0 || to < n) && outOfBounds === "error") {
    throw outOfBoundsError(`the point ${scalarJson(values[from > 0 ? 0 : n - 1])}`, dimension, inside)
  }
  const whole = !isFloat(dimension.type)
  const out: Array<NumberRange> = []
  while (from < to) {
    const low: Scalar = values[from++]
    let high = low
    while (from < to && (values[from] === high || (whole && values[from] === next(high)))) high = values[from++]
    out.push({ low, high })
  }
  return out
}

const next = (value: Scalar): Scalar => typeof value === "bigint" ? value + 1n : value + 1

/** Converts points of a string dimension to sorted, disjoint ranges. Throws {@link ScalarError}. */
export const stringPoints = (dimension: Dimension, points: Iterable<unknown>): ReadonlyArray<StringRange> => {
  const inputs = Array.from(points, inputOf)
  // sort strings first: their order is almost the byte order, so the second, slower sort takes one pass
  if (inputs.every((input) => typeof input === "string")) inputs.sort()
  const values = inputs.map((input) => parseText(dimension.type, input))
  values.sort(compareBytes)
  const out: Array<StringRange> = []
  for (let i = 0; i < values.length; i++) {
    if (i === 0 || compareBytes(values[i - 1], values[i]) !== 0) out.push({ low: values[i], high: values[i] })
  }
  return out
}
