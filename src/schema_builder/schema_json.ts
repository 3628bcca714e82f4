/**
 * The JSON form of schemas.
 */
import * as Schema from "effect/Schema"
import { type Datatype, datatypes } from "../../schema/array/datatype.ts"
import type { Filter } from "../../schema/array/filter.ts"
import type { CellJson, HexJson } from "../../schema/array/scalar.ts"
import type { CellOrder, TileOrder } from "./schema_value.ts"

/** A filter: its name and options. Omitted options have their defaults. */
export type FilterJson = { readonly type: Filter["type"] } & { readonly [option: string]: unknown }

/** Filters in the order of application; with a chunk size if it differs from the default. */
export type FiltersJson =
  | ReadonlyArray<FilterJson>
  | { readonly maxChunkSize: number; readonly filters: ReadonlyArray<FilterJson> }

/** A bound of a range. */
export type BoundJson = number | string | HexJson

/** A dimension. */
export interface DimensionJson {
  /** The name. */
  readonly name: string
  /** The datatype of the coordinates. */
  readonly type: Datatype
  /** The inclusive bounds; text dimensions have no domain. */
  readonly domain?: readonly [low: number | string, high: number | string]
  /** The tile extent. Default: the whole domain. */
  readonly tile?: number | string
  /** The filters of the coordinates. Default: `coordsFilters` of the schema. */
  readonly filters?: FiltersJson
}

/** An attribute. */
export interface AttributeJson {
  /** The name. */
  readonly name: string
  /** The datatype of the values. */
  readonly type: Datatype
  /** The number of values per cell. Default: 1, and `"var"` for text and bytes. */
  readonly cellValNum?: number | "var"
  /** Whether cells may be null. Default: false. */
  readonly nullable?: boolean
  /** The filters of the cells. Default: no filters. */
  readonly filters?: FiltersJson
  /** The fill value, a cell. Default: the fill value of the datatype. */
  readonly fill?: CellJson
  /** For nullable attributes: whether unwritten cells have the fill value. Default: false, they are null. */
  readonly fillValid?: boolean
  /** The order of the values of labels. */
  readonly order?: "increasing" | "decreasing"
  /** The name of the enumeration whose values the cells are codes of. */
  readonly enumeration?: string
}

/** An enumeration. */
export interface EnumerationJson {
  /** The name. */
  readonly name: string
  /** The datatype of the values. */
  readonly type: Datatype
  /** The number of elements per value. Default: 1, and `"var"` for text. */
  readonly cellValNum?: number | "var"
  /** Whether the values are ordered. Default: false. */
  readonly ordered?: boolean
  /** The values, in the order of their codes. */
  readonly values: ReadonlyArray<CellJson>
}

/** A dimension label. */
export interface LabelJson {
  /** The name. */
  readonly name: string
  /** The name of the dimension. */
  readonly dim: string
  /** The datatype of the labels. */
  readonly type: Datatype
  /** Whether the labels are increasing or decreasing. */
  readonly order: "increasing" | "decreasing"
  /** The filters of the labels. */
  readonly filters?: ReadonlyArray<FilterJson>
}

/**
 * A schema, with the names of the builder's options. Fields are lists, which preserves their order; omitted options
 * have the builder's defaults. Values are as everywhere in JSON: 64-bit values, dates and times as strings (dates may
 * be ISO text), non-finite floats as `"NaN"`, `"Infinity"` and `"-Infinity"`, text as a string, and bytes that are not
 * text as `{"hex": …}`.
 */
