/**
 * Types of columns derived from a schema: plain buffers.
 *
 * @module
 */
import type * as DateTime from "effect/DateTime"
import type { Datatype, TypedArray } from "../../../schema/array/datatype.ts"
import type { Attribute } from "../../schema_builder/attribute.ts"
import type { ArrayOf, CoordinateOf, DatetimeType } from "../../schema_builder/datatype_values.ts"
import type { Dimension } from "../../schema_builder/dimension.ts"
import type { ArraySchema } from "../../schema_builder/schema_value.ts"
import type { Column } from "./column.ts"
import type { RangeInput, RegionInput } from "../selection/range_input.ts"

/** The schema that an array was opened with, or undefined. */
export type Declared = ArraySchema | undefined

/** Nullable cells. */
export interface NullableColumn<A> {
  /** All values; the value of a null cell is undefined. */
  readonly values: A
  /** 1 for a value, 0 for null. */
  readonly validity: Uint8Array
}

/** Var-sized cells. */
export interface VarColumn<A> {
  /** Values of all cells, concatenated. */
  readonly values: A
  /**
   * Positions in `values`, one more than the number of cells: cell `i` is `values[offsets[i]] … values[offsets[i + 1] −
   * 1]`.
   */
  readonly offsets: Uint32Array
}

/** Nullable var-sized cells. */
export interface NullableVarColumn<A> extends VarColumn<A> {
  /** 1 for a value, 0 for null. */
  readonly validity: Uint8Array
}

/**
 * Form of datetimes: `"bigint"` – the count of their unit; `"date"` – `Date`; `"datetime"` – Effect's `DateTime.Utc`.
 */
export type TimeForm = "bigint" | "date" | "datetime"

/** Converted datetimes; `null` for a null cell and for NaT. */
export type DatesOf<T extends TimeForm> = ReadonlyArray<(T extends "date" ? Date : DateTime.Utc) | null>

/** The buffers of an attribute: values, offsets for var-sized cells, validity for nullable cells. */
export type AttributeColumn<D extends Datatype, N extends boolean, C extends number | "var"> = C extends "var"
  ? N extends true ? NullableVarColumn<ArrayOf<D>> : VarColumn<ArrayOf<D>>
  : N extends true ? NullableColumn<ArrayOf<D>>
  : ArrayOf<D>

/** The column of one field. */
export type ColumnOf<F, T extends TimeForm = "bigint"> = F extends Attribute<infer D, infer N, infer C>
  ? [T, D, C] extends ["date" | "datetime", DatetimeType, 1] ? DatesOf<T> : AttributeColumn<D, N, C>
  : F extends Dimension<infer D> ? D extends "string_ascii" ? VarColumn<Uint8Array>
    : [T, D] extends ["date" | "datetime", DatetimeType] ? DatesOf<T>
    : ArrayOf<D>
  : never

/** The field with a name. */
export type FieldOf<S extends Declared, Name extends string> = S extends ArraySchema
  ? Name extends Timestamps ? Attribute<"uint64", false, 1, "">
  : Name extends keyof S["attrs"] ? S["attrs"][Name]
  : Name extends keyof S["dims"] ? S["dims"][Name]
  : never
  : never

/** Names of a schema's dimensions and attributes; any string without a schema. */
export type FieldName<S extends Declared> = S extends ArraySchema ? (keyof S["dims"] | keyof S["attrs"]) & string
  : string

/** Write times of the cells of sparse arrays, in milliseconds since 1970: a field that can be selected. */
export type Timestamps = "__timestamps"

/** Fields that can be selected in a sparse array. */
export type SparseField<S extends Declared> = FieldName<S> | Timestamps

/** Names of a schema's attributes. */
export type AttributeName<S extends Declared> = S extends ArraySchema ? keyof S["attrs"] & string : string

/** Columns of an array that was opened without a schema: they carry their types at run time. */
export interface UntypedColumns {
  /** The column of a field. */
  readonly [field: string]: Column
}

/** The columns of the selected fields: buffers with a schema, {@link Column}s without. */
export type ColumnsOf<S extends Declared, K extends string, T extends TimeForm> = S extends ArraySchema
  ? { readonly [Name in K]: ColumnOf<FieldOf<S, Name>, T> }
  : UntypedColumns

/** Ranges by dimension or label, in the datatypes of the schema. */
export type RegionOf<S extends Declared> = S extends ArraySchema ?
    & { readonly [Name in keyof S["dims"]]?: RangeInput<CoordinateOf<S["dims"][Name]["type"]>> }
    & { readonly [Name in keyof S["labels"]]?: RangeInput<CoordinateOf<S["labels"][Name]["type"]>> }
  : RegionInput

/** Caller's memory for the fixed-size cells of one field. */
export type BufferOf<F> = F extends Attribute<infer D, infer N, infer C>
  ? C extends "var" ? never : N extends true ? NullableColumn<ArrayOf<D>> : ArrayOf<D>
  : F extends Dimension<infer D> ? D extends "string_ascii" ? never : ArrayOf<D>
  : never

/** Caller's memory for the cells of any fixed-size field; nullable fields include validity. */
export type ColumnBuffer = TypedArray | NullableColumn<TypedArray>

/** Caller's memory for fixed-size fields, by name. */
export type BuffersOf<S extends Declared, K extends string> = S extends ArraySchema
  ? { readonly [Name in K]?: BufferOf<FieldOf<S, Name>> }
  : Readonly<Record<string, ColumnBuffer>>
