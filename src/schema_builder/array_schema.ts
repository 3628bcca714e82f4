/**
 * Creates schemas from literals, columns, rows and JSON: the part of `ArraySchema` that needs no open array.
 */
import type * as Schema from "effect/Schema"
import type { ArrayType } from "../../schema/array/array_schema.ts"
import type { Filter } from "../../schema/array/filter.ts"
import { checkSchemaRules } from "./check_rules.ts"
import { type CurrentDomainInput, currentDomainRanges } from "./current_domain.ts"
import { labelStructures } from "./dimension_labels.ts"
import type { LabelsInput, NoLabels } from "./label_input.ts"
import { type EnumerationInput, enumerationValues } from "./enumeration_values.ts"
import {
  type AttributeOfColumn,
  attributeOfColumn,
  checkLengths,
  type ColumnSources,
  type DimensionOfColumn,
  dimensionOfColumn,
  dimensionsOfShape,
} from "./from_columns.ts"
import type { Dimension } from "./dimension.ts"
import { pipelineOf } from "./builder_input.ts"
import { attributesOfRows } from "./from_rows.ts"
import { SchemaError } from "./schema_error.ts"
import type { ArraySchema, Attributes, CellOrder, Dimensions, TileOrder } from "./schema_value.ts"

export type { ArrayType } from "../../schema/array/array_schema.ts"
export type { CurrentDomainInput } from "./current_domain.ts"
export type { LabelInput, LabelsInput, NoLabels } from "./label_input.ts"
export type {
  AttributeOfColumn,
  ColumnSource,
  ColumnSources,
  DatatypeOfColumn,
  DimensionOfColumn,
} from "./from_columns.ts"
export { fromJson } from "./from_json.ts"
export {
  type AttributeJson,
  type BoundJson,
  type DimensionJson,
  type EnumerationJson,
  type FilterJson,
  type FiltersJson,
  type LabelJson,
  SchemaJson,
} from "./schema_json.ts"
export { toJson } from "./to_json.ts"
export type { EnumerationInput, EnumerationList, EnumerationValues } from "./enumeration_values.ts"
export type { ArraySchema, Attributes, CellOrder, Dimensions, TileOrder } from "./schema_value.ts"
export { enumerationsOf, fromStructure, type StructureOptions, toStructure } from "./structure.ts"

/** The common options of dense and sparse arrays. */
export interface SchemaOptions<
  D extends Dimensions,
  A extends Attributes,
  L extends LabelsInput<keyof D & string> = LabelsInput<keyof D & string>,
> {
  /** The dimensions, in schema order. */
  readonly dims: D
  /** The attributes, in schema order. */
  readonly attrs: A
  /** The order of the tiles. Default: `row-major`. */
  readonly tileOrder?: TileOrder
  /** The number of cells in a tile of a sparse array; also stored for dense arrays. Default: 10,000. */
  readonly capacity?: number
  /** The filters of coordinates, for dimensions without filters. Default: `Filter.zstd()`. */
  readonly coordsFilters?: ReadonlyArray<Filter>
  /** The filters of the offsets of var-sized cells. Default: `Filter.zstd()`. */
  readonly offsetsFilters?: ReadonlyArray<Filter>
  /** The filters of the validity of nullable cells. Default: `Filter.rle()`. */
  readonly validityFilters?: ReadonlyArray<Filter>
  /** The values of enumerated attributes, by the name of the enumeration: `{ color: ["red", "green"] }`. */
  readonly enumerations?: Readonly<Record<string, EnumerationInput>>
  /**
   * The part of the domain in which cells may be written, as inclusive ranges; it can be expanded later. Numeric
   * dimensions default to their whole domain; text dimensions are required. Default: the whole domain.
   */
  readonly currentDomain?: CurrentDomainInput<D>
  /** Dimension labels: names for the coordinates of dimensions, each stored in an array of its own. */
  readonly labels?: L
}

