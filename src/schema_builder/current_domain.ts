/**
 * The current domain of a schema.
 */
import type { Range } from "../../schema/array/range.ts"
import {
  catchScalarError,
  parseScalar,
  parseText,
  scalarBytes,
  ScalarError,
  scalarJson,
} from "../../schema/array/scalar.ts"
import type { CoordinateOf } from "./datatype_values.ts"
import type { Dimension } from "./dimension.ts"
import { scalarInput } from "./builder_input.ts"
import { SchemaError } from "./schema_error.ts"

/** Inclusive ranges by the name of the dimension. */
export type CurrentDomainInput<D extends Readonly<Record<string, Dimension>>> = {
  readonly [Name in keyof D]?: readonly [low: CoordinateOf<D[Name]["type"]>, high: CoordinateOf<D[Name]["type"]>]
}

const rangeOf = (dimension: Dimension, range: readonly [unknown, unknown] | undefined): Range => {
  const { type, domain } = dimension
  if (type === "string_ascii") {
    if (range === undefined) throw new ScalarError("the current domain requires a range for this text dimension")
    return { low: parseText(type, scalarInput(range[0])), high: parseText(type, scalarInput(range[1])) }
  }
  if (domain === null) throw new ScalarError("a current domain requires a domain")
  if (range === undefined) return { low: scalarBytes(type, domain[0]), high: scalarBytes(type, domain[1]) }
  const low = parseScalar(type, scalarInput(range[0]))
  const high = parseScalar(type, scalarInput(range[1]))
  if (!(low <= high)) {
    throw new ScalarError(`the current domain [${scalarJson(low)}, ${scalarJson(high)}] ends before it starts`)
  }
  if (low < domain[0] || high > domain[1]) {
    throw new ScalarError(
      `the current domain [${scalarJson(low)}, ${scalarJson(high)}] exceeds the domain ` +
        `[${scalarJson(domain[0])}, ${scalarJson(domain[1])}]`,
    )
  }
  return { low: scalarBytes(type, low), high: scalarBytes(type, high) }
}

/**
 * Returns the ranges of all dimensions, in the order of `names`; `null` without a current domain. Throws
 * {@link SchemaError}.
 */
export const currentDomainRanges = <D extends Readonly<Record<string, Dimension>>>(
  dims: D,
  ranges: CurrentDomainInput<D> | undefined,
  names: ReadonlyArray<string> = Object.keys(dims),
): ReadonlyArray<Range> | null => {
  if (ranges === undefined) return null
  for (const name of Object.keys(ranges)) {
    if (!Object.hasOwn(dims, name)) {
      throw new SchemaError({
        field: name,
        reason: "UnknownName",
        detail: "the current domain names an unknown dimension",
      })
    }
  }
  return names.map((name) =>
    catchScalarError(() => rangeOf(dims[name], ranges[name]), (detail) => {
      throw new SchemaError({ field: name, reason: "InvalidDomain", detail })
    })
  )
}
