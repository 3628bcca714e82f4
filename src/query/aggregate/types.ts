/**
 * Types of aggregates derived from a schema.
 *
 * @module
 */
import type { Datatype } from "../../../schema/array/datatype.ts"
import type { Attribute } from "../../schema_builder/attribute.ts"
import type { TextType, ValueOf } from "../../schema_builder/datatype_values.ts"
import type { Aggregate, AggregateKind } from "./aggregate.ts"
import type { Declared, FieldName, FieldOf } from "../column/typed_columns.ts"
import type { Query } from "../request/result_types.ts"

/** Aggregates of a schema's fields by result name. Without a schema, any field name is accepted. */
export type AggregatesOf<S extends Declared> = Readonly<
  Record<string, Aggregate<AggregateKind, FieldName<S>> | Aggregate<"count", "">>
>

/** Options of `aggregate`: the selected cells, the groups and the memory budget. */
export interface AggregateOptions<S extends Declared = undefined, B extends FieldName<S> = FieldName<S>>
  extends Pick<Query<S>, "region" | "where" | "outOfBounds" | "at" | "memory"> {
  /**
   * Attributes or dimensions to group by: cells with equal values form a group with its own aggregates. Enumerated
   * cells are grouped by value; nulls form a group too. Default: one group of all cells.
   */
  readonly by?: ReadonlyArray<B>
  /** Maximum number of groups; more fail with `ResultTooLarge`. Default: 65,536. */
  readonly maxGroups?: number
}

/** Options of `distinct`: the selected cells and the maximum number of values. */
export interface DistinctOptions<S extends Declared = undefined>
  extends Pick<Query<S>, "region" | "where" | "outOfBounds" | "at" | "memory"> {
  /** Maximum number of values; more fail with `ResultTooLarge`. Default: 1,048,576. */
  readonly maxValues?: number
}

const SELECTION_OPTIONS: ReadonlyArray<string> = ["region", "where", "outOfBounds", "at", "memory"] satisfies Array<
  keyof AggregateOptions
>

/** Names of the {@link AggregateOptions}. */
export const AGGREGATE_OPTIONS: ReadonlyArray<string> = [...SELECTION_OPTIONS, "by", "maxGroups"]

/** Names of the {@link DistinctOptions}. */
export const DISTINCT_OPTIONS: ReadonlyArray<string> = [...SELECTION_OPTIONS, "maxValues"]

type FloatType = "float32" | "float64"

/** Type of a sum. */
type SumOf<D extends Datatype> = Datatype extends D ? number | bigint : D extends FloatType ? number : bigint

/** Type of a minimum or maximum. */
type ExtremeOf<D extends Datatype> = Datatype extends D ? number | bigint | string | null
  : (D extends TextType ? string : ValueOf<D>) | null

/** Datatype of a field; any datatype without a schema. */
type TypeOf<S extends Declared, F extends string> = FieldOf<S, F> extends { readonly type: infer D extends Datatype }
  ? D
  : Datatype

/** Type of the value of an aggregate. */
export type ValueOfAggregate<S extends Declared, A> = A extends Aggregate<infer K, infer F>
  ? K extends "count" | "nullCount" ? number
  : K extends "mean" ? number | null
  : K extends "sum" ? SumOf<TypeOf<S, F>>
  : ExtremeOf<TypeOf<S, F>>
  : never

/** Type of a group key: string for text, numbers and datetimes as stored, enumeration values for codes. */
export type KeyOf<S extends Declared, F extends string> = FieldOf<S, F> extends
  Attribute<infer D, infer N, number | "var", infer E>
  ? [E] extends [""] ? PlainKey<D> | (N extends true ? null : never) : number | bigint | string | null
  : FieldOf<S, F> extends { readonly type: infer D extends Datatype } ? PlainKey<D>
  : number | bigint | string | null

/** Type of a key without enumeration. */
type PlainKey<D extends Datatype> = D extends TextType ? string : ValueOf<D>

/**
 * The aggregates of all cells by name; with groups, a list of the groups, each with its keys and aggregates by name. The
 * names of the types are expanded, so that an editor shows the values and not the schema from which they are derived.
 */
export type AggregateResult<S extends Declared, A, B extends string> = [B] extends [never]
  ? { readonly [Name in keyof A]: ValueOfAggregate<S, A[Name]> }
  : ReadonlyArray<
    { readonly [Name in B | keyof A]: Name extends keyof A ? ValueOfAggregate<S, A[Name]> : KeyOf<S, Name & string> }
  >
