/**
 * The rules for the filters of a field, which engines check when they create an array.
 */
import { type Datatype, isFloat, isInteger, isTemporal, sizeOf } from "../../schema/array/datatype.ts"
import type { Filter, FilterType } from "../../schema/array/filter.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import { SchemaError } from "./schema_error.ts"

const integerLike: ReadonlyArray<Datatype> = ["bool", "blob", "geom_wkb", "geom_wkt"]

/** Returns whether values can be processed as integers. */
const counts = (type: Datatype): boolean => isInteger(type) || isTemporal(type) || integerLike.includes(type)

const integerOf: Readonly<Record<number, Datatype>> = { 1: "int8", 2: "int16", 4: "int32", 8: "int64" }

/** Returns the reason why a filter does not support a datatype; `undefined` if it does. */
const refusal = (filter: Filter, type: Datatype): string | undefined => {
  switch (filter.type) {
    case "bit_width_reduction":
    case "positive_delta":
      return counts(type) ? undefined : "integers, dates or times are required"
    case "delta":
    case "double_delta": {
      const as = filter.reinterpretDatatype
      if (isFloat(as === "any" ? type : as)) return "floats are not supported; reinterpret them as integers"
      return as !== "any" && sizeOf(type) % sizeOf(as) !== 0
        ? `the size of ${type} is not a multiple of the size of ${as}`
        : undefined
    }
    case "scale_float":
      if (![1, 2, 4, 8].includes(filter.byteWidth)) return `byteWidth is 1, 2, 4 or 8, not ${filter.byteWidth}`
      return sizeOf(type) === 4 || sizeOf(type) === 8 ? undefined : "values of 4 or 8 bytes are required"
    case "webp":
      return type === "uint8" ? undefined : "uint8 is required"
    default:
      return undefined
  }
}

/** Returns the output datatype of a filter. */
const outputOf = (filter: Filter, type: Datatype): Datatype => {
  switch (filter.type) {
    case "delta":
    case "double_delta":
      return filter.reinterpretDatatype === "any" ? type : filter.reinterpretDatatype
    case "scale_float":
      return integerOf[filter.byteWidth]
    case "xor":
      return integerOf[sizeOf(type)]
    default:
      return type
  }
}

/** Checks that RLE and dictionary are the first filter of text. */
const checkFirst = (field: string, { filters }: FilterPipeline): void => {
  for (const type of ["rle", "dictionary"] satisfies Array<FilterType>) {
    if (filters.length > 1 && filters[0].type !== type && filters.some((f) => f.type === type)) {
      throw new SchemaError({
        field,
        reason: "InvalidFilter",
        detail: `${type} must be the first filter of var-sized text`,
      })
    }
  }
}

/** Checks the filters of a field. Throws {@link SchemaError}. */
export const checkFilters = (field: string, pipeline: FilterPipeline, type: Datatype, isVar: boolean): void => {
  if (isVar && (type === "string_ascii" || type === "string_utf8")) checkFirst(field, pipeline)
  let input = type
  pipeline.filters.forEach((filter, i) => {
    const why = refusal(filter, input)
    if (why !== undefined) {
      const after = i === 0 ? "" : ` (the output of filter ${i - 1}, ${pipeline.filters[i - 1].type})`
      throw new SchemaError({
        field,
        reason: "InvalidFilter",
        detail: `filter ${i}, ${filter.type}, does not support ${input}${after}: ${why}`,
      })
    }
    input = outputOf(filter, input)
  })
}

/** Checks the filters that a dimension without filters inherits from the schema. Throws {@link SchemaError}. */
export const checkInherited = (field: string, coords: FilterPipeline, type: Datatype): void => {
  if (type === "string_ascii") checkFirst(`${field} (coordsFilters)`, coords)
  if (isFloat(type) && coords.filters.some((f) => f.type === "double_delta")) {
    const detail = "coordsFilters contain double_delta, which does not support floats; set filters for the dimension"
    throw new SchemaError({ field, reason: "InvalidFilter", detail })
  }
}
