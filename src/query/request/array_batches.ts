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
export const batchesOf = <S extends Declared, A, E, E2>(
  array: ArrayToRead<S>,
  stream: (array: TileArray<S>) => Stream.Stream<A, E, Storage | Codecs>,
  layer: Layer.Layer<Storage | Codecs, E2>,
  { signal }: RunOptions,
): AsyncIterable<A> => {
  const opening: Effect.Effect<TileArray<S>, unknown, Storage | Codecs> = Effect.isEffect(array)
    ? array
    : Effect.succeed(array)
  return toAsyncIterable(Stream.flatMap(Stream.fromEffect(opening), stream), layer, { signal })
}
