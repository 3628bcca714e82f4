/**
 * Batches of an array for programs that do not use Effect.
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { TileArray } from "../../array/open/handle.ts"
import { type RunOptions, toAsyncIterable } from "../batch/async_iterable.ts"
import type { Declared, FieldName, SparseField, TimeForm } from "../column/typed_columns.ts"
import type { Query } from "./result_types.ts"

/** Options of `batches`. */
export interface BatchesOptions<
  S extends Declared = undefined,
  K extends SparseField<S> = FieldName<S>,
  T extends TimeForm = TimeForm,
> extends Query<S, K, T>, RunOptions {}

/** An open array, or an Effect that opens one: `TileArray.open(uri)`. */
export type ArrayToRead<S extends Declared> = TileArray<S> | Effect.Effect<TileArray<S>, unknown, Storage | Codecs>

/** Returns the batches of an array; opens it first if necessary. */
export const batchesOf = <S extends Declared, Q extends RunOptions, A, E, E2>(
  array: ArrayToRead<S>,
  options: Q,
  stream: (array: TileArray<S>, query: Omit<Q, "signal">) => Stream.Stream<A, E, Storage | Codecs>,
  layer: Layer.Layer<Storage | Codecs, E2>,
): AsyncIterable<A> => {
  const { signal, ...query } = options
  const opening: Effect.Effect<TileArray<S>, unknown, Storage | Codecs> = Effect.isEffect(array)
    ? array
    : Effect.succeed(array)
  const batches = Stream.flatMap(Stream.fromEffect(opening), (array) => stream(array, query))
  return toAsyncIterable(batches, layer, { signal })
}
