/**
 * Dense arrays: write boxes of cells.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Sink from "effect/Sink"
import { traced, tracedSink } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { ArraySchema } from "../schema_builder/schema_value.ts"
import { openedOf, type TileArray } from "../array/open/handle.ts"
import type { DenseOrder } from "./dense/dense_tiles.ts"
import { type CellWriter, sinkOf, tracedWriter } from "./fragment/cell_writer.ts"
import { openDenseWriter } from "./dense/dense_writer.ts"
import type { AttributeColumns, BoxOf, LabelsBeside } from "./options/typed_input.ts"
import { writeDense } from "./dense/write_dense.ts"
import { type BatchOptions, checkCells, choiceOf, fragmentSizeOf, type WriteOptions } from "./options/write_options.ts"
import type { WriteFailure, WriteResult } from "./result/write_result.ts"

export * from "./write_exports.ts"
export type { DenseOrder } from "./dense/dense_tiles.ts"
export type { AttributeColumns, BoxOf, Coordinate } from "./options/typed_input.ts"

/** Options of a dense write. */
export interface DenseWriteOptions extends WriteOptions {
  /**
   * Order of the cells of the box: `row` – the last dimension varies fastest; `col` – the first dimension varies
   * fastest; `global` – tile after tile in the array's order, as a read in that order returns them. Default: `row`.
   */
  readonly order?: DenseOrder
}

/**
 * Writes the cells of a box: the columns of all attributes, each with one entry per cell. They form one fragment, which
 * becomes visible when the write completes. The open array that is passed in does not contain it: use
 * `TileArray.reopen`.
 *
 * `box` contains ranges with both ends inclusive, or single values; a dimension without an entry is written whole (its
 * current domain, if any). Columns are typed arrays as reads return them, `{ values, offsets, validity }` for var-sized
 * or nullable cells, or lists of cells. Buffers are not copied, and must not change while they are written.
 *
 * The columns may include dimension labels, with one entry per coordinate of the box in their dimension. Each label
 * becomes a fragment of its own array, which becomes visible just before the cells.
 *
 * No cells are read, even if the box covers tiles in part: fragments may overlap. Boxes of whole tiles are the fastest
 * to write and to read. Enumerations of the attributes are read once per open array, to check codes.
 *
 * Fails with `WriteError`, which names the field and the cell, before anything is written: for a box outside the
 * domain, columns of a wrong length or type, decreasing offsets, nulls in fields that are not nullable, and codes
 * outside their enumeration. Fails with `WriteError` for values that a filter cannot represent. Fails with
 * `InvalidOption`, `StorageError` or `CodecError`, and with `NotFound`, `FormatError`, `ChecksumMismatch` or
 * `DecryptionFailed` for an unreadable enumeration. After a failure or an interruption the array is unchanged.
 *
 * ```ts
 * import { ArraySchema, Attr, Dense, Dim, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Weather = ArraySchema.dense({
 *   dims: { lat: Dim.int32([1, 180], { tile: 30 }), lon: Dim.int32([1, 360], { tile: 30 }) },
 *   attrs: { temp: Attr.float32(), flag: Attr.nullable(Attr.uint8()) },
 * })
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.create("mem://weather", Weather)
 *   yield* Dense.write(weather, { lat: [1, 2], lon: [1, 3] }, {
 *     temp: Float32Array.of(1, 2, 3, 4, 5, 6),
 *     flag: { values: Uint8Array.of(0, 1, 0, 1, 0, 1), validity: Uint8Array.of(1, 1, 1, 1, 1, 0) },
 *   })
 *   return yield* Dense.read(yield* TileArray.reopen(weather), { region: { lon: [2, 3] } })
 * })
 * const { columns } = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(columns.temp, Float32Array.of(2, 3, 5, 6))
 * ```
 */
export const write = <S extends ArraySchema<"dense"> | undefined>(
  array: TileArray<S>,
  box: BoxOf<S>,
  columns: AttributeColumns<S> & LabelsBeside<S>,
  options: DenseWriteOptions = {},
): Effect.Effect<WriteResult, WriteFailure, Storage | Codecs> =>
  Effect.flatMap(
    checkCells(array, "dense", options, ["order"], (refuse) => ({
      order: choiceOf("order", options.order, ["row", "col", "global"], refuse),
    })),
    (request) => writeDense(openedOf(array), box, columns as Readonly<Record<string, unknown>>, request),
  ).pipe(traced("Dense.write", array))