/** The options of a dense array. */
export interface DenseOptions<
  D extends Dimensions,
  A extends Attributes,
  L extends LabelsInput<keyof D & string> = LabelsInput<keyof D & string>,
> extends SchemaOptions<D, A, L> {
  /** The order of the cells in a tile. Default: `row-major`. */
  readonly order?: Exclude<CellOrder, "hilbert">
}

/** The options of a sparse array. */
export interface SparseOptions<
  D extends Dimensions,
  A extends Attributes,
  L extends LabelsInput<keyof D & string> = LabelsInput<keyof D & string>,
> extends SchemaOptions<D, A, L> {
  /** The order of the cells in a tile. Default: `row-major`. */
  readonly order?: CellOrder
  /** Keeps all cells with the same coordinates. Default: false, only the newest is kept. */
  readonly allowsDuplicates?: boolean
}

/** The default of `capacity`. */
const DEFAULT_CAPACITY = 10_000

const make = <
  K extends ArrayType,
  D extends Dimensions,
  A extends Attributes,
  L extends LabelsInput<keyof D & string> = NoLabels,
>(
  arrayType: K,
  options: SparseOptions<D, A, L>,
): ArraySchema<K, D, A, L> => {
  const { dims, attrs } = options
  const defaults: Filter = { type: "zstd", level: -1 }
  return checkSchemaRules({
    arrayType,
    dims: { ...dims },
    attrs: { ...attrs },
    dimensionNames: Object.keys(dims),
    attributeNames: Object.keys(attrs),
    order: options.order ?? "row-major",
    tileOrder: options.tileOrder ?? "row-major",
    capacity: options.capacity ?? DEFAULT_CAPACITY,
    allowsDuplicates: options.allowsDuplicates ?? false,
    coordsFilters: pipelineOf(options.coordsFilters ?? [defaults]),
    offsetsFilters: pipelineOf(options.offsetsFilters ?? [defaults]),
    validityFilters: pipelineOf(options.validityFilters ?? [{ type: "rle", level: -1 }]),
    enumerations: Object.fromEntries(
      Object.entries(options.enumerations ?? {}).map(([name, input]) => [name, enumerationValues(name, input)]),
    ),
    currentDomain: currentDomainRanges(dims, options.currentDomain),
    labels: { ...options.labels } as L,
    dimensionLabels: labelStructures(Object.keys(dims), options.labels ?? {}),
  })
}

/**
 * Creates the schema of a dense array. Throws `SchemaError` if the schema is invalid.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const Weather = ArraySchema.dense({
 *   dims: { day: Dim.int32([1, 366], { tile: 7 }), station: Dim.int32([1, 100], { tile: 10 }) },
 *   attrs: { temperature: Attr.float32({ filters: [Filter.byteshuffle(), Filter.zstd({ level: 5 })] }) },
 * })
 * assertEquals(Weather.dimensionNames, ["day", "station"])
 * ```
 */
export const dense = <
  D extends Dimensions,
  A extends Attributes,
  L extends LabelsInput<keyof D & string> = NoLabels,
>(
  options: DenseOptions<D, A, L>,
): ArraySchema<"dense", D, A, L> => make("dense", options)

/**
 * Creates the schema of a sparse array. Throws `SchemaError` if the schema is invalid.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const Quakes = ArraySchema.sparse({
 *   order: "hilbert",
 *   dims: { lat: Dim.float64([-90, 90]), lon: Dim.float64([-180, 180]) },
 *   attrs: { depth: Attr.float32() },
 * })
 * assertEquals([Quakes.order, Quakes.capacity], ["hilbert", 10_000])
 * ```
 */
export const sparse = <
  D extends Dimensions,
  A extends Attributes,
  L extends LabelsInput<keyof D & string> = NoLabels,
>(
  options: SparseOptions<D, A, L>,
): ArraySchema<"sparse", D, A, L> => make("sparse", options)

