/**
 * Types of columns and boxes to write, derived from a schema.
 *
 * @module
 */
import type { Attribute } from "../../schema_builder/attribute.ts"
import type {
  ArrayOf,
  CoordinateOf,
  DatetimeType,
  TextType,
  TimeType,
  ValueOf,
} from "../../schema_builder/datatype_values.ts"
import type { Dimension } from "../../schema_builder/dimension.ts"
import type { ArraySchema } from "../../schema_builder/schema_value.ts"
import type { Datatype } from "../../../schema/array/datatype.ts"
import type { CellInput, ColumnInput, EnumerationValueInput } from "../input/column_input.ts"

/** One value: datetimes as `Date`, ISO text or count; 64-bit integers as number or bigint. */
export type ValueInputOf<T extends Datatype> = T extends DatetimeType ? Date | bigint | string
  : T extends TimeType ? bigint | string
  : T extends "int64" | "uint64" ? number | bigint
  : T extends "bool" ? boolean | number
  : ValueOf<T>

/** A non-null cell: a value, a text, or a list of values. */
export type FullCell<T extends Datatype, C extends number | "var"> = C extends 1 ? ValueInputOf<T>
  : (T extends TextType ? string : never) | ArrayOf<T> | ReadonlyArray<ValueInputOf<T>>

/** Buffers of a field; validity is required for nullable fields and not allowed for others. */
export type Buffers<T extends Datatype, N extends boolean, C extends number | "var"> =
  & { readonly values: ArrayOf<T> | (T extends "char" ? Uint8Array : never) }
  & (C extends "var" ? { readonly offsets: Uint32Array } : { readonly offsets?: undefined })
  & (N extends true ? { readonly validity: Uint8Array } : { readonly validity?: undefined })

/** The cells of an attribute by value, if it has an enumeration: texts, or `{ byValue: [...] }`. */
export type ByValue<N extends boolean, E extends string> = E extends "" ? never
  :
    | ReadonlyArray<string | (N extends true ? null : never)>
    | { readonly byValue: ReadonlyArray<NonNullable<EnumerationValueInput> | (N extends true ? null : never)> }

/** The cells of one field: buffers as reads return them, or a list with one entry per cell. */
export type ColumnInputOf<F> = F extends Attribute<infer T, infer N, infer C, infer E> ?
    | (C extends "var" ? never : N extends true ? never : ArrayOf<T>)
    | Buffers<T, N, C>
    | ReadonlyArray<FullCell<T, C> | (N extends true ? null : never)>
    | ByValue<N, E>
  : F extends Dimension<infer T>
    ? T extends "string_ascii" ? Buffers<T, false, "var"> | ReadonlyArray<string | Uint8Array>
    : ArrayOf<T> | Buffers<T, false, 1> | ReadonlyArray<ValueInputOf<T>>
  : never

/** The cells of all attributes, by name; any names without a schema. */
export type AttributeColumns<S extends ArraySchema | undefined> = S extends ArraySchema
  ? { readonly [Name in keyof S["attrs"]]: ColumnInputOf<S["attrs"][Name]> }
  : Readonly<Record<string, ColumnInput>>

/** The cells of all dimensions and attributes, by name. */
export type CellColumns<S extends ArraySchema | undefined> = S extends ArraySchema ?
    & { readonly [Name in keyof S["dims"]]: ColumnInputOf<S["dims"][Name]> }
    & { readonly [Name in keyof S["attrs"]]: ColumnInputOf<S["attrs"][Name]> }
  : Readonly<Record<string, ColumnInput>>

/** Labels to write, by name. */
export type LabelInputs<S extends ArraySchema | undefined> = S extends ArraySchema
  ? { readonly [Name in keyof S["labels"]]?: ColumnInput }
  : Readonly<Record<string, ColumnInput>>

/**
 * Labels in addition to the columns of a write. Empty if names are unknown: TypeScript evaluates that case for every
 * write, and it would take a minute to intersect all kinds of columns with all kinds of labels.
 */
export type LabelsBeside<S extends ArraySchema | undefined> = S extends ArraySchema
  ? string extends keyof S["labels"] ? unknown : LabelInputs<S>
  : unknown

/** One bound of a box. */
export type Coordinate = number | bigint | string | Date

/** A box: for each dimension a value or a range, both ends inclusive; default: the whole domain. */
export type BoxOf<S extends ArraySchema | undefined> = S extends ArraySchema ? {
    readonly [Name in keyof S["dims"]]?:
      | CoordinateOf<S["dims"][Name]["type"]>
      | readonly [low: CoordinateOf<S["dims"][Name]["type"]>, high: CoordinateOf<S["dims"][Name]["type"]>]
  }
  : Readonly<Record<string, Coordinate | readonly [low: Coordinate, high: Coordinate]>>

export type { CellInput, ColumnInput }
