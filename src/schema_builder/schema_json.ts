/**
 * What schemas look like as JSON.
 */
import * as Schema from "effect/Schema"
import { type Datatype, datatypes } from "../../schema/array/datatype.ts"
import type { Filter } from "../../schema/array/filter.ts"
import type { CellJson, HexJson } from "../../schema/array/scalar.ts"
import type { CellOrder, TileOrder } from "./schema_value.ts"

/** A filter: its name and options, of which those that are left out have their defaults. */
export type FilterJson = { readonly type: Filter["type"] } & { readonly [option: string]: unknown }

/** Filters in their order; with a size of chunks if that is not the usual one. */
export type FiltersJson =
  | ReadonlyArray<FilterJson>
  | { readonly maxChunkSize: number; readonly filters: ReadonlyArray<FilterJson> }

/** One end of a range. */
export type BoundJson = number | string | HexJson

/** A dimension. */
export interface DimensionJson {
  /** The name. */
  readonly name: string
  /** The datatype of the coordinates. */
  readonly type: Datatype
  /** Both ends inclusive; text has none. */
  readonly domain?: readonly [low: number | string, high: number | string]
  /** Default: the whole domain. */
  readonly tile?: number | string
  /** Default: those of the coordinates. */
  readonly filters?: FiltersJson
}

/** An attribute. */
export interface AttributeJson {
  /** The name. */
  readonly name: string
  /** The datatype of the values. */
  readonly type: Datatype
  /** Default: 1, and `"var"` for text and bytes. */
  readonly cellValNum?: number | "var"
  /** Whether cells may be null. Default: no. */
  readonly nullable?: boolean
  /** What the cells go through. Default: nothing. */
  readonly filters?: FiltersJson
  /** A cell. Default: that of the datatype. */
  readonly fill?: CellJson
  /** Nullable attributes: whether unwritten cells hold the fill value. Default: they are null. */
  readonly fillValid?: boolean
  /** Of labels: whether the values run up or down. */
  readonly order?: "increasing" | "decreasing"
  /** The name of the enumeration that the cells are codes of. */
  readonly enumeration?: string
}

/** An enumeration. */
export interface EnumerationJson {
  /** The name. */
  readonly name: string
  /** The datatype of the values. */
  readonly type: Datatype
  /** Default: 1, and `"var"` for text. */
  readonly cellValNum?: number | "var"
  /** Whether the order of the values means something. Default: no. */
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
  /** Whether the labels run up or down. */
  readonly order: "increasing" | "decreasing"
  /** What the labels go through. */
  readonly filters?: ReadonlyArray<FilterJson>
}

/**
 * A schema, in the words of the builder; fields are lists, so that they keep their order, and what is left out is as the
 * builder has it. Values are as everywhere in JSON: 64-bit ones, dates and times as strings (dates may be ISO texts), floats
 * that JSON lacks as `"NaN"`, `"Infinity"` and `"-Infinity"`, text as a string, and bytes that are no text as `{"hex": …}`.
 */
export interface SchemaJson {
  /** Whether every cell has a value, or only some. */
  readonly arrayType: "dense" | "sparse"
  /** The dimensions. */
  readonly dims: ReadonlyArray<DimensionJson>
  /** The attributes. */
  readonly attrs: ReadonlyArray<AttributeJson>
  /** The order of the cells in a tile. */
  readonly order?: CellOrder
  /** The order of the tiles. */
  readonly tileOrder?: TileOrder
  /** Cells of a sparse tile. */
  readonly capacity?: number
  /** Sparse arrays: whether cells of the same coordinates are all kept. */
  readonly allowsDuplicates?: boolean
  /** What the coordinates of dimensions without filters go through. */
  readonly coordsFilters?: FiltersJson
  /** What the offsets of var-sized cells go through. */
  readonly offsetsFilters?: FiltersJson
  /** What the validity of nullable cells goes through. */
  readonly validityFilters?: FiltersJson
  /** The enumerations that attributes name. */
  readonly enumerations?: ReadonlyArray<EnumerationJson>
  /** By dimension; those that are not named have their whole domain. */
  readonly currentDomain?: { readonly [dimension: string]: readonly [low: BoundJson, high: BoundJson] }
  /** The dimension labels. */
  readonly labels?: ReadonlyArray<LabelJson>
}

// one by one, so that bundles leave out what is not used of the module
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
// which options a filter has is checked where its type is known
const FilterOptions = Struct({ type: text }, { key: text, value: Schema.Unknown })
const Filters = Union(list(FilterOptions), Struct({ maxChunkSize: number, filters: list(FilterOptions) }))
const CellValNum = Union(number, Literal("var"))

/**
 * What JSON must look like to be a schema; whether an array can have that schema is another question.
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