/** The options of `fromColumns`. */
export interface FromColumnsOptions<D extends string = string> {
  /** Sparse arrays: the columns with coordinates, in the order of the dimensions. */
  readonly dims?: ReadonlyArray<D>
  /** Sparse arrays: the domains of dimensions. Default: from the smallest to the largest coordinate. */
  readonly domain?: { readonly [Name in D]?: readonly [low: unknown, high: unknown] }
  /** Dense arrays: the lengths of the dimensions, whose coordinates start at 0: `{ y: 100, x: 200 }`. */
  readonly shape?: Readonly<Record<D, number>>
  /** Dense arrays: the tile extents. Default: about 100,000 cells per tile. */
  readonly tile?: { readonly [Name in D]?: number }
  /** The filters of all attributes. Default: no filters. */
  readonly filters?: ReadonlyArray<Filter>
}

/**
 * Creates the schema of an array for existing columns: a sparse array if `dims` names the columns with coordinates, a
 * dense one with `shape`. The datatype follows from the typed array; lists of texts are `string_utf8`, of numbers
 * `float64`, of bigints `int64`, of booleans `bool` and of Dates `datetime_ms`, and nullable if they contain null. Text
 * coordinates are ASCII. Throws `SchemaError`, which names the column.
 *
 * ```ts
 * import { ArraySchema, Dense, Filter, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const columns = { height: Float32Array.of(1, 2, 3, 4, 5, 6), name: ["a", "b", null, "d", "e", "f"] }
 * const schema = ArraySchema.fromColumns(columns, { shape: { y: 2, x: 3 }, filters: [Filter.zstd()] })
 * const program = Effect.gen(function* () {
 *   const array = yield* TileArray.create("mem://heights", schema)
 *   yield* Dense.write(array, {}, columns)
 *   return (yield* Dense.read(yield* TileArray.reopen(array), { region: { x: 1 } })).columns.height
 * })
 * const heights = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(heights, Float32Array.of(2, 5))
 * ```
 */
export function fromColumns<C extends ColumnSources, D extends string>(
  columns: C,
  options: FromColumnsOptions<D> & { readonly shape: Readonly<Record<D, number>> },
): ArraySchema<
  "dense",
  { readonly [Name in D]: Dimension<"int32"> },
  { readonly [Name in keyof C]: AttributeOfColumn<C[Name]> },
  NoLabels
>
/** Creates the schema of a sparse array: `dims` are the columns with coordinates. */
export function fromColumns<C extends ColumnSources, D extends keyof C & string>(
  columns: C,
  options: FromColumnsOptions<D> & { readonly dims: ReadonlyArray<D> },
): ArraySchema<
  "sparse",
  { readonly [Name in D]: DimensionOfColumn<C[Name]> },
  { readonly [Name in Exclude<keyof C, D>]: AttributeOfColumn<C[Name]> },
  NoLabels
>
export function fromColumns(columns: ColumnSources, options: FromColumnsOptions): ArraySchema {
  const { dims, domain = {}, shape, tile = {}, filters = [] } = options
  if ((dims === undefined) === (shape === undefined)) {
    throw new SchemaError({
      field: "",
      reason: "Missing",
      detail: "dims (for a sparse array) or shape (for a dense one) is required",
    })
  }
  const attrs = Object.fromEntries(
    Object.entries(columns).filter(([name]) => dims === undefined || !dims.includes(name)).map((
      [name, column],
    ) => [name, attributeOfColumn(name, column, filters)]),
  )
  if (shape !== undefined) {
    checkLengths(columns, Object.values(shape).reduce((cells, length) => cells * length, 1))
    return dense({ dims: dimensionsOfShape(shape, tile as Readonly<Record<string, number>>), attrs })
  }
  checkLengths(columns, undefined)
  return sparse({
    dims: Object.fromEntries(dims!.map((name) => {
      if (!Object.hasOwn(columns, name)) {
        throw new SchemaError({ field: name, reason: "UnknownName", detail: "no such column" })
      }
      return [name, dimensionOfColumn(name, columns[name], domain[name])]
    })),
    attrs,
  })
}

