/**
 * The types of comparisons in conditions, derived from a schema.
 *
 * @module
 */
import type * as DateTime from "effect/DateTime"
import type { Datatype } from "../../schema/array/datatype.ts"
import type { Attribute } from "../schema_builder/attribute.ts"
import type { DatetimeType, TimeType } from "../schema_builder/datatype_values.ts"
import type { Dimension } from "../schema_builder/dimension.ts"
import type { ArraySchema } from "../schema_builder/schema_value.ts"
import type { ConditionValue, Term } from "./condition_tree.ts"

/** The types that values of a datatype compare with. */
type ComparableOf<D extends Datatype> = D extends "bool" ? boolean | number
  : D extends DatetimeType ? Date | DateTime.Utc | bigint | number | string
  : D extends TimeType ? bigint | number | string
  : D extends "int64" | "uint64" ? number | bigint
  : D extends "int8" | "uint8" | "int16" | "uint16" | "int32" | "uint32" | "float32" | "float64" ? number
  : string | Uint8Array

/** The types that cells compare with; cells of several numbers cannot be compared. */
type ComparableCell<D extends Datatype, C extends number | "var"> = ComparableOf<D> extends string | Uint8Array
  ? ComparableOf<D>
  : [1] extends [C] ? ComparableOf<D>
  : never

/**
 * The types that a field compares with: values of the enumeration for enumerated attributes, also null for nullable
 * ones.
 */
type ValueOfField<F> = F extends Attribute<infer D, infer N, infer C extends number | "var", infer E>
  ? ([E] extends [""] ? ComparableCell<D, C> : Exclude<ConditionValue, null>) | (N extends true ? null : never)
  : F extends Dimension<infer D> ? ComparableOf<D>
  : never

type TermsOfFields<Fields> = {
  [Name in keyof Fields & string]: readonly [Name, ValueOfField<Fields[Name]>]
}[keyof Fields & string]

/** The terms allowed for an array: its fields with values of their datatypes; without a declared schema, any. */
export type TermsIn<S extends ArraySchema | undefined> = S extends ArraySchema
  ? TermsOfFields<S["dims"]> | TermsOfFields<S["attrs"]>
  : Term
