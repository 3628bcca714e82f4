/**
 * Array schemas of all format versions.
 *
 * @module
 */
import {
  bool,
  type Codec,
  type Field,
  list,
  literal,
  ownVersion,
  since,
  struct,
  u32,
  u64,
  utf8,
} from "../binary/mod.ts"
import { Attribute } from "./attribute.ts"
import { decodeByOwnVersion } from "../version/by_own_version.ts"
import { CurrentDomain } from "./current_domain.ts"
import type { Dimension } from "./dimension.ts"
import { DimensionLabel } from "./dimension_label.ts"
import { Domain } from "./domain.ts"
import { FilterPipeline, noFilters } from "./filter_pipeline.ts"
import { Since } from "../version/version.ts"

/** Tile and cell orders. Schemas use row-major, col-major and, for cells, Hilbert; queries use the others. */
export type Layout = "row-major" | "col-major" | "global" | "unordered" | "hilbert"

/**
 * The on-disk form of a layout: one byte.
 *
 * ```ts
 * import { encode, LayoutField } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(encode(LayoutField, "hilbert", 22), Uint8Array.of(4))
 * ```
 */
export const LayoutField: Field<Layout> = literal(
  { "row-major": 0, "col-major": 1, global: 2, unordered: 3, hilbert: 4 },
  "layout",
)

/** Whether an array is dense (every cell has a value) or sparse. */
export type ArrayType = "dense" | "sparse"

/** A reference to an enumeration, whose values are stored in a file in `__schema/__enumerations`. */
export interface EnumerationReference {
  /** The name of the enumeration, by which attributes refer to it. */
  readonly name: string
  /** The name of the file in `__schema/__enumerations`. */
  readonly fileName: string
}

/** An array schema: dimensions, attributes, and how cells are grouped into tiles. */
export interface ArraySchema {
  /** The format version, set by the engine that wrote the schema. */
  readonly version: number
  /** Whether a sparse array may contain several cells with the same coordinates. */
  readonly allowsDuplicates: boolean
  /** Dense or sparse. */
  readonly arrayType: ArrayType
  /** The order of the tiles in the domain. */
  readonly tileOrder: Layout
  /** The order of the cells within a tile. */
  readonly cellOrder: Layout
  /** The number of cells in a tile of a sparse array. */
  readonly capacity: number
  /** The filters of coordinates, for dimensions that have no filters of their own. */
  readonly coordsFilters: FilterPipeline
  /** The filters of the offsets of var-sized cells. */
  readonly offsetsFilters: FilterPipeline
  /** The filters of the validity of nullable cells. */
  readonly validityFilters: FilterPipeline
  /** The dimensions, in schema order. */
  readonly dimensions: ReadonlyArray<Dimension>
  /** The attributes, in schema order. */
  readonly attributes: ReadonlyArray<Attribute>
  /** The dimension labels: named coordinates. */
  readonly dimensionLabels: ReadonlyArray<DimensionLabel>
  /** References to the enumerations of the attributes. */
  readonly enumerations: ReadonlyArray<EnumerationReference>
  /** The part of the domain in which cells may be written. */
  readonly currentDomain: CurrentDomain
}

/**
 * The codec of an array schema, at the version stored in it. If the version is unknown, use {@link decodeArraySchema}.
 * Format: `array_schema.md`.
 *
 * ```ts
 * import { layerDefault, TileArray } from "@tessera/array"
 * import { ArraySchema, encode } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const program = Effect.map(TileArray.open("tests/golden/demo/weather"), ({ schema }) => schema)
 * const schema = await Effect.runPromise(Effect.provide(program, layerDefault))
 * const bytes = encode(ArraySchema, schema, schema.version)
 * assertEquals(Schema.decodeSync(ArraySchema.at(22))(bytes), schema)
 * ```
 */
export const ArraySchema: Codec<ArraySchema> = struct({
  version: ownVersion,
  allowsDuplicates: since(Since.splitDimensions, bool, false),
  arrayType: literal({ dense: 0, sparse: 1 }, "array type") as Field<ArrayType>,
  tileOrder: LayoutField,
  cellOrder: LayoutField,
  capacity: u64,
  coordsFilters: FilterPipeline,
  offsetsFilters: FilterPipeline,
  validityFilters: since(Since.nullable, FilterPipeline, noFilters),
  dimensions: Domain,
  attributes: list(u32, Attribute),
  dimensionLabels: since(Since.dimensionLabels, list(u32, DimensionLabel), []),
  enumerations: since(
    Since.enumerations,
    list(u32, struct({ name: utf8(u32), fileName: utf8(u32) })) as Field<ReadonlyArray<EnumerationReference>>,
    [],
  ),
  currentDomain: since<CurrentDomain>(Since.currentDomain, CurrentDomain, { empty: true }),
})

/**
 * Decodes the unfiltered bytes of the schema file `uri`, using the version at their start. Throws `FormatError`, also
 * for unknown versions.
 *
 * ```ts
 * import { layerDefault, TileArray } from "@tessera/array"
 * import { ArraySchema, decodeArraySchema, encode, FormatError } from "@tessera/array/schema"
 * import { assertEquals, assertThrows } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.map(TileArray.open("tests/golden/demo/weather"), ({ schema }) => encode(ArraySchema, schema, 22))
 * const bytes = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(decodeArraySchema(bytes, "mem://a/__schema/s").dimensions.map((d) => d.name), ["day", "station"])
 * assertThrows(() => decodeArraySchema(bytes.subarray(0, 20), "mem://a/__schema/s"), FormatError, "coordsFilters")
 * ```
 */
export const decodeArraySchema = (bytes: Uint8Array, uri: string): ArraySchema =>
  decodeByOwnVersion(ArraySchema, bytes, uri)
