/**
 * Schemas that hold columns which are there already: their datatypes say those of the fields.
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
import { SchemaError } from "./schema_error.ts"

/** A column: a typed array, or a list of values of one kind; with `null` among them the attribute is nullable. */
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

/** The datatype of an attribute that holds a column. */
export type DatatypeOfColumn<C> = C extends TypedArray ? OfArray<C> : OfValue<NonNullable<ItemOf<C>>>

/** The attribute that holds a column. */
export type AttributeOfColumn<C> = Attribute<
  DatatypeOfColumn<C>,
  C extends TypedArray ? false : null extends ItemOf<C> ? true : false,
  DatatypeOfColumn<C> extends "string_utf8" ? "var" : 1
>

/** The dimension whose coordinates a column holds. */
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

/** The datatype of a column, and whether there are nulls in it. Throws {@link SchemaError}. */
const kindOf = (name: string, column: ColumnSource): { readonly type: Datatype; readonly nulls: boolean } => {
  const refuse = (reason: string): never => {
    throw new SchemaError({ field: name, detail: reason })
  }
  if (ArrayBuffer.isView(column)) {
    const type = storageOfArray(column)
    return { type: type ?? refuse(`${column.constructor.name} is no array of a datatype`), nulls: false }
  }
  if (!Array.isArray(column)) return refuse("a column is a typed array or a list of values")
  const values = column.filter((value) => value !== null)
  const kind = kinds.find(([is]) => values.length > 0 && is(values[0]))
  if (kind === undefined) {
    return refuse("there is no value that says of which datatype the column is; give it an attribute")
  }
  const [is, type] = kind
  const odd = values.findIndex((value) => !is(value))
  if (odd >= 0) refuse(`its values are of several kinds: ${String(values[0])} and ${String(values[odd])}`)
  return { type, nulls: values.length < column.length }
}

/** The attribute that holds a column. Throws {@link SchemaError}. */
export const attributeOfColumn = (name: string, column: ColumnSource, filters: ReadonlyArray<Filter>): Attribute => {
  const { type, nulls } = kindOf(name, column)
  const attribute = attributeOf(type, ...filters)
  return nulls ? nullable(attribute) : attribute
}

const valueOf = (value: unknown): Scalar => value instanceof Date ? BigInt(value.getTime()) : value as Scalar

/** The dimension whose coordinates a column holds: its domain goes from the least to the greatest. Throws {@link SchemaError}. */
export const dimensionOfColumn = (
  name: string,
  column: ColumnSource,
  domain: readonly [unknown, unknown] | undefined,
): Dimension => {
  const { type, nulls } = kindOf(name, column)
  const refuse = (reason: string): never => {
    throw new SchemaError({ field: name, detail: reason })
  }
  if (nulls) refuse("coordinates are not null")
  if (type === "string_utf8") return ascii()
  if (type === "bool") refuse("booleans are no coordinates")
  if (domain !== undefined) return dimensionOf(type as "int64", domain as never)
  if (column.length === 0) refuse("there is no coordinate that says how far the domain goes; give the domain")
  let low = valueOf(column[0])
  let high = low
  for (const given of column as Iterable<unknown>) {
    const value = valueOf(given)
    if (value < low) low = value
    if (value > high) high = value
    if (Number.isNaN(value)) refuse("a coordinate is NaN, which has no place")
  }
  return dimensionOf(type as "int64", [low, high] as never)
}

/** Cells of a tile of a dense array whose tiles nobody chose. */
const TILE_CELLS = 100_000

/** The dimensions of a box from 0 on. Throws {@link SchemaError}. */
export const dimensionsOfShape = (
  shape: Readonly<Record<string, number>>,
  tile: Readonly<Record<string, number>>,
): Record<string, Dimension<"int32">> => {
  const lengths = Object.entries(shape)
  // all dimensions alike, until one is at its end
  const side = Math.max(1, Math.floor(TILE_CELLS ** (1 / Math.max(1, lengths.length))))
  return Object.fromEntries(lengths.map(([name, length]) => {
    if (!Number.isInteger(length) || length < 1) {
      throw new SchemaError({ field: name, detail: `${length} is no number of coordinates` })
    }
    return [name, int32([0, length - 1], { tile: tile[name] ?? Math.min(length, side) })]
  }))
}

/** Checks that all columns have as many cells. Throws {@link SchemaError}. */
export const checkLengths = (columns: ColumnSources, want: number | undefined): void => {
  const [first, ...others] = Object.entries(columns)
  const cells = want ?? first?.[1].length
  for (const [name, { length }] of want === undefined ? others : [first, ...others]) {
    if (length === cells) continue
    const whose = want === undefined ? `${JSON.stringify(first[0])} has` : "the shape has"
    throw new SchemaError({ field: name, detail: `it has ${length} cells, ${whose} ${cells}` })
  }
}
