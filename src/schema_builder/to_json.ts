/**
 * Converts schemas to JSON.
 */
import type { Datatype } from "../../schema/array/datatype.ts"
import type { Filter } from "../../schema/array/filter.ts"
import { type FilterPipeline, noFilters } from "../../schema/array/filter_pipeline.ts"
import {
  boundJson,
  cellBytesJson,
  type CellJson,
  type HexJson,
  isText,
  type Scalar,
  scalarJson,
  textJson,
  toHex,
} from "../../schema/array/scalar.ts"
import { type Attribute, of as attributeOf } from "./attribute.ts"
import { cellOfJson } from "./builder_input.ts"
import type { Dimension } from "./dimension.ts"
import { type EnumerationValues, partsOf } from "./enumeration_values.ts"
import type {
  AttributeJson,
  DimensionJson,
  EnumerationJson,
  FilterJson,
  FiltersJson,
  SchemaJson,
} from "./schema_json.ts"
import type { LabelsInput } from "./label_input.ts"
import type { ArraySchema } from "./schema_value.ts"

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])

const filterJson = (filter: Filter): FilterJson => {
  switch (filter.type) {
    case "scale_float":
      return { ...filter, scale: scalarJson(filter.scale), offset: scalarJson(filter.offset) }
    case "webp": {
      // omit the extents, which follow from the tile extents
      const { extentX: _, extentY: __, ...rest } = filter
      return rest
    }
    default:
      return { ...filter }
  }
}

const filtersJson = ({ filters, maxChunkSize }: FilterPipeline): FiltersJson =>
  maxChunkSize === noFilters.maxChunkSize ? filters.map(filterJson) : { maxChunkSize, filters: filters.map(filterJson) }

/** Converts a cell to JSON, from which {@link cellOfJson} returns the same bytes. */
const cellJson = (type: Datatype, cellValNum: number | "var", bytes: Uint8Array): CellJson => {
  const hex: HexJson = { hex: toHex(bytes) }
  // strings represent UTF-8 text; bytes that JSON cannot represent as text stay bytes
  const json = isText(type) ? textJson(bytes) : cellBytesJson(type, cellValNum, bytes)
  const again: CellJson = JSON.parse(JSON.stringify(json))
  return sameBytes(cellOfJson(type, again), bytes) ? json : hex
}

const valueJson = (value: Scalar): number | string => Object.is(value, -0) ? "-0" : scalarJson(value)

const dimensionJson = (name: string, { type, domain, tile, filters }: Dimension): DimensionJson => ({
  name,
  type,
  ...(domain === null ? {} : { domain: [valueJson(domain[0]), valueJson(domain[1])] as const }),
  ...(tile === null ? {} : { tile: valueJson(tile) }),
  ...(filters.filters.length === 0 ? {} : { filters: filtersJson(filters) }),
})

const attributeJson = (name: string, attribute: Attribute): AttributeJson => {
  const { type, cellValNum, nullable, filters, fillValue, fillValueValidity, order, enumeration } = attribute
  const isDefault = cellValNum === attributeOf(type).cellValNum && sameBytes(fillValue, attributeOf(type).fillValue)
  return {
    name,
    type,
    cellValNum,
    nullable,
    filters: filtersJson(filters),
    ...(isDefault ? {} : { fill: cellJson(type, cellValNum, fillValue) }),
    ...(fillValueValidity === 0 ? {} : { fillValid: true }),
    ...(order === "unordered" ? {} : { order }),
    ...(enumeration === "" ? {} : { enumeration }),
  }
}

const enumerationJson = (name: string, values: EnumerationValues): EnumerationJson => ({
  name,
  type: values.type,
  cellValNum: values.cellValNum,
  ordered: values.ordered,
  values: partsOf(values).map((part) => cellJson(values.type, values.cellValNum, part)),
})

/**
 * Converts a schema to JSON, from which `fromJson` creates the same schema: plain values for `JSON.stringify`.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const schema = ArraySchema.dense({ dims: { x: Dim.int64([0, 99], { tile: 10 }) }, attrs: { a: Attr.float32() } })
 * const json = ArraySchema.toJson(schema)
 * assertEquals(json.dims, [{ name: "x", type: "int64", domain: ["0", "99"], tile: "10" }])
 * assertEquals(ArraySchema.fromJson(JSON.parse(JSON.stringify(json))), schema)
 * ```
 */
export const toJson = (schema: ArraySchema): SchemaJson => {
  const { dims, attrs, dimensionNames, currentDomain, dimensionLabels } = schema
  const enumerations = Object.entries(schema.enumerations)
  return {
    arrayType: schema.arrayType,
    dims: dimensionNames.map((name) => dimensionJson(name, dims[name])),
    attrs: schema.attributeNames.map((name) => attributeJson(name, attrs[name])),
    order: schema.order,
    tileOrder: schema.tileOrder,
    capacity: schema.capacity,
    allowsDuplicates: schema.allowsDuplicates,
    coordsFilters: filtersJson(schema.coordsFilters),
    offsetsFilters: filtersJson(schema.offsetsFilters),
    validityFilters: filtersJson(schema.validityFilters),
    ...(enumerations.length === 0
      ? {}
      : { enumerations: enumerations.map(([name, values]) => enumerationJson(name, values)) }),
    ...(currentDomain === null ? {} : {
      currentDomain: Object.fromEntries(dimensionNames.map((name, d) => {
        const { type } = dims[name]
        const bound = (bytes: Uint8Array) => boundJson(type, type === "string_ascii" ? "var" : 1, bytes)
        return [name, [bound(currentDomain[d].low), bound(currentDomain[d].high)] as const]
      })),
    }),
    ...(dimensionLabels.length === 0 ? {} : {
      labels: dimensionLabels.map(({ name, dimension, type, order }) => {
        const { filters } = (schema.labels as LabelsInput)[name]
        return {
          name,
          dim: dimensionNames[dimension],
          type,
          order: order as "increasing" | "decreasing",
          ...(filters === undefined ? {} : { filters: filters.map(filterJson) }),
        }
      }),
    }),
  }
}
