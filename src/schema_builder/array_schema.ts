/**
 * Schemas from literals, columns, rows and JSON: what `ArraySchema` offers without an open array.
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
import { pipelineOf } from "./filter.ts"
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

/** What dense and sparse arrays have in common. */
export interface SchemaOptions<
  D extends Dimensions,
  A extends Attributes,
  L extends LabelsInput<keyof D & string> = LabelsInput<keyof D & string>,
> {
  /** The dimensions, in their order. */
  readonly dims: D
  /** The attributes, in their order. */
  readonly attrs: A
  /** The order of the tiles. Default: `row-major`. */
  readonly tileOrder?: TileOrder
  /** Cells of a tile of a sparse array; dense arrays keep it too. Default: 10,000. */
  readonly capacity?: number
  /** What the coordinates of dimensions without filters go through. Default: `Filter.zstd()`. */
  readonly coordsFilters?: ReadonlyArray<Filter>
  /** What the offsets of var-sized cells go through. Default: `Filter.zstd()`. */
  readonly offsetsFilters?: ReadonlyArray<Filter>
  /** What the validity of nullable cells goes through. Default: `Filter.rle`. */
  readonly validityFilters?: ReadonlyArray<Filter>
  /** What the codes of enumerated attributes stand for, by name: `{ color: ["red", "green"] }`. */
  readonly enumerations?: Readonly<Record<string, EnumerationInput>>
  /**
   * The part of the domain in which cells may lie, as ranges with both ends inclusive; it can grow later. Dimensions of
   * numbers that are not named have their whole domain, dimensions of text must be named. Default: the whole domain.
   */
  readonly currentDomain?: CurrentDomainInput<D>
  /** Other names for the coordinates of dimensions; an array of their own holds each. */
  readonly labels?: L
}

/** What makes a dense array. */
export interface DenseOptions<
  D extends Dimensions,
  A extends Attributes,
  L extends LabelsInput<keyof D & string> = LabelsInput<keyof D & string>,
> extends SchemaOptions<D, A, L> {
  /** The order of the cells in a tile. Default: `row-major`. */
  readonly order?: Exclude<CellOrder, "hilbert">
}

/** What makes a sparse array. */
export interface SparseOptions<
  D extends Dimensions,
  A extends Attributes,
  L extends LabelsInput<keyof D & string> = LabelsInput<keyof D & string>,
> extends SchemaOptions<D, A, L> {
  /** The order of the cells in a tile. Default: `row-major`. */
  readonly order?: CellOrder
  /** Whether cells of the same coordinates are all kept. Default: false, the newest is. */
  readonly allowsDuplicates?: boolean
}

/** The default of `capacity`. */
const CAPACITY = 10_000

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
    capacity: options.capacity ?? CAPACITY,
    allowsDuplicates: options.allowsDuplicates ?? false,
    coordsFilters: pipelineOf(options.coordsFilters ?? [defaults]),
    offsetsFilters: pipelineOf(options.offsetsFilters ?? [defaults]),
    validityFilters: pipelineOf(options.validityFilters ?? [{ type: "rle", level: -1 }]),
    enumerations: Object.fromEntries(
      Object.entries(options.enumerations ?? {}).map(([name, given]) => [name, enumerationValues(name, given)]),
    ),
    currentDomain: currentDomainRanges(dims, options.currentDomain),
    labels: { ...options.labels } as L,
    dimensionLabels: labelStructures(Object.keys(dims), options.labels ?? {}),
  })
}

/**
 * The schema of a dense array. Throws `SchemaError` if no array can have it.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const Weather = ArraySchema.dense({
 *   dims: { day: Dim.int32([1, 366], { tile: 7 }), station: Dim.int32([1, 100], { tile: 10 }) },
 *   attrs: { temperature: Attr.float32(Filter.byteShuffle, Filter.zstd(5)) },
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
 * The schema of a sparse array. Throws `SchemaError` if no array can have it.
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

/** How a schema is made of columns. */
export interface FromColumnsOptions<D extends string = string> {
  /** Sparse arrays: the columns that are coordinates, in the order of the dimensions. */
  readonly dims?: ReadonlyArray<D>
  /** Sparse arrays: domains of dimensions. Default: from the least to the greatest coordinate. */
  readonly domain?: { readonly [Name in D]?: readonly [low: unknown, high: unknown] }
  /** Dense arrays: the lengths of the dimensions, whose coordinates begin with 0: `{ y: 100, x: 200 }`. */
  readonly shape?: Readonly<Record<D, number>>
  /** Dense arrays: how long the tiles are. Default: about 100,000 cells a tile. */
  readonly tile?: { readonly [Name in D]?: number }
  /** What all attributes go through. Default: nothing. */
  readonly filters?: ReadonlyArray<Filter>
}

/**
 * The schema of an array that holds columns which are there: a sparse array if `dims` names those that are coordinates, a
 * dense one with `shape`. Typed arrays say their datatype; lists of texts are `string_utf8`, of numbers `float64`, of bigints
 * `int64`, of booleans `bool` and of Dates `datetime_ms`, and nullable if there is a null among them. Coordinates that are
 * text are ASCII. Throws `SchemaError`, which names the column.
 *
 * ```ts
 * import { ArraySchema, Dense, Filter, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *  * import * as Layer from "effect/Layer"
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
/** The schema of a sparse array: `dims` are the columns that are coordinates. */
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
    throw new SchemaError({ field: "", detail: "give dims for a sparse array, or shape for a dense one" })
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
      if (!Object.hasOwn(columns, name)) throw new SchemaError({ field: name, detail: "there is no such column" })
      return [name, dimensionOfColumn(name, columns[name], domain[name])]
    })),
    attrs,
  })
}

/** How a schema is made of that of rows. */
export interface FromRowsOptions<D extends Dimensions> extends Omit<SparseOptions<D, Attributes>, "attrs"> {
  /** Default: `sparse`. */
  readonly arrayType?: ArrayType
  /** Attributes by the fields that they hold, for those that are not to be as rows say. */
  readonly attrs?: Attributes
  /** What the other attributes go through. Default: nothing. */
  readonly filters?: ReadonlyArray<Filter>
}

/**
 * The schema of an array that holds rows, by the Schema of effect that they have: `dims` are the fields that are coordinates,
 * all others become attributes. What counts is how rows are encoded: numbers become `float64`, those of `Schema.Int` and bigints
 * `int64`, booleans `bool`, texts `string_utf8`, `DateFromSelf` and `DateTimeUtcFromSelf` `datetime_ms`,
 * `Uint8ArrayFromSelf` `blob`, and one of several texts becomes a code of an enumeration of the field's name. What may be null
 * or missing is nullable. Other datatypes, and filters of single attributes, come with `attrs`.
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
 *   attrs: { depth: Attr.nullable(Attr.float32(Filter.zstd())) },
 * })
 * const types = Quakes.attributeNames.map((name) => Quakes.attrs[name].type)
 * assertEquals(types, ["float32", "string_utf8", "uint8"])
 * ```
 */
export function fromRows<A, I, R, D extends Dimensions>(
  rows: Schema.Schema<A, I, R>,
  options: FromRowsOptions<D> & { readonly arrayType: "dense" },
): ArraySchema<"dense", D, Attributes>
/** The schema of a sparse array. */
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
 * Checks a schema by the engine's own rules, and answers it: for those of `fromStructure`, which is lenient with what
 * older engines wrote, and for those that were put together by hand. Throws `SchemaError`.
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
