/**
 * Aggregates as TypeScript knows them from a schema.
 *
 * @module
 */
import type { Datatype } from "../../schema/datatype.ts"
import type { ArraySchema } from "../array/builder/schema_value.ts"
import type { TextType, ValueOf } from "../array/builder/datatype_values.ts"
import type { Aggregate, AggregateKind } from "./aggregate_builder.ts"
import type { Declared, FieldName, FieldOf } from "./typed_columns.ts"
import type { Query } from "./typed_read.ts"

/** Aggregates of the fields of a schema, by the names that their answers get; of any fields where none is declared. */
export type AggregatesOf<S extends Declared> = Readonly<
  Record<string, Aggregate<AggregateKind, FieldName<S>> | Aggregate<"count", "">>
>

/** Which cells aggregates are asked of, and how much memory that may take. */
export type AggregateOptions<S extends Declared = undefined> = Pick<
  Query<S>,
  "ranges" | "where" | "outside" | "at" | "memory"
>

/** The names of {@link AggregateOptions}. */
export const AGGREGATE_OPTIONS: ReadonlyArray<string> = ["ranges", "where", "outside", "at", "memory"] satisfies Array<
  keyof AggregateOptions
>

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
