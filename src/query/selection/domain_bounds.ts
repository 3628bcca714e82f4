/**
 * The domain of a dimension, and the current domain, which may be smaller.
 *
 * @module
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { sizeOf } from "../../../schema/array/datatype.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import { readScalar, ScalarError, scalarJson } from "../../../schema/array/scalar.ts"
import type { NumberRange } from "./merge_ranges.ts"

/** The domain of a dimension; `undefined` for strings, which have none. */
const domainOf = (dimension: Dimension): NumberRange | undefined =>
  dimension.cellValNum === VAR ? undefined : {
    low: readScalar(dimension.type, dimension.domain, 0),
    high: readScalar(dimension.type, dimension.domain, sizeOf(dimension.type)),
  }

/** What may be asked of a dimension that has a domain: the current domain where there is one. */
export const limitsOf = (schema: ArraySchema, d: number): NumberRange => {
  const dimension = schema.dimensions[d]
  const current = schema.currentDomain
  if (current.empty) return domainOf(dimension)!
  const range = current.ranges[d]
  return { low: readScalar(dimension.type, range.low), high: readScalar(dimension.type, range.high) }
}

/** A range as text. */
export const shownRange = (range: NumberRange): string => `[${scalarJson(range.low)}, ${scalarJson(range.high)}]`

/** A range or point outside of the domain, which can be clipped. */
export class OutOfBoundsError extends ScalarError {}

/** The error for `what`, which is outside `limits`. */
export const outOfBoundsError = (what: string, dimension: Dimension, limits: NumberRange): OutOfBoundsError => {
  const domain = domainOf(dimension)
  const whole = domain === undefined || (domain.low === limits.low && domain.high === limits.high)
  const where = whole
    ? `the domain ${shownRange(limits)}`
    : `the current domain ${shownRange(limits)} (within the domain ${shownRange(domain)})`
  return new OutOfBoundsError(`${what} is outside ${where} of this ${dimension.type} dimension`)
}
