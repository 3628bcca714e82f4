/**
 * Dense arrays: read boxes of cells.
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
import { explainDense, type Explanation } from "./query_plan.ts"
import { type ArrayToRead, batchesOf, type BatchesOptions } from "./request/array_batches.ts"
import { isObject, QUERY_OPTIONS, type QueryError } from "./request/resolve_query.ts"
import { streamDenseCells } from "./request/matching_cells.ts"
import { readLimitedDense } from "./request/read_limited.ts"
import { streamDense } from "./request/dense_request.ts"
import type { AggregateOptions, AggregateResult, AggregatesOf, DistinctOptions, KeyOf } from "./aggregate/types.ts"
import type { AttributeName, ColumnsOf, FieldName, TimeForm } from "./column/typed_columns.ts"
import {
  type DenseBatch,
  type DenseReadOptions,
  type DenseResult,
  denseResult,
  namedRanges,
  type Query,
  type SparseResult,
  sparseResult,
} from "./request/result_types.ts"

export * from "./read_exports.ts"
export type { AttributeName, BufferOf, BuffersOf, ColumnBuffer } from "./column/typed_columns.ts"
export type { DenseBatch, DenseReadOptions as ReadOptions, DenseResult } from "./request/result_types.ts"

/**
 * Reads one or more boxes of a dense array: by default the non-empty domain and all attributes, row-major.
 *
 * The number of cells of every column is the product of `shape`. Arrays opened with a schema return buffers – a
 * `Float32Array` for `float32`, `{ values, validity }` for nullable fields, `{ values, offsets }` for var-sized fields
 * – and other arrays return {@link Column}s, which carry their types. Cells that were never written have the fill
 * value.
 *
 * Takes one read of each tile that the boxes overlap, for the selected fields; tiles are decoded as a whole. Fails with
 * `InvalidOption` for an invalid option or buffer, with `SelectionError` for an unknown name or an invalid range, with
 * `ConditionError` for an invalid condition, with `ResultTooLarge` before anything is read, with `StorageError` or
 * `NotFound`, and with `FormatError`, `CodecError`, `ChecksumMismatch` or `DecryptionFailed` for tiles that cannot be
 * decoded. Format: `fragment.md`, `tile.md`.
 *
 * ```ts
 * import { ArraySchema, Attr, Dense, Dim, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const Weather = ArraySchema.dense({
 *   dims: { day: Dim.int32([1, 366]), station: Dim.int32([1, 100]) },
 *   attrs: { temperature: Attr.float32() },
 * })
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather", Weather)
 *   const out = { temperature: new Float32Array(8) } // memory that may be used again and again
 *   return yield* Dense.read(weather, { region: { day: [60, 61], station: [1, 4] }, out })
 * })
 * const { shape, columns } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(shape, [2, 4])
 * assertEquals(columns.temperature, Float32Array.of(7.5, 8, 6.5, 9.5, 3, 4, 2.5, 5))
 * ```
 */
export const read = <
  S extends ArraySchema<"dense"> | undefined,
  K extends FieldName<S> = AttributeName<S> & FieldName<S>,
  T extends TimeForm = "bigint",
>(
  array: TileArray<S>,
  options: DenseReadOptions<S, K, T> = {},
): Effect.Effect<DenseResult<ColumnsOf<S, K, T>>, QueryError, Storage | Codecs> =>
  runQuery(array, options, (query) =>
    Effect.map(
      readLimitedDense(query.opened, query.options, options.out),
      (cells) => denseResult<S, K, T>(query.array, cells, options.time),
    ), ["out"]).pipe(traced("Dense.read", array))

