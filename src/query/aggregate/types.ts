/**
 * Aggregates as TypeScript knows them from a schema.
 *
 * @module
 */
import type { Datatype } from "../../../schema/array/datatype.ts"
import type { Attribute } from "../../schema_builder/attribute.ts"
import type { ArraySchema } from "../../schema_builder/schema_value.ts"
import type { TextType, ValueOf } from "../../schema_builder/datatype_values.ts"
import type { Aggregate, AggregateKind } from "./aggregate.ts"
import type { Declared, FieldName, FieldOf } from "../column/typed_columns.ts"
import type { Query } from "../request/result_types.ts"

/** Aggregates of the fields of a schema, by the names that their answers get; of any fields where none is declared. */
export type AggregatesOf<S extends Declared> = Readonly<
  Record<string, Aggregate<AggregateKind, FieldName<S>> | Aggregate<"count", "">>
>

/** Which cells aggregates are asked of, by which groups, and how much memory that may take. */
export interface AggregateOptions<S extends Declared = undefined, B extends FieldName<S> = FieldName<S>>
  extends Pick<Query<S>, "region" | "where" | "outOfBounds" | "at" | "memory"> {
  /**
   * Attributes or dimensions, one or a few: cells that have the same of them are a group with answers of its own. Cells of
   * enumerations are their values, and nulls are a group, too. Default: all cells are one.
   */
  readonly by?: ReadonlyArray<B>
  /** At most so many groups; more are refused with `ResultTooLarge`. Default: 65,536. */
  readonly maxGroups?: number
}

/** Of which cells the different ones are wanted. */
export interface DistinctOptions<S extends Declared = undefined>
  extends Pick<Query<S>, "region" | "where" | "outOfBounds" | "at" | "memory"> {
  /** At most so many values; more are refused with `ResultTooLarge`. Default: 1,048,576. */
  readonly maxValues?: number
}

const CELLS: ReadonlyArray<string> = ["region", "where", "outOfBounds", "at", "memory"] satisfies Array<
  keyof AggregateOptions
>

/** The names of {@link AggregateOptions}. */
export const AGGREGATE_OPTIONS: ReadonlyArray<string> = [...CELLS, "by", "maxGroups"]

/** The names of {@link DistinctOptions}. */
export const DISTINCT_OPTIONS: ReadonlyArray<string> = [...CELLS, "maxValues"]

type FloatType = "float32" | "float64"

/** The sum of cells of a datatype. */
type SumOf<D extends Datatype> = Datatype extends D ? number | bigint : D extends FloatType ? number : bigint

/** An extreme of cells of a datatype. */
type ExtremeOf<D extends Datatype> = Datatype extends D ? number | bigint | string | null
  : (D extends TextType ? string : ValueOf<D>) | null

/** The datatype of a field; any where none is declared. */
type TypeOf<S extends Declared, F extends string> = FieldOf<S, F> extends { readonly type: infer D extends Datatype }
  ? D
  : Datatype

/** The answer to one aggregate. */
export type AnswerTo<S extends Declared, K extends AggregateKind, F extends string> = K extends "count" | "nullCount"
  ? number
  : K extends "mean" ? number | null
  : K extends "sum" ? SumOf<TypeOf<S, F>>
  : ExtremeOf<TypeOf<S, F>>

/** The answers to aggregates, by their names. */
export type AggregateAnswer<S extends Declared, A> = {
  readonly [Name in keyof A]: A[Name] extends Aggregate<infer K, infer F>
    ? AnswerTo<S extends ArraySchema ? S : undefined, K, F>
    : never
}

/** A key of groups: text as string, numbers and dates as they are; of enumerations the value. */
export type KeyOf<S extends Declared, F extends string> = FieldOf<S, F> extends
  Attribute<infer D, infer N, number | "var", infer E>
  ? [E] extends [""] ? PlainKey<D> | (N extends true ? null : never) : number | bigint | string | null
  : FieldOf<S, F> extends { readonly type: infer D extends Datatype } ? PlainKey<D>
  : number | bigint | string | null

/** A key in the values of its datatype. */
type PlainKey<D extends Datatype> = D extends TextType ? string : ValueOf<D>

/** A group: its keys, and its answers, by their names. */
export type GroupOf<S extends Declared, A, B extends string> =
  & { readonly [Name in B]: KeyOf<S extends ArraySchema ? S : undefined, Name> }
  & AggregateAnswer<S, A>

/** The answers of all cells, or of each group. */
export type AnswersBy<S extends Declared, A, B extends string> = [B] extends [never] ? AggregateAnswer<S, A>
  : ReadonlyArray<GroupOf<S, A, B>>