export interface SchemaJson {
  /** Dense or sparse. */
  readonly arrayType: "dense" | "sparse"
  /** The dimensions. */
  readonly dims: ReadonlyArray<DimensionJson>
  /** The attributes. */
  readonly attrs: ReadonlyArray<AttributeJson>
  /** The order of the cells in a tile. */
  readonly order?: CellOrder
  /** The order of the tiles. */
  readonly tileOrder?: TileOrder
  /** The number of cells in a tile of a sparse array. */
  readonly capacity?: number
  /** Whether a sparse array keeps all cells with the same coordinates. */
  readonly allowsDuplicates?: boolean
  /** The filters of coordinates, for dimensions without filters. */
  readonly coordsFilters?: FiltersJson
  /** The filters of the offsets of var-sized cells. */
  readonly offsetsFilters?: FiltersJson
  /** The filters of the validity of nullable cells. */
  readonly validityFilters?: FiltersJson
  /** The enumerations of the attributes. */
  readonly enumerations?: ReadonlyArray<EnumerationJson>
  /** The current domain by dimension; omitted dimensions have their whole domain. */
  readonly currentDomain?: { readonly [dimension: string]: readonly [low: BoundJson, high: BoundJson] }
  /** The dimension labels. */
  readonly labels?: ReadonlyArray<LabelJson>
}

// these are separate constants, so that bundlers can drop unused parts of the module
const flag = Schema.Boolean
const list = Schema.Array
const Literal = Schema.Literal
const number = Schema.Number
const optional = Schema.optional
const Struct = Schema.Struct
const text = Schema.String
const Tuple = Schema.Tuple
const Union = Schema.Union

const Hex = Struct({ hex: text })
const Value = Union(number, text)
const Cell = Union(number, text, Schema.Null, Hex, list(Value))
const Type = Literal(...datatypes)
// the options are checked later, with the type of the filter
const FilterOptions = Struct({ type: text }, { key: text, value: Schema.Unknown })
const Filters = Union(list(FilterOptions), Struct({ maxChunkSize: number, filters: list(FilterOptions) }))
const CellValNum = Union(number, Literal("var"))

/**
 * The Schema of the JSON form. Whether an array can have the schema is checked separately.
 *
 * ```ts
 * import { ArraySchema } from "@tessera/array"
 * import { assertEquals, assertThrows } from "@std/assert"
 * import * as Schema from "effect/Schema"
 *
 * const json = JSON.parse('{"arrayType": "sparse", "dims": [{"name": "x", "type": "uint8"}], "attrs": []}')
 * assertEquals(Schema.decodeUnknownSync(ArraySchema.SchemaJson)(json).dims[0].name, "x")
 * assertThrows(() => Schema.decodeUnknownSync(ArraySchema.SchemaJson)({ arrayType: "round" }), Error, "arrayType")
 * ```
 */
export const SchemaJson: Schema.Schema<SchemaJson> = Struct({
  arrayType: Literal("dense", "sparse"),
  dims: list(
    Struct({
      name: text,
      type: Type,
      domain: optional(Tuple(Value, Value)),
      tile: optional(Value),
      filters: optional(Filters),
    }),
  ),
  attrs: list(
    Struct({
      name: text,
      type: Type,
      cellValNum: optional(CellValNum),
      nullable: optional(flag),
      filters: optional(Filters),
      fill: optional(Cell),
      fillValid: optional(flag),
      order: optional(Literal("increasing", "decreasing")),
      enumeration: optional(text),
    }),
  ),
  order: optional(Literal("row-major", "col-major", "hilbert")),
  tileOrder: optional(Literal("row-major", "col-major")),
  capacity: optional(number),
  allowsDuplicates: optional(flag),
  coordsFilters: optional(Filters),
  offsetsFilters: optional(Filters),
  validityFilters: optional(Filters),
  enumerations: optional(
    list(
      Struct({
        name: text,
        type: Type,
        cellValNum: optional(CellValNum),
        ordered: optional(flag),
        values: list(Cell),
      }),
    ),
  ),
  currentDomain: optional(
    Schema.Record({ key: text, value: Tuple(Union(number, text, Hex), Union(number, text, Hex)) }),
  ),
  labels: optional(
    list(Struct({
      name: text,
      dim: text,
      type: Type,
      order: Literal("increasing", "decreasing"),
      filters: optional(list(FilterOptions)),
    })),
  ),
}) as unknown as Schema.Schema<SchemaJson>