/** The options of `fromRows`. */
export interface FromRowsOptions<D extends Dimensions> extends Omit<SparseOptions<D, Attributes>, "attrs"> {
  /** Dense or sparse. Default: `sparse`. */
  readonly arrayType?: ArrayType
  /** Attributes by field name, to override the attributes derived from the rows. */
  readonly attrs?: Attributes
  /** The filters of the other attributes. Default: no filters. */
  readonly filters?: ReadonlyArray<Filter>
}

/**
 * Creates the schema of an array for rows, from the Schema of effect of the rows: `dims` are the fields with
 * coordinates; all other fields become attributes. The encoded side of the Schema counts: numbers become `float64`,
 * `Schema.Int` and bigints `int64`, booleans `bool`, texts `string_utf8`, `DateFromSelf` and `DateTimeUtcFromSelf`
 * `datetime_ms`, `Uint8ArrayFromSelf` `blob`, and a union of texts becomes the codes of an enumeration with the name of
 * the field. Fields that may be null or missing are nullable. Use `attrs` for other datatypes, and for filters of
 * single attributes.
 *
 * `writeRows` of `Sparse` and `Dense` writes such rows, `rows` reads them. Throws `SchemaError`, which names the field.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Schema from "effect/Schema"
 *
 * class Quake extends Schema.Class<Quake>("Quake")({
 *   lat: Schema.Number,
 *   lon: Schema.Number,
 *   depth: Schema.NullOr(Schema.Number),
 *   place: Schema.NonEmptyString,
 *   scale: Schema.Literal("mw", "ml"),
 * }) {}
 * const Quakes = ArraySchema.fromRows(Quake, {
 *   order: "hilbert",
 *   dims: { lat: Dim.float64([-90, 90]), lon: Dim.float64([-180, 180]) },
 *   attrs: { depth: Attr.nullable(Attr.float32({ filters: [Filter.zstd()] })) },
 * })
 * const types = Quakes.attributeNames.map((name) => Quakes.attrs[name].type)
 * assertEquals(types, ["float32", "string_utf8", "uint8"])
 * ```
 */
export function fromRows<A, I, R, D extends Dimensions>(
  rows: Schema.Schema<A, I, R>,
  options: FromRowsOptions<D> & { readonly arrayType: "dense" },
): ArraySchema<"dense", D, Attributes>
/** Creates the schema of a sparse array. */
export function fromRows<A, I, R, D extends Dimensions>(
  rows: Schema.Schema<A, I, R>,
  options: FromRowsOptions<D> & { readonly arrayType?: "sparse" },
): ArraySchema<"sparse", D, Attributes>
export function fromRows<A, I, R, D extends Dimensions>(
  rows: Schema.Schema<A, I, R>,
  { arrayType = "sparse", attrs = {}, filters = [], ...options }: FromRowsOptions<D>,
): ArraySchema {
  const fields = attributesOfRows(rows, Object.keys(options.dims), attrs, filters)
  return make(arrayType, {
    ...options,
    attrs: fields.attrs,
    enumerations: { ...fields.enumerations, ...options.enumerations },
  })
}

/**
 * Checks a schema by the engine's rules, and returns it. Use it after `fromStructure`, which accepts schemas of older
 * engines that break these rules, and for schemas built without `dense` and `sparse`. Throws `SchemaError`.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, SchemaError } from "@tessera/array"
 * import { assertThrows } from "@std/assert"
 *
 * const schema = ArraySchema.sparse({ dims: { x: Dim.int32([0, 9]) }, attrs: { a: Attr.int8() } })
 * assertThrows(() => ArraySchema.check({ ...schema, capacity: 0 }), SchemaError)
 * ```
 */
export const check = <S extends ArraySchema>(schema: S): S => checkSchemaRules(schema)
