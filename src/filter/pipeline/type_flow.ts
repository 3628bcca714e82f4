/**
 * The type flow of pipelines: the datatype of the input of each filter.
 *
 * @module
 */
import { type Datatype, sizeOf } from "../../../schema/array/datatype.ts"
import type { Filter } from "../../../schema/array/filter.ts"
import { Since } from "../../../schema/version/version.ts"

const integerOf: Record<number, Datatype> = { 1: "int8", 2: "int16", 4: "int32", 8: "int64" }

/** Returns the datatype of a filter's output for input of type `type`. */
export const outputType = (filter: Filter, type: Datatype): Datatype => {
  switch (filter.type) {
    case "scale_float":
      return integerOf[filter.byteWidth] ?? type
    case "xor":
      return integerOf[sizeOf(type)]
    case "delta":
    case "double_delta":
      return filter.reinterpretDatatype === "any" ? type : filter.reinterpretDatatype
    case "aes_256_gcm":
      return "blob"
    default:
      return type
  }
}

/**
 * Returns the datatypes of the inputs of all filters in a pipeline over a field of type `type`. Engines before 2.17 use
 * the field's type for all filters, and reading their files requires the same. `engineVersion` is the format version of
 * the engine that wrote, not of the fragment.
 */
export const inputTypes = (
  filters: ReadonlyArray<Filter>,
  type: Datatype,
  engineVersion: number,
): ReadonlyArray<Datatype> => {
  let flowing = type
  return filters.map((filter) => {
    const input = flowing
    if (engineVersion >= Since.typeFlow) flowing = outputType(filter, flowing)
    return input
  })
}
