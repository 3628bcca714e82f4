/**
 * Sparse arrays: read the cells that lie in a selection.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { traced, tracedStream } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { ArraySchema } from "../schema_builder/schema_value.ts"
import type { TileArray } from "../array/open/handle.ts"
import { aggregateCells, distinctCells, runQuery, streamQuery } from "./operations.ts"
import { explainSparse, type Explanation } from "./query_plan.ts"
import { type ArrayToRead, batchesOf, type BatchesOptions } from "./request/array_batches.ts"
import type { AggregateOptions, AggregatesOf, AnswersBy, DistinctOptions, KeyOf } from "./aggregate/types.ts"
import { readLimitedSparse } from "./request/read_limited.ts"
import { streamSparse } from "./request/sparse_request.ts"
import type { FieldName, SparseField, TimeForm } from "./column/typed_columns.ts"
import type { QueryError } from "./request/resolve_query.ts"
import { type Query, type SparseResult, sparseResult } from "./request/result_types.ts"

export * from "./read_exports.ts"
export type { SparseField } from "./column/typed_columns.ts"

/**
 * Reads cells of a sparse array: by default all, with all dimensions and attributes, sorted row-major.
 *
 * Of cells that were written twice the newest is there, unless the array allows duplicates; deleted cells are not. Of an
 * array that was opened with a schema columns are buffers, of others {@link Column}s, as `Dense.read` has them.
 *
 * Costs one read of each tile whose rectangle meets the ranges. `order: "unordered"` saves sorting, where no two fragments
 * can have the same cell. Fails as `Dense.read` does.
 *
 * ```ts
 * import { Cells, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   return yield* Sparse.read(quakes, { select: ["lat", "place"], region: { lon: [100, null] }, where: "depth > 20" })
 * })
 * const { length, columns } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals([length, columns.lat.values[0], Cells.text(columns.place, 0)], [1, 38.3, "Tōhoku"])
 * ```
 */
export const read = <
  S extends ArraySchema<"sparse"> | undefined,
  K extends SparseField<S> = FieldName<S>,
  T extends TimeForm = "bigint",
>(
  array: TileArray<S>,
  options: Query<S, K, T> = {},
): Effect.Effect<SparseResult<S, K, T>, QueryError, Storage | Codecs> =>
  runQuery(array, options, (query) =>
    Effect.map(
      readLimitedSparse(query.opened, query.options),
      (cells) => sparseResult<S, K, T>(query.array, cells, options.time),
    )).pipe(traced("Sparse.read", array))

/**
 * Reads what {@link read} reads, in batches that fit into `memory` (256 MiB if nothing is said), each when it is asked for:
 * the stream of an array of any size. The first is small, where that makes no tile be read twice: it is there soon.
 * `toAsyncIterable` makes a `for await` of it. No batch is empty.
 *
 * The order is `unordered` if nothing is said, and then each tile is read once as long as no two fragments can have the same
 * cell. In the other orders batches follow each other so that their cells together are in that order; where tiles lie across
 * several batches they are read for each.
 *
 * Fails as {@link read} does, but for the size of the whole; with `ResultTooLarge` if what cannot be taken apart – one tile,
 * or tiles of several fragments that lie in one place – does not fit into `memory`, which says how much it takes.
 *
 * ```ts
 * import { layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   const batches = Sparse.stream(quakes, { select: ["depth"], memory: 2 ** 24 })
 *   return yield* Stream.runFold(batches, 0, (cells, { length }) => cells + length)
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), 3)
 * ```
 */
export const stream = <
  S extends ArraySchema<"sparse"> | undefined,
  K extends SparseField<S> = FieldName<S>,
  T extends TimeForm = "bigint",
>(
  array: TileArray<S>,
  options: Query<S, K, T> = {},
): Stream.Stream<SparseResult<S, K, T>, QueryError, Storage | Codecs> =>
  streamQuery(array, options, streamSparse, (opened, batch) => sparseResult<S, K, T>(opened, batch, options.time)).pipe(
    tracedStream("Sparse.stream", array),
  )

/**
 * What {@link stream} reads, for `for await` outside Effect: a loop over batches of an array that is open, or that
 * `TileArray.open` opens first. `layer` is where storage and codecs come from, `layerDefault` in most programs; it lives as
 * long as the loop. While the loop works on a batch, the next one is read.
 *
 * The loop throws the tagged errors of {@link stream}, and those of opening. Leaving it ends everything that is under way,
 * and so does `signal`: requests in flight are given up, and the loop throws the signal's reason.
 *
 * ```ts
 * import { layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const quakes = TileArray.open("tests/support/quakes")
 * const options = { select: ["depth"], region: { lat: [30, 46] }, signal: AbortSignal.timeout(60_000) } as const
 * let deepest = 0
 * for await (const { columns } of Sparse.batches(quakes, options, layerDefault)) {
 *   for (const depth of columns.depth.values) deepest = Math.max(deepest, Number(depth))
 * }
 * assertEquals(deepest, 33.5)
 * ```
 */
