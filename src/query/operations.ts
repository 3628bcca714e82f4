/**
 * The operations of `Dense` and `Sparse`. Each operation is implemented once; `dense.ts` and `sparse.ts` pass the
 * readers of their array type and declare types and documentation.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { TileArray } from "../array/open/handle.ts"
import type { OpenedArray } from "../array/open/open.ts"
import { distinctValues, runAggregates } from "./aggregate/run.ts"
import {
  AGGREGATE_OPTIONS,
  type AggregateOptions,
  type AggregateResult,
  type AggregatesOf,
  DISTINCT_OPTIONS,
  type DistinctOptions,
  type KeyOf,
} from "./aggregate/types.ts"
import type { Declared, FieldName } from "./column/typed_columns.ts"
import type { ReadError } from "./options/read_error.ts"
import type { StreamOptions } from "./options/read_options.ts"
import { type QueryError, type QueryInput, type ResolvedQuery, resolveQuery } from "./request/resolve_query.ts"

/** Resolves a query and runs it. `more` and `names` are the accepted option names, as in {@link resolveQuery}. */
export const runQuery = <S extends Declared, A>(
  array: TileArray<S>,
  options: QueryInput,
  run: (query: ResolvedQuery<S>) => Effect.Effect<A, ReadError, Storage | Codecs>,
  more?: ReadonlyArray<string>,
  names?: ReadonlyArray<string>,
): Effect.Effect<A, QueryError, Storage | Codecs> => Effect.flatMap(resolveQuery(array, options, more, names), run)

/** Resolves a query and streams its batches; `resultOf` builds the result of each batch. */
export const streamQuery = <S extends Declared, A, B>(
  array: TileArray<S>,
  options: QueryInput,
  stream: (array: OpenedArray, options: StreamOptions) => Stream.Stream<A, ReadError, Storage | Codecs>,
  resultOf: (array: TileArray<S>, batch: A) => B,
  names?: ReadonlyArray<string>,
): Stream.Stream<B, QueryError, Storage | Codecs> =>
  Stream.unwrap(Effect.map(
    resolveQuery(array, options, [], names),
    (query) => Stream.map(stream(query.opened, query.options), (batch) => resultOf(query.array, batch)),
  ))

/** Computes aggregates of all selected cells or of each group. */
export const aggregateCells = <S extends Declared, A extends AggregatesOf<S>, B extends FieldName<S>>(
  array: TileArray<S>,
  aggregates: A,
  options: AggregateOptions<S, B>,
): Effect.Effect<AggregateResult<S, A, B>, QueryError, Storage | Codecs> =>
  runQuery(
    array,
    options,
    (query) =>
      Effect.map(
        runAggregates(query.opened, aggregates, query.options),
        (answers) => answers as AggregateResult<S, A, B>,
      ),
    [],
    AGGREGATE_OPTIONS,
  )

/** Returns the distinct values of a field in the selected cells, sorted. */
export const distinctCells = <S extends Declared, F extends FieldName<S>>(
  array: TileArray<S>,
  field: F,
  options: DistinctOptions<S>,
): Effect.Effect<ReadonlyArray<KeyOf<S, F>>, QueryError, Storage | Codecs> =>
  runQuery(
    array,
    options,
    (query) =>
      Effect.map(
        distinctValues(query.opened, field, query.options),
        (values) => values as ReadonlyArray<KeyOf<S, F>>,
      ),
    [],
    DISTINCT_OPTIONS,
  )