/**
 * Reads as {@link read} does, in batches that fit into `memory` (default: 256 MiB), each on demand, for arrays of any
 * size. The first batch is small if that reads no tile twice, so that it arrives early. `toAsyncIterable` converts the
 * stream for `for await`.
 *
 * A batch consists of one or more boxes with all properties of a result; `region` contains its ranges of each
 * dimension. In the orders `row` and `col`, the batches together are in that order; `global` and `unordered` split at
 * tile borders where possible, so that each tile is decoded once.
 *
 * Fails as {@link read} does, except for the size of the whole result; with `ResultTooLarge` if one tile does not fit
 * into `memory`, which states the required size.
 *
 * ```ts
 * import { Dense, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   const batches = Dense.stream(weather, { select: ["temperature"], memory: 2 ** 24 })
 *   return yield* Stream.runFold(batches, 0, (cells, { shape }) => cells + shape[0] * shape[1])
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), 28)
 * ```
 */
export const stream = <
  S extends ArraySchema<"dense"> | undefined,
  K extends FieldName<S> = AttributeName<S> & FieldName<S>,
  T extends TimeForm = "bigint",
>(
  array: TileArray<S>,
  options: Query<S, K, T> = {},
): Stream.Stream<DenseBatch<ColumnsOf<S, K, T>>, QueryError, Storage | Codecs> =>
  streamQuery(array, options, streamDense, (opened, batch) => ({
    ...denseResult<S, K, T>(opened, batch, options.time),
    region: namedRanges(opened, batch.ranges),
  })).pipe(tracedStream("Dense.stream", array))

/**
 * Reads as {@link stream} does, for `for await` outside Effect: loops over the batches of an array that is open or that
 * `TileArray.open` opens first. `layer` provides storage and codecs – `layerDefault` in most programs – until the loop
 * ends. While the loop body works on a batch, the next one is read.
 *
 * The loop throws the tagged errors of {@link stream} and of opening. Leaving the loop interrupts running work and
 * cancels requests in flight. Aborting `signal` does the same; the loop then throws the signal's reason.
 *
 * ```ts
 * import { Dense, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const weather = TileArray.open("tests/golden/demo/weather")
 * let sum = 0
 * for await (const { columns } of Dense.batches(weather, { region: { day: 60 }, memory: 2 ** 24 }, layerDefault)) {
 *   for (const value of columns.temperature.values) sum += Number(value)
 * }
 * assertEquals(sum, 31.5)
 * ```
 */
export const batches = <
  S extends ArraySchema<"dense"> | undefined,
  K extends FieldName<S> = AttributeName<S> & FieldName<S>,
  T extends TimeForm = "bigint",
  E = never,
>(
  array: ArrayToRead<S>,
  options: BatchesOptions<S, K, T>,
  layer: Layer.Layer<Storage | Codecs, E>,
): AsyncIterable<DenseBatch<ColumnsOf<S, K, T>>> =>
  batchesOf(array, options, (opened, query) => stream<S, K, T>(opened, query), layer)

const CELL_OPTIONS = QUERY_OPTIONS.filter((name) => name !== "order")

/**
 * Reads the written cells of a dense array that satisfy `where`, with their coordinates: returns them as
 * `Sparse.stream` does, row-major and in batches that fit into `memory`. The default selection is all dimensions and
 * attributes.
 *
 * Costs as much as {@link stream}; tiles that cannot match by their statistics are not read. Fails as {@link stream}
 * does.
 *
 * ```ts
 * import { Dense, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * const cold = TileArray.open("tests/golden/demo/weather").pipe(
 *   Stream.flatMap((weather) => Dense.cells(weather, { where: "temperature < 3", select: ["day", "station"] })),
 *   Stream.runFold(0, (cells, { length }) => cells + length),
 * )
 * assertEquals(await Effect.runPromise(Effect.provide(cold, layerDefault)), 3)
 * ```
 */
export const cells = <
  S extends ArraySchema<"dense"> | undefined,
  K extends FieldName<S> = FieldName<S>,
  T extends TimeForm = "bigint",
