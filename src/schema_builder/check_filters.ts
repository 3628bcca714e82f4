/**
 * Which filters a field may go through: what engines check before they make an array.
 */
import { type Datatype, isFloat, isInteger, isTemporal, sizeOf } from "../../schema/array/datatype.ts"
import type { Filter, FilterType } from "../../schema/array/filter.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import { SchemaError } from "./schema_error.ts"

const whole: ReadonlyArray<Datatype> = ["bool", "blob", "geom_wkb", "geom_wkt"]

/** Whether values can be told apart as integers. */
const counts = (type: Datatype): boolean => isInteger(type) || isTemporal(type) || whole.includes(type)

const integerOf: Readonly<Record<number, Datatype>> = { 1: "int8", 2: "int16", 4: "int32", 8: "int64" }

/** Why a filter does not take values of a type; `undefined` if it does. */
const refusal = (filter: Filter, type: Datatype): string | undefined => {
  switch (filter.type) {
    case "bit_width_reduction":
    case "positive_delta":
      return counts(type) ? undefined : "it takes integers, dates and times"
    case "delta":
    case "double_delta": {
      const as = filter.reinterpretDatatype
      if (isFloat(as === "any" ? type : as)) return "it takes no floats; reinterpret them as integers"
      return as !== "any" && sizeOf(type) % sizeOf(as) !== 0
        ? `values of ${type} are no whole ones of ${as}`
        : undefined
    }
    case "scale_float":
      if (![1, 2, 4, 8].includes(filter.byteWidth)) return `byteWidth is 1, 2, 4 or 8, not ${filter.byteWidth}`
      return sizeOf(type) === 4 || sizeOf(type) === 8 ? undefined : "it takes values of 4 or 8 bytes"
    case "webp":
      return type === "uint8" ? undefined : "it takes uint8"
    default:
      return undefined
  }
}

/** What comes out of a filter. */
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

/** RLE and dictionary know texts only as their first filter. */
const checkFirst = (field: string, { filters }: FilterPipeline): void => {
  for (const type of ["rle", "dictionary"] satisfies Array<FilterType>) {
    if (filters.length > 1 && filters[0].type !== type && filters.some((f) => f.type === type)) {
      throw new SchemaError({ field, detail: `${type} must be the first filter of var-sized text` })
    }
  }
}

/** The filters of one field. Throws {@link SchemaError}. */
export const checkFilters = (field: string, pipeline: FilterPipeline, type: Datatype, isVar: boolean): void => {
  if (isVar && (type === "string_ascii" || type === "string_utf8")) checkFirst(field, pipeline)
  let input = type
  pipeline.filters.forEach((filter, i) => {
    const why = refusal(filter, input)
    if (why !== undefined) {
      const after = i === 0 ? "" : ` (what filter ${i - 1}, ${pipeline.filters[i - 1].type}, makes)`
      throw new SchemaError({ field, detail: `filter ${i}, ${filter.type}, does not take ${input}${after}: ${why}` })
    }
    input = outputOf(filter, input)
  })
}

/** The filters that a dimension without any takes from the schema. Throws {@link SchemaError}. */
export const checkInherited = (field: string, coords: FilterPipeline, type: Datatype): void => {
  if (type === "string_ascii") checkFirst(`${field} (coordsFilters)`, coords)
  if (isFloat(type) && coords.filters.some((f) => f.type === "double_delta")) {
    const reason = "coordsFilters have double_delta, which takes no floats; give the dimension filters of its own"
    throw new SchemaError({ field, detail: reason })
  }
}
