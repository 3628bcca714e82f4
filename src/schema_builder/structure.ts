/**
 * Converts schema values to the structure stored in an array, and back.
 */
import type { ArraySchema as Structure } from "../../schema/array/array_schema.ts"
import type { Attribute as AttributeStructure } from "../../schema/array/attribute.ts"
import { VAR } from "../../schema/array/cell_val_num.ts"
import type { Dimension as DimensionStructure } from "../../schema/array/dimension.ts"
import type { Enumeration } from "../../schema/array/enumeration.ts"
import type { Filter } from "../../schema/array/filter.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import { readScalar, type Scalar, scalarBytes } from "../../schema/array/scalar.ts"
import { isFloat, sizeOf } from "../../schema/array/datatype.ts"
import { CURRENT_VERSION } from "../../schema/version/version.ts"
import type { Attribute } from "./attribute.ts"
import type { DimensionType } from "./datatype_values.ts"
import type { Dimension } from "./dimension.ts"
import { enumerationStructure, type EnumerationValues, valuesOfEnumeration } from "./enumeration_values.ts"
import type { ArraySchema, CellOrder, TileOrder } from "./schema_value.ts"
import { labelsOf } from "./dimension_labels.ts"
import { SchemaError } from "./schema_error.ts"
import { concat } from "../kernel/copy/concat.ts"

/** The properties of a schema file that a schema value does not contain. */
export interface StructureOptions {
  /** The format version. Default: 22. */
  readonly version?: number
  /** Returns the file name of an enumeration; required for enumerations that were not read from an array. */
  readonly enumerationFile?: (name: string) => string
}

/** Returns the tile extent; engines default to the whole domain, and to no extent with Hilbert order. */
const extentOf = (schema: ArraySchema, { type, domain, tile }: Dimension): Scalar | null => {
  if (tile !== null) return tile
  if (domain === null || schema.order === "hilbert") return null
  const [low, high] = domain
  if (isFloat(type)) return Number(high) - Number(low)
  const length = BigInt(high) - BigInt(low) + 1n
  return typeof high === "bigint" ? length : Number(length)
}

const dimensionStructure = (schema: ArraySchema, name: string): DimensionStructure => {
  const dimension = schema.dims[name]
  const { type, domain, filters } = dimension
  const extent = extentOf(schema, dimension)
  return {
    name,
    type,
    cellValNum: type === "string_ascii" ? VAR : 1,
    filters,
    domain: domain === null ? new Uint8Array(0) : concat([scalarBytes(type, domain[0]), scalarBytes(type, domain[1])]),
    tileExtent: extent === null ? null : scalarBytes(type, extent),
  }
}

/** Sets the size of pictures to the size of the tiles. */
const withPictureSize = (pipeline: FilterPipeline, dimensions: ReadonlyArray<DimensionStructure>): FilterPipeline => {
  if (!pipeline.filters.some((f) => f.type === "webp")) return pipeline
  const [extentY, extentX] = dimensions.map((d) => Number(readScalar(d.type, d.tileExtent!)))
  const sized = (filter: Filter): Filter => filter.type === "webp" ? { ...filter, extentY, extentX } : filter
  return { ...pipeline, filters: pipeline.filters.map(sized) }
}

/** Returns the structure of an attribute of an array with these dimensions. */
export const attributeStructure = (
  name: string,
  attribute: Attribute,
  dimensions: ReadonlyArray<DimensionStructure>,
): AttributeStructure => ({
  name,
  type: attribute.type,
  cellValNum: attribute.cellValNum === "var" ? VAR : attribute.cellValNum,
  filters: withPictureSize(attribute.filters, dimensions),
  fillValue: attribute.fillValue,
  nullable: attribute.nullable,
  fillValueValidity: attribute.fillValueValidity,
  order: attribute.order,
  enumeration: attribute.enumeration,
})

const fileOf = (name: string, values: EnumerationValues, options: StructureOptions): string => {
  const fileName = values.fileName ?? options.enumerationFile?.(name)
  if (fileName === undefined) {
    const detail = "the file name is missing; specify enumerationFile"
    throw new SchemaError({ field: `enumeration ${name}`, reason: "Missing", detail })
  }
  return fileName
}

/**
 * Converts a schema to the structure stored in an array, which `@tessera/array/schema` encodes. Throws `SchemaError` if
 * an enumeration has no file name.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim } from "@tessera/array"
 * import { ArraySchema as Structure, decodeArraySchema, encode } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const Points = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9]) }, attrs: { n: Attr.uint8() } })
 * const bytes = encode(Structure, ArraySchema.toStructure(Points), 22)
 * assertEquals(decodeArraySchema(bytes, "mem://points").attributes[0].name, "n")
 * ```
 */