export const batches = <
  S extends ArraySchema<"sparse"> | undefined,
  K extends SparseField<S> = FieldName<S>,
  T extends TimeForm = "bigint",
  E = never,
>(
  array: ArrayToRead<S>,
  options: BatchesOptions<S, K, T>,
  layer: Layer.Layer<Storage | Codecs, E>,
): AsyncIterable<SparseResult<S, K, T>> =>
  batchesOf(array, options, (opened, query) => stream<S, K, T>(opened, query), layer)

/**
 * Asks of the cells of a sparse array, or of a part of it, without having them: how many there are, sums, extremes, means.
 *
 * Tiles that are wanted whole are not read where the metadata of their fragment says what is asked; the others are, batch by
 * batch, in at most `memory` bytes. Fails with `SelectionError` for a field that the array does not have, or of which that
 * cannot be asked, and as {@link read} does.
 *
 * ```ts
 * import { Aggregate, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   const wanted = { quakes: Aggregate.count(), deepest: Aggregate.max("depth") }
 *   return yield* Sparse.aggregate(quakes, wanted, { where: 'place != "Crete"' })
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), { quakes: 2, deepest: 29 })
 * ```
 *
 * With `by` there is an answer for each group of cells, ordered by what they have in common:
 *
 * ```ts
 * import { Aggregate, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   const wanted = { quakes: Aggregate.count(), deepest: Aggregate.max("depth") }
 *   return yield* Sparse.aggregate(quakes, wanted, { by: ["scale"] })
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), [
 *   { scale: "mw", quakes: 2, deepest: 29 },
 *   { scale: "ml", quakes: 1, deepest: 33.5 },
 * ])
 * ```
 */
export const aggregate = <
  S extends ArraySchema<"sparse"> | undefined,
  const A extends AggregatesOf<S>,
  const B extends FieldName<S> = never,
>(
  array: TileArray<S>,
  aggregates: A,
  options: AggregateOptions<S, B> = {},
): Effect.Effect<AnswersBy<S, A, B>, QueryError, Storage | Codecs> =>
  aggregateCells(array, aggregates, options).pipe(traced("Sparse.aggregate", array))

/**
 * The different cells of an attribute or dimension, ordered: of enumerations the values, and `null` last where there is one.
 *
 * Reads the one field, batch by batch, in at most `memory` bytes. Fails with `SelectionError` for a field that the array does
 * not have, or that has several values in a cell, with `ResultTooLarge` where there are more values than `maxValues`, and
 * as {@link read} does.
 *
 * ```ts
 * import { layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   return yield* Sparse.distinct(quakes, "place", { region: { lat: [36, 46] } })
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), ["Niigata", "Tōhoku"])
 * ```
 */
export const distinct = <S extends ArraySchema<"sparse"> | undefined, const F extends FieldName<S>>(
  array: TileArray<S>,
  field: F,
  options: DistinctOptions<S> = {},
): Effect.Effect<ReadonlyArray<KeyOf<S, F>>, QueryError, Storage | Codecs> =>
  distinctCells(array, field, options).pipe(traced("Sparse.distinct", array))

/**
 * The plan of a {@link read} as a value: which fragments and tiles it looks at, which of them the ranges and the condition rule
 * out, how many requests and bytes are to come, and how many bytes the result takes at most. Reads metadata only. Fails as {@link read} does.
 *
 * ```ts
 * import { Sparse, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.flatMap(
 *   TileArray.open("tests/support/quakes"),
 *   (array) => Sparse.explain(array, { where: "depth > 20", select: ["place"] }),
 * )
 * const { fields, fragments } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(fields, ["lat", "lon", "depth", "place"])
 * assertEquals(fragments.map(({ read }) => read), [1])
 * ```
 */
export const explain = <S extends ArraySchema<"sparse"> | undefined, K extends SparseField<S> = FieldName<S>>(
  array: TileArray<S>,
  options: Query<S, K> = {},
): Effect.Effect<Explanation, QueryError, Storage | Codecs> =>
  runQuery(array, options, (query) => explainSparse(query.opened, query.options)).pipe(traced("Sparse.explain", array))
