/**
 * Derives schemas from existing columns: their types determine the datatypes of the fields.
 */
import {
  type ArrayByStorage,
  type Datatype,
  type DatatypeStorage,
  storageOfArray,
  type TypedArray,
} from "../../schema/array/datatype.ts"
import type { Filter } from "../../schema/array/filter.ts"
import type { Scalar } from "../../schema/array/scalar.ts"
import type { DimensionType } from "./datatype_values.ts"
import { type Attribute, nullable, of as attributeOf } from "./attribute.ts"
import { ascii, type Dimension, int32, of as dimensionOf } from "./dimension.ts"
import { SchemaError, type SchemaReason } from "./schema_error.ts"

/** A column: a typed array, or a list of values of one type; if it contains `null`, the attribute is nullable. */
export type ColumnSource = TypedArray | ReadonlyArray<string | number | bigint | boolean | Date | null>

/** Columns by name. */
export type ColumnSources = Readonly<Record<string, ColumnSource>>

type OfArray<C> = { [T in DatatypeStorage]: C extends ArrayByStorage[T] ? T : never }[DatatypeStorage]

type OfValue<V> = [V] extends [string] ? "string_utf8"
  : [V] extends [number] ? "float64"
  : [V] extends [bigint] ? "int64"
  : [V] extends [boolean] ? "bool"
  : [V] extends [Date] ? "datetime_ms"
  : Datatype

type ItemOf<C> = C extends ReadonlyArray<infer V> ? V : never

/** The datatype of an attribute for a column. */
export type DatatypeOfColumn<C> = C extends TypedArray ? OfArray<C> : OfValue<NonNullable<ItemOf<C>>>

/** The attribute for a column. */
export type AttributeOfColumn<C> = Attribute<
  DatatypeOfColumn<C>,
  C extends TypedArray ? false : null extends ItemOf<C> ? true : false,
  DatatypeOfColumn<C> extends "string_utf8" ? "var" : 1
>

/** The dimension for a column of coordinates. */
export type DimensionOfColumn<C> = Dimension<
  DatatypeOfColumn<C> extends "string_utf8" ? "string_ascii" : Extract<DatatypeOfColumn<C>, DimensionType>
>

const kinds: ReadonlyArray<readonly [is: (value: unknown) => boolean, type: Datatype]> = [
  [(value) => typeof value === "string", "string_utf8"],
  [(value) => typeof value === "number", "float64"],
  [(value) => typeof value === "bigint", "int64"],
  [(value) => typeof value === "boolean", "bool"],
  [(value) => value instanceof Date, "datetime_ms"],
]

/** Returns the datatype of a column, and whether it contains null. Throws {@link SchemaError}. */
const kindOf = (name: string, column: ColumnSource): { readonly type: Datatype; readonly nulls: boolean } => {
  const refuse = (reason: SchemaReason, detail: string): never => {
    throw new SchemaError({ field: name, reason, detail })
  }
  if (ArrayBuffer.isView(column)) {
    const type = storageOfArray(column)
    return {
      type: type ?? refuse("WrongType", `${column.constructor.name} is not supported as a column`),
      nulls: false,
    }
  }
  if (!Array.isArray(column)) return refuse("WrongType", "a column is a typed array or a list of values")
  const values = column.filter((value) => value !== null)
  const kind = kinds.find(([is]) => values.length > 0 && is(values[0]))
  if (kind === undefined) {
    return refuse("Missing", "the datatype is unknown because the column has no values; specify an attribute")
  }
  const [is, type] = kind
  const odd = values.findIndex((value) => !is(value))
  if (odd >= 0) refuse("WrongType", `the values have several types: ${String(values[0])} and ${String(values[odd])}`)
  return { type, nulls: values.length < column.length }
}

/** Returns the attribute for a column. Throws {@link SchemaError}. */
export const attributeOfColumn = (name: string, column: ColumnSource, filters: ReadonlyArray<Filter>): Attribute => {
  const { type, nulls } = kindOf(name, column)
  const attribute = attributeOf(type, { filters })
  return nulls ? nullable(attribute) : attribute
}

const valueOf = (value: unknown): Scalar => value instanceof Date ? BigInt(value.getTime()) : value as Scalar

/**
 * Returns the dimension for a column of coordinates, with a domain from the smallest to the largest. Throws
 * {@link SchemaError}.
 */
export const dimensionOfColumn = (
  name: string,
  column: ColumnSource,
  domain: readonly [unknown, unknown] | undefined,
): Dimension => {
  const { type, nulls } = kindOf(name, column)
  const refuse = (reason: SchemaReason, detail: string): never => {
    throw new SchemaError({ field: name, reason, detail })
  }
  if (nulls) refuse("InvalidValue", "coordinates must not be null")
  if (type === "string_utf8") return ascii()
  if (type === "bool") refuse("WrongType", "coordinates cannot be booleans")
  if (domain !== undefined) return dimensionOf(type as "int64", domain as never)
  if (column.length === 0) {
    refuse("Missing", "the domain is unknown because there are no coordinates; specify the domain")
  }
  let low = valueOf(column[0])
  let high = low
  for (const coordinate of column as Iterable<unknown>) {
    const value = valueOf(coordinate)
    if (value < low) low = value
    if (value > high) high = value
    if (Number.isNaN(value)) refuse("InvalidValue", "a coordinate is NaN")
  }
  return dimensionOf(type as "int64", [low, high] as never)
}

/** Target number of cells in a tile of a dense array without tile extents. */
const TARGET_TILE_CELLS = 100_000

/** Returns the dimensions of a box that starts at 0. Throws {@link SchemaError}. */
export const dimensionsOfShape = (
  shape: Readonly<Record<string, number>>,
  tile: Readonly<Record<string, number>>,
): Record<string, Dimension<"int32">> => {
  const lengths = Object.entries(shape)
  // the same extent in all dimensions, limited by their lengths
  const side = Math.max(1, Math.floor(TARGET_TILE_CELLS ** (1 / Math.max(1, lengths.length))))
  return Object.fromEntries(lengths.map(([name, length]) => {
    if (!Number.isInteger(length) || length < 1) {
      throw new SchemaError({ field: name, reason: "InvalidValue", detail: `invalid dimension length ${length}` })
    }
    return [name, int32([0, length - 1], { tile: tile[name] ?? Math.min(length, side) })]
  }))
}

/** Checks that all columns have the same number of cells. Throws {@link SchemaError}. */
export const checkLengths = (columns: ColumnSources, required: number | undefined): void => {
  const [first, ...others] = Object.entries(columns)
  const cells = required ?? first?.[1].length
  for (const [name, { length }] of required === undefined ? others : [first, ...others]) {
    if (length === cells) continue
    const whose = required === undefined ? `${JSON.stringify(first[0])} has` : "the shape has"
    throw new SchemaError({ field: name, reason: "WrongLength", detail: `it has ${length} cells, ${whose} ${cells}` })
  }
}