/** Options of a dense write in batches. */
export interface DenseWriterOptions extends BatchOptions {
  /**
   * Order in which the cells of the box arrive. With `global`, at most one tile is buffered. With `row` or `col`, one
   * row of tiles is buffered, and the array's tile order must be the same. Default: `row`.
   */
  readonly order?: DenseOrder
}

const writerOptions = ["order", "maxFragmentSize"]

/**
 * Opens a write of a box whose cells arrive in batches of any size, in the order of the box. Memory contains the batch
 * and the cells of an unfinished row of tiles (of one tile in `global` order), for a box of any size. The cells become
 * visible with the commit, which requires all cells of the box; without a commit, the written data is removed when the
 * scope ends.
 *
 * Fails with `WriteError` for a box outside the domain, and for orders in which no tile is complete before the last
 * cells arrive; with `InvalidOption` for invalid options. Writing and committing fail as {@link write} does.
 *
 * ```ts
 * import { ArraySchema, Attr, Dense, Dim, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Log = ArraySchema.dense({ dims: { second: Dim.uint32([0, 86399], { tile: 3600 }) }, attrs: { volts: Attr.float32() } })
 * const program = Effect.gen(function* () {
 *   const log = yield* TileArray.create("mem://log", Log)
 *   return yield* Effect.scoped(Effect.gen(function* () {
 *     const writer = yield* Dense.writer(log, { second: [0, 9999] })
 *     for (let i = 0; i < 10; i++) yield* writer.write({ volts: new Float32Array(1000).fill(i) })
 *     return yield* writer.commit
 *   }))
 * })
 * const { cells } = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(cells, 10_000)
 * ```
 */
export const writer = <S extends ArraySchema<"dense"> | undefined>(
  array: TileArray<S>,
  box: BoxOf<S>,
  options: DenseWriterOptions = {},
): Effect.Effect<CellWriter<AttributeColumns<S>>, WriteFailure, Storage | Codecs | Scope.Scope> =>
  Effect.flatMap(
    checkCells(array, "dense", options, writerOptions, (refuse) => ({
      order: choiceOf("order", options.order, ["row", "col", "global"], refuse),
      maxFragmentSize: fragmentSizeOf(array, options.maxFragmentSize, refuse),
    })),
    (request) =>
      openDenseWriter(openedOf(array), [box], request) as Effect.Effect<
        CellWriter<AttributeColumns<S>>,
        WriteFailure,
        Storage | Codecs | Scope.Scope
      >,
  ).pipe(Effect.map(tracedWriter("Dense.writer", array)), traced("Dense.writer", array))

/**
 * Returns a sink that writes the batches of a stream with {@link writer} and commits them. Streams map a whole chunk of
 * elements at once: apply `Stream.rechunk(1)` to a stream before its elements are mapped to large batches. Fails as
 * {@link writer} and {@link write} do.
 *
 * ```ts
 * import { ArraySchema, Attr, Dense, Dim, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Stream from "effect/Stream"
 *
 * const Log = ArraySchema.dense({ dims: { second: Dim.uint32([0, 86399], { tile: 3600 }) }, attrs: { volts: Attr.float32() } })
 * const batches = Stream.map(Stream.range(0, 9), (i) => ({ volts: new Float32Array(1000).fill(i) }))
 * const program = Effect.gen(function* () {
 *   const log = yield* TileArray.create("mem://log", Log)
 *   return yield* Stream.run(batches, Dense.sink(log, { second: [0, 9999] }))
 * })
 * const { cells } = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(cells, 10_000)
 * ```
 */
export const sink = <S extends ArraySchema<"dense"> | undefined>(
  array: TileArray<S>,
  box: BoxOf<S>,
  options: DenseWriterOptions = {},
): Sink.Sink<WriteResult, AttributeColumns<S>, never, WriteFailure, Storage | Codecs> =>
  sinkOf(writer(array, box, options)).pipe(tracedSink("Dense.sink", array))
