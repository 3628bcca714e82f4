/**
 * The array schema, of every format version.
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

/** Orders of tiles and cells. Schemas hold row-major, col-major and, for cells, Hilbert; the rest belongs to queries. */
export type Layout = "row-major" | "col-major" | "global" | "unordered" | "hilbert"

/**
 * A layout as it lies on disk: one byte.
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

/** Whether every cell has a value, or only some. */
export type ArrayType = "dense" | "sparse"

/** Where the values of an enumeration lie: a file in `__schema/__enumerations`. */
export interface EnumerationReference {
  /** The name that attributes refer to. */
  readonly name: string
  /** The name of its file. */
  readonly fileName: string
}

/** What an array is: its dimensions, its attributes, and how cells become tiles. */
export interface ArraySchema {
  /** of the engine that wrote the schema */
  readonly version: number
  /** Sparse arrays: whether cells of the same coordinates are all kept. */
  readonly allowsDuplicates: boolean
  /** Whether every cell has a value, or only some. */
  readonly arrayType: ArrayType
  /** The order of the tiles. */
  readonly tileOrder: Layout
  /** The order of the cells in a tile. */
  readonly cellOrder: Layout
  /** cells of a sparse tile */
  readonly capacity: number
  /** What the coordinates of dimensions without filters go through. */
  readonly coordsFilters: FilterPipeline
  /** What the offsets of var-sized cells go through. */
  readonly offsetsFilters: FilterPipeline
  /** What the validity of nullable cells goes through. */
  readonly validityFilters: FilterPipeline
  /** The dimensions, in their order. */
  readonly dimensions: ReadonlyArray<Dimension>
  /** The attributes, in their order. */
  readonly attributes: ReadonlyArray<Attribute>
  /** Other names for the coordinates of dimensions. */
  readonly dimensionLabels: ReadonlyArray<DimensionLabel>
  /** Where the values of enumerated attributes lie. */
  readonly enumerations: ReadonlyArray<EnumerationReference>
  /** The part of the domain in which cells may lie. */
  readonly currentDomain: CurrentDomain
}

/**
 * A schema, at the version that it says itself. To read one of unknown version use {@link decodeArraySchema}. Format:
 * `array_schema.md`.
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
 * Decodes the unfiltered bytes of the schema file `uri` by the version that they begin with; throws `FormatError`, for
 * versions too that nobody knows.
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
