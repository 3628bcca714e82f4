/**
 * Sparse arrays: read the cells of a selection.
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
import type { AggregateOptions, AggregateResult, AggregatesOf, DistinctOptions, KeyOf } from "./aggregate/types.ts"
import { readLimitedSparse } from "./request/read_limited.ts"
import { streamSparse } from "./request/sparse_request.ts"
import type { ColumnsOf, FieldName, SparseField, TimeForm } from "./column/typed_columns.ts"
import type { QueryError } from "./request/resolve_query.ts"
import { type Query, type SparseResult, sparseResult } from "./request/result_types.ts"

export * from "./read_exports.ts"
export type { SparseField } from "./column/typed_columns.ts"
export type { SparseResult } from "./request/result_types.ts"

/**
 * Reads cells of a sparse array: by default all, with all dimensions and attributes, sorted row-major.
 *
 * If a cell was written several times, only the newest is returned, unless the array allows duplicates; deleted cells
 * are omitted. One fragment may contain several cells with equal coordinates, since engines can write without duplicate
 * checks. If that fragment is the newest with these coordinates, all of its cells are returned, in stored order; this
 * applies to every order, region and batch. (The engine does the same for a single fragment; in sorted reads of several
 * overlapping fragments it returns one of the cells.) Arrays opened with a schema return buffers, others {@link
 * Column}s, as `Dense.read` does.
 *
 * Takes one read of each tile whose MBR overlaps the ranges. `order: "unordered"` avoids sorting if no two fragments
 * can contain the same cell. Fails as `Dense.read` does.
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
): Effect.Effect<SparseResult<ColumnsOf<S, K, T>>, QueryError, Storage | Codecs> =>
  runQuery(array, options, (query) =>
    Effect.map(
      readLimitedSparse(query.opened, query.options),
      (cells) => sparseResult<S, K, T>(query.array, cells, options.time),
    )).pipe(traced("Sparse.read", array))

/**
 * Reads as {@link read} does, in batches that fit into `memory` (default: 256 MiB), each on demand, for arrays of any
 * size. The first batch is small if that reads no tile twice, so that it arrives early. `toAsyncIterable` converts the
 * stream for `for await`. No batch is empty.
 *
 * The default order is `unordered`; each tile is then read once if no two fragments can contain the same cell. In other
 * orders the batches together are in that order; tiles that span several batches are read for each of them.
 *
 * Fails as {@link read} does, except for the size of the whole result; with `ResultTooLarge` if an indivisible part –
 * one tile, or overlapping tiles of several fragments – does not fit into `memory`, which states the required size.
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
): Stream.Stream<SparseResult<ColumnsOf<S, K, T>>, QueryError, Storage | Codecs> =>
  streamQuery(array, options, streamSparse, (opened, batch) => sparseResult<S, K, T>(opened, batch, options.time)).pipe(
    tracedStream("Sparse.stream", array),
  )

/**
 * Reads as {@link stream} does, for `for await` outside Effect: loops over the batches of an array that is open or that
 * `TileArray.open` opens first. `layer` provides storage and codecs – `layerDefault` in most programs – until the loop
 * ends. While the loop body works on a batch, the next one is read.
 *
 * The loop throws the tagged errors of {@link stream} and of opening. Leaving the loop interrupts running work and
 * cancels requests in flight. Aborting `signal` does the same; the loop then throws the signal's reason.
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
): AsyncIterable<SparseResult<ColumnsOf<S, K, T>>> =>
  batchesOf(array, options, (opened, query) => stream<S, K, T>(opened, query), layer)

/**
 * Computes aggregates over the cells of a sparse array, or of a part of it: counts, sums, extremes, means.
 *
 * Tiles that are selected whole are not read if the metadata of their fragment contains the aggregates; the others are
 * read batch by batch, in at most `memory` bytes. Fails with `SelectionError` for an unknown field or an aggregate that
 * does not apply to it, and as {@link read} does.
 *
 * ```ts
 * import { Aggregate, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   const aggregates = { quakes: Aggregate.count(), deepest: Aggregate.max("depth") }
 *   return yield* Sparse.aggregate(quakes, aggregates, { where: 'place != "Crete"' })
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), { quakes: 2, deepest: 29 })
 * ```
 *
 * With `by`, returns one result per group of cells, ordered by the keys of the groups:
 *
 * ```ts
 * import { Aggregate, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   const aggregates = { quakes: Aggregate.count(), deepest: Aggregate.max("depth") }
 *   return yield* Sparse.aggregate(quakes, aggregates, { by: ["scale"] })
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
): Effect.Effect<AggregateResult<S, A, B>, QueryError, Storage | Codecs> =>
  aggregateCells(array, aggregates, options).pipe(traced("Sparse.aggregate", array))

/**
 * Returns the distinct cells of an attribute or dimension, ordered: enumeration values for enumerated attributes, and
 * `null` last, if present.
 *
 * Reads one field, batch by batch, in at most `memory` bytes. Fails with `SelectionError` for an unknown field or one
 * with several values per cell, with `ResultTooLarge` if there are more than `maxValues` values, and as {@link read}
 * does.
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
 * Returns the query plan of a {@link read} as a value: the fragments and tiles involved, those that ranges and
 * condition exclude, the number of requests and bytes, and the maximum size of the result. Reads metadata only. Fails
 * as {@link read} does.
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
