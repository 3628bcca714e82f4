/**
 * The current domain of a schema that is being made.
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
import { type Dimension, scalarInput } from "./dimension.ts"
import { SchemaError } from "./schema_error.ts"

/** Ranges by the name of the dimension, both ends inclusive. */
export type CurrentDomainInput<D extends Readonly<Record<string, Dimension>>> = {
  readonly [Name in keyof D]?: readonly [low: CoordinateOf<D[Name]["type"]>, high: CoordinateOf<D[Name]["type"]>]
}

const rangeOf = (dimension: Dimension, given: readonly [unknown, unknown] | undefined): Range => {
  const { type, domain } = dimension
  if (type === "string_ascii") {
    if (given === undefined) throw new ScalarError("the current domain needs a range of this dimension of text")
    return { low: parseText(type, scalarInput(given[0])), high: parseText(type, scalarInput(given[1])) }
  }
  if (domain === null) throw new ScalarError("a current domain needs a domain")
  if (given === undefined) return { low: scalarBytes(type, domain[0]), high: scalarBytes(type, domain[1]) }
  const low = parseScalar(type, scalarInput(given[0]))
  const high = parseScalar(type, scalarInput(given[1]))
  if (!(low <= high)) throw new ScalarError(`the current domain [${scalarJson(low)}, ${scalarJson(high)}] is none`)
  if (low < domain[0] || high > domain[1]) {
    throw new ScalarError(
      `the current domain [${scalarJson(low)}, ${scalarJson(high)}] leaves the domain ` +
        `[${scalarJson(domain[0])}, ${scalarJson(domain[1])}]`,
    )
  }
  return { low: scalarBytes(type, low), high: scalarBytes(type, high) }
}

/** The ranges of all dimensions, in the order of `names`; `null` if none was given. Throws {@link SchemaError}. */
export const currentDomainRanges = <D extends Readonly<Record<string, Dimension>>>(
  dims: D,
  given: CurrentDomainInput<D> | undefined,
  names: ReadonlyArray<string> = Object.keys(dims),
): ReadonlyArray<Range> | null => {
  if (given === undefined) return null
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(dims, name)) {
      throw new SchemaError({ field: name, detail: "the current domain names a dimension that is not there" })
    }
  }
  return names.map((name) =>
    catchScalarError(() => rangeOf(dims[name], given[name]), (reason) => {
      throw new SchemaError({ field: name, detail: reason })
    })
  )
}
