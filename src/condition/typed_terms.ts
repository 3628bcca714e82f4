/**
 * What conditions may compare, as TypeScript knows it from a schema.
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

/** What values of a datatype are compared with. */
type ComparableOf<D extends Datatype> = D extends "bool" ? boolean | number
  : D extends DatetimeType ? Date | DateTime.Utc | bigint | number | string
  : D extends TimeType ? bigint | number | string
  : D extends "int64" | "uint64" ? number | bigint
  : D extends "int8" | "uint8" | "int16" | "uint16" | "int32" | "uint32" | "float32" | "float64" ? number
  : string | Uint8Array

/** What cells of so many values are compared with: cells of several numbers with nothing. */
type ComparableCell<D extends Datatype, C extends number | "var"> = ComparableOf<D> extends string | Uint8Array
  ? ComparableOf<D>
  : [1] extends [C] ? ComparableOf<D>
  : never

/** What a field is compared with; enumerated attributes with the values of their enumeration, nullable ones with null too. */
type ValueOfField<F> = F extends Attribute<infer D, infer N, infer C extends number | "var", infer E>
  ? ([E] extends [""] ? ComparableCell<D, C> : Exclude<ConditionValue, null>) | (N extends true ? null : never)
  : F extends Dimension<infer D> ? ComparableOf<D>
  : never

type TermsOfFields<Fields> = {
  [Name in keyof Fields & string]: readonly [Name, ValueOfField<Fields[Name]>]
}[keyof Fields & string]

/** What conditions on an array may compare: its fields with values of their datatypes, and anything where no schema is declared. */
export type TermsIn<S extends ArraySchema | undefined> = S extends ArraySchema
  ? TermsOfFields<S["dims"]> | TermsOfFields<S["attrs"]>
  : Term
