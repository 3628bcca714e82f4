/**
 * Columns as TypeScript knows them from a schema: nothing but buffers.
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

/** What may be declared of an array: a schema, or nothing. */
export type Declared = ArraySchema | undefined

/** Cells that may be null. */
export interface NullableColumn<A> {
  /** All values; what stands where a cell is null means nothing. */
  readonly values: A
  /** 1 for a value, 0 for null. */
  readonly validity: Uint8Array
}

/** Cells of any number of values. */
export interface VarColumn<A> {
  /** All values of all cells. */
  readonly values: A
  /** One more than there are cells: cell `i` is `values[offsets[i]] … values[offsets[i + 1] − 1]`. */
  readonly offsets: Uint32Array
}

/** Cells of any number of values that may be null. */
export interface NullableVarColumn<A> extends VarColumn<A> {
  /** 1 for a value, 0 for null. */
  readonly validity: Uint8Array
}

/** What dates are: `"bigint"` – counts of their unit; `"date"` – `Date`; `"datetime"` – `DateTime.Utc` of effect. */
export type TimeForm = "bigint" | "date" | "datetime"

/** Dates; `null` is a null cell, or what NumPy calls "not a time". */
export type DatesOf<T extends TimeForm> = ReadonlyArray<(T extends "date" ? Date : DateTime.Utc) | null>

/** The buffers of an attribute: values, and what says where cells lie and which are null. */
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

/** The field of a name. */
export type FieldOf<S extends Declared, Name extends string> = S extends ArraySchema
  ? Name extends Timestamps ? Attribute<"uint64", false, 1, "">
  : Name extends keyof S["attrs"] ? S["attrs"][Name]
  : Name extends keyof S["dims"] ? S["dims"][Name]
  : never
  : never

/** Names of the dimensions and attributes of a schema; any name where none is declared. */
export type FieldName<S extends Declared> = S extends ArraySchema ? (keyof S["dims"] | keyof S["attrs"]) & string
  : string

/** When cells of sparse arrays were written, in milliseconds since 1970: a field of every cell, if it is selected. */
export type Timestamps = "__timestamps"

/** What may be selected of a sparse array. */
export type SparseField<S extends Declared> = FieldName<S> | Timestamps

/** Names of the attributes of a schema. */
export type AttributeName<S extends Declared> = S extends ArraySchema ? keyof S["attrs"] & string : string

/** The columns of the selected fields: buffers where a schema is declared, {@link Column}s where none is. */
export type ColumnsOf<S extends Declared, K extends string, T extends TimeForm> = S extends ArraySchema
  ? { readonly [Name in K]: ColumnOf<FieldOf<S, Name>, T> }
  : Readonly<Record<string, Column>>

/** Ranges by dimension or by label, in the datatypes of the schema. */
export type RegionOf<S extends Declared> = S extends ArraySchema ?
    & { readonly [Name in keyof S["dims"]]?: RangeInput<CoordinateOf<S["dims"][Name]["type"]>> }
    & { readonly [Name in keyof S["labels"]]?: RangeInput<CoordinateOf<S["labels"][Name]["type"]>> }
  : RegionInput

/** Memory for the fixed-size cells of one field. */
export type BufferOf<F> = F extends Attribute<infer D, infer N, infer C>
  ? C extends "var" ? never : N extends true ? NullableColumn<ArrayOf<D>> : ArrayOf<D>
  : F extends Dimension<infer D> ? D extends "string_ascii" ? never : ArrayOf<D>
  : never

/** Memory for the cells of any field of fixed size: validity only where cells may be null. */
export type ColumnBuffer = TypedArray | NullableColumn<TypedArray>

/** Memory for fields of fixed size, by name. */
export type BuffersOf<S extends Declared, K extends string> = S extends ArraySchema
  ? { readonly [Name in K]?: BufferOf<FieldOf<S, Name>> }
  : Readonly<Record<string, ColumnBuffer>>