export const toStructure = (schema: ArraySchema, options: StructureOptions = {}): Structure => {
  const dimensions = schema.dimensionNames.map((name) => dimensionStructure(schema, name))
  return {
    version: options.version ?? CURRENT_VERSION,
    allowsDuplicates: schema.allowsDuplicates,
    arrayType: schema.arrayType,
    tileOrder: schema.tileOrder,
    cellOrder: schema.order,
    capacity: schema.capacity,
    coordsFilters: schema.coordsFilters,
    offsetsFilters: schema.offsetsFilters,
    validityFilters: schema.validityFilters,
    dimensions,
    attributes: schema.attributeNames.map((name) => attributeStructure(name, schema.attrs[name], dimensions)),
    dimensionLabels: schema.dimensionLabels,
    enumerations: Object.entries(schema.enumerations).map(([name, values]) => ({
      name,
      fileName: fileOf(name, values, options),
    })),
    currentDomain: schema.currentDomain === null ? { empty: true } : { empty: false, ranges: schema.currentDomain },
  }
}

/**
 * Returns the structures of the enumeration files of a schema. Throws `SchemaError` if an enumeration has no file name.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const schema = ArraySchema.sparse({
 *   dims: { x: Dim.uint32([0, 9]) },
 *   attrs: { color: Attr.enumerated(Attr.uint8(), "colors") },
 *   enumerations: { colors: ["red", "green"] },
 * })
 * const [colors] = ArraySchema.enumerationsOf(schema, { enumerationFile: (name) => `__${name}_0` })
 * assertEquals([colors.name, colors.fileName, colors.data.length], ["colors", "__colors_0", 8])
 * ```
 */
export const enumerationsOf = (schema: ArraySchema, options: StructureOptions = {}): ReadonlyArray<Enumeration> =>
  Object.entries(schema.enumerations).map(([name, values]) =>
    enumerationStructure(name, fileOf(name, values, options), values)
  )

const dimensionOf = ({ type, domain, tileExtent, filters }: DimensionStructure): Dimension => {
  const tile = tileExtent === null ? null : readScalar(type, tileExtent)
  return {
    type: type as DimensionType,
    domain: domain.length === 0 ? null : [readScalar(type, domain), readScalar(type, domain, sizeOf(type))] as never,
    // a negative extent is the default extent (the whole domain), which is larger than the type's maximum
    tile: tile === null || tile < 0 ? null : tile as never,
    filters,
  }
}

const attributeOf = (structure: AttributeStructure): Attribute => {
  const { name: _, cellValNum, ...rest } = structure
  return { ...rest, cellValNum: cellValNum === VAR ? "var" : cellValNum }
}

/**
 * Converts the structure of an array's schema to a schema value, for example `array.schema` to create a similar array.
 * The fields are not typed. Enumerations that are not passed have no values. The schema is not checked, because older
 * engines had other rules; see `check`.
 *
 * ```ts
 * import { ArraySchema, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const { schema } = yield* TileArray.open("tests/golden/demo/weather")
 *   const copy = yield* TileArray.create("mem://copy", ArraySchema.fromStructure(schema))
 *   return copy.schema.attributes.map((attribute) => attribute.name)
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), ["temperature", "note"])
 * ```
 */
export const fromStructure = (structure: Structure, enumerations: ReadonlyArray<Enumeration> = []): ArraySchema => {
  const values = new Map(enumerations.map((enumeration) => [enumeration.name, enumeration]))
  return {
    arrayType: structure.arrayType,
    dims: Object.fromEntries(structure.dimensions.map((d) => [d.name, dimensionOf(d)])),
    attrs: Object.fromEntries(structure.attributes.map((a) => [a.name, attributeOf(a)])),
    dimensionNames: structure.dimensions.map((d) => d.name),
    attributeNames: structure.attributes.map((a) => a.name),
    order: structure.cellOrder as CellOrder,
    tileOrder: structure.tileOrder as TileOrder,
    capacity: structure.capacity,
    allowsDuplicates: structure.allowsDuplicates,
    coordsFilters: structure.coordsFilters,
    offsetsFilters: structure.offsetsFilters,
    validityFilters: structure.validityFilters,
    enumerations: Object.fromEntries(structure.enumerations.map(({ name, fileName }) => {
      const enumeration = values.get(name)
      const empty = { type: "any", cellValNum: "var", ordered: false, data: new Uint8Array(0), offsets: null } as const
      return [
        name,
        enumeration === undefined ? { ...empty, fileName } : { ...valuesOfEnumeration(enumeration), fileName },
      ]
    })),
    currentDomain: structure.currentDomain.empty ? null : structure.currentDomain.ranges,
    labels: labelsOf(structure.dimensions.map((d) => d.name), structure.dimensionLabels),
    dimensionLabels: structure.dimensionLabels,
  }
}