>(
  array: TileArray<S>,
  options: Omit<Query<S, K, T>, "order"> = {},
): Stream.Stream<SparseResult<ColumnsOf<S, K, T>>, QueryError, Storage | Codecs> => {
  const { dimensions, attributes } = array.schema
  const all = [...new Set([...dimensions, ...attributes].map(({ name }) => name))]
  // reject an invalid query in its original form
  const query = options?.select === undefined && isObject(options) ? { ...options, select: all } : options
  return streamQuery(
    array,
    query,
    streamDenseCells,
    (opened, batch) => sparseResult<S, K, T>(opened, batch, options.time),
    CELL_OPTIONS,
  ).pipe(tracedStream("Dense.cells", array))
}

/**
 * Computes aggregates over the cells of a dense array, or of a part of it: counts, sums, extremes, means.
 *
 * Tiles that are selected whole are not read if the metadata of their fragment contains the aggregates; the others are
 * read batch by batch, in at most `memory` bytes. Fails with `SelectionError` for an unknown field or an aggregate that
 * does not apply to it, and as {@link read} does.
 *
 * ```ts
 * import { Aggregate, Dense, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   const aggregates = { coldest: Aggregate.min("temperature"), warmest: Aggregate.max("temperature") }
 *   return yield* Dense.aggregate(weather, aggregates)
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), { coldest: 1.5, warmest: 9.5 })
 * ```
 *
 * With `by`, returns one result per group of written cells, ordered by the keys of the groups:
 *
 * ```ts
 * import { Aggregate, Dense, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   const options = { by: ["station"], region: { station: [1, 2] } } as const
 *   return yield* Dense.aggregate(weather, { warmest: Aggregate.max("temperature") }, options)
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), [
 *   { station: 1, warmest: 7.5 },
 *   { station: 2, warmest: 8 },
 * ])
 * ```
 */
export const aggregate = <
  S extends ArraySchema<"dense"> | undefined,
  const A extends AggregatesOf<S>,
  const B extends FieldName<S> = never,
>(
  array: TileArray<S>,
  aggregates: A,
  options: AggregateOptions<S, B> = {},
): Effect.Effect<AggregateResult<S, A, B>, QueryError, Storage | Codecs> =>
  aggregateCells(array, aggregates, options).pipe(traced("Dense.aggregate", array))

/**
 * Returns the distinct cells of an attribute or dimension, ordered: enumeration values for enumerated attributes, and
 * `null` last, if present.
 *
 * Reads one field, batch by batch, in at most `memory` bytes. Fails with `SelectionError` for an unknown field or one
 * with several values per cell, with `ResultTooLarge` if there are more than `maxValues` values, and as {@link read}
 * does.
 *
 * ```ts
 * import { Dense, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   return yield* Dense.distinct(weather, "note")
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), ["", "corrected", "snow"])
 * ```
 */
export const distinct = <S extends ArraySchema<"dense"> | undefined, const F extends FieldName<S>>(
  array: TileArray<S>,
  field: F,
  options: DistinctOptions<S> = {},
): Effect.Effect<ReadonlyArray<KeyOf<S, F>>, QueryError, Storage | Codecs> =>
  distinctCells(array, field, options).pipe(traced("Dense.distinct", array))

/**
 * Returns the query plan of a {@link read} as a value: the fragments and tiles involved, those that ranges and
 * condition exclude, the number of requests and bytes, and the maximum size of the result. Reads metadata only. Fails
 * as {@link read} does.
 *
 * ```ts
 * import { Dense, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.flatMap(
 *   TileArray.open("tests/golden/demo/weather"),
 *   (array) => Dense.explain(array, { region: { day: 60 }, select: ["temperature"] }),
 * )
 * const { fields, fragments } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(fields, ["temperature"])
 * assertEquals(fragments.map(({ read }) => read), [1, 1])
 * ```
 */
export const explain = <S extends ArraySchema<"dense"> | undefined, K extends FieldName<S> = FieldName<S>>(
  array: TileArray<S>,
  options: Query<S, K> = {},
): Effect.Effect<Explanation, QueryError, Storage | Codecs> =>
  runQuery(array, options, (query) => explainDense(query.opened, query.options)).pipe(traced("Dense.explain", array))
