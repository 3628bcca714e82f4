/**
 * The bounds of a dimension: its domain, or the current domain, which may be smaller.
 *
 * @module
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { sizeOf } from "../../../schema/array/datatype.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import { readScalar, ScalarError, scalarJson } from "../../../schema/array/scalar.ts"
import type { NumberRange } from "./merge_ranges.ts"

/** Returns the domain of a dimension; `undefined` for strings, which have no domain. */
const domainOf = (dimension: Dimension): NumberRange | undefined =>
  dimension.cellValNum === VAR ? undefined : {
    low: readScalar(dimension.type, dimension.domain, 0),
    high: readScalar(dimension.type, dimension.domain, sizeOf(dimension.type)),
  }

/** Returns the bounds for ranges of dimension `d`: the current domain if there is one, else the domain. */
export const limitsOf = (schema: ArraySchema, d: number): NumberRange => {
  const dimension = schema.dimensions[d]
  const current = schema.currentDomain
  if (current.empty) return domainOf(dimension)!
  const range = current.ranges[d]
  return { low: readScalar(dimension.type, range.low), high: readScalar(dimension.type, range.high) }
}

/** Formats a range. */
export const shownRange = (range: NumberRange): string => `[${scalarJson(range.low)}, ${scalarJson(range.high)}]`

/** A value or range is outside the bounds of its dimension. */
export class OutOfBoundsError extends ScalarError {}

/** Returns the error for `subject`, which is outside `limits`. */
export const outOfBoundsError = (subject: string, dimension: Dimension, limits: NumberRange): OutOfBoundsError => {
  const domain = domainOf(dimension)
  const whole = domain === undefined || (domain.low === limits.low && domain.high === limits.high)
  const where = whole
    ? `the domain ${shownRange(limits)}`
    : `the current domain ${shownRange(limits)} (within the domain ${shownRange(domain)})`
  return new OutOfBoundsError(`${subject} is outside ${where} of this ${dimension.type} dimension`)
}
