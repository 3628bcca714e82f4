/**
 * Sparse arrays: write cells.
 *
 * @module
 */
import type { ByteSize } from "../../platform/byte_size.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Sink from "effect/Sink"
import { traced, tracedSink } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { ArraySchema } from "../schema_builder/schema_value.ts"
import { openedOf, type TileArray } from "../array/open/handle.ts"
import { type CellWriter, sinkOf, tracedWriter } from "./fragment/cell_writer.ts"
import { openSparseWriter } from "./sparse/sparse_writer.ts"
import type { CellColumns, LabelsBeside } from "./options/typed_input.ts"
import {
  type BatchOptions,
  byteCountOf,
  checkCells,
  choiceOf,
  DEFAULT_WRITE_MEMORY,
  fragmentSizeOf,
  type WriteOptions,
} from "./options/write_options.ts"
import { writeSparse } from "./sparse/write_sparse.ts"
import type { WriteFailure, WriteResult } from "./result/write_result.ts"

export * from "./write_exports.ts"
export type { CellColumns } from "./options/typed_input.ts"

/** Options of a sparse write. */
export interface SparseWriteOptions extends WriteOptions {
  /**
   * Order of the cells: `unordered` – any order, and the cells are sorted; `global` – the global order of the array,
   * which is checked. Default: `unordered`.
   */
  readonly order?: "unordered" | "global"
  /**
   * Handling of cells with the same coordinates in an array without duplicates: `refuse` rejects the write, `first`
   * writes only the first of them. Default: `refuse`.
   */
  readonly duplicates?: "refuse" | "first"
}

/**
 * Writes cells: the columns of all dimensions and attributes, each with one entry per cell. They form one fragment,
 * which becomes visible when the write completes. The open array that is passed in does not contain it: use
 * `TileArray.reopen`.
 *
 * Columns are typed arrays as reads return them, `{ values, offsets, validity }` for var-sized or nullable cells, or
 * lists of cells. Buffers are not copied, and must not change while they are written.
 *
 * The columns may include dimension labels, with one entry per cell, if the cells' coordinates follow each other
 * without gaps. Each label becomes a fragment of its own array, which becomes visible just before the cells.
 *
 * Fails with `WriteError`, which names the field and the cell, before anything is written: for columns of a wrong
 * length or type, decreasing offsets, nulls in fields that are not nullable, coordinates outside the domain or the
 * current domain, cells out of order or with the same coordinates, and codes outside their enumeration. Fails with
 * `WriteError` for values that a filter cannot represent. Fails with `InvalidOption`, `StorageError` or `CodecError`,
 * and with `NotFound`, `FormatError`, `ChecksumMismatch` or `DecryptionFailed` for an unreadable enumeration;
 * enumerations are read once per open array. After a failure or an interruption the array is unchanged.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Points = ArraySchema.sparse({
 *   dims: { x: Dim.uint32([0, 9999], { tile: 100 }) },
 *   attrs: { n: Attr.uint8(), name: Attr.nullable(Attr.utf8()) },
 * })
 * const program = Effect.gen(function* () {
 *   const points = yield* TileArray.create("mem://points", Points)
 *   yield* Sparse.write(points, { x: Uint32Array.of(30, 10, 20), n: [3, 1, 2], name: ["three", null, "two"] })
 *   return yield* Sparse.read(yield* TileArray.reopen(points))
 * })
 * const { columns } = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals([columns.x, columns.n], [Uint32Array.of(10, 20, 30), Uint8Array.of(1, 2, 3)])
 * assertEquals(columns.name.validity, Uint8Array.of(0, 1, 1))
 * ```
 */
export const write = <S extends ArraySchema<"sparse"> | undefined>(
  array: TileArray<S>,
  columns: CellColumns<S> & LabelsBeside<S>,
  options: SparseWriteOptions = {},
): Effect.Effect<WriteResult, WriteFailure, Storage | Codecs> =>
  Effect.flatMap(
    checkCells(array, "sparse", options, ["order", "duplicates"], (refuse) => ({
      order: choiceOf("order", options.order, ["unordered", "global"], refuse),
      duplicates: choiceOf("duplicates", options.duplicates, ["refuse", "first"], refuse),
    })),
    (request) => writeSparse(openedOf(array), columns as Readonly<Record<string, unknown>>, request),
  ).pipe(traced("Sparse.write", array))

/** Options of a sparse write in batches. */
export interface SparseWriterOptions extends SparseWriteOptions, BatchOptions {
  /**
   * Maximum size of the unordered cells that are buffered and sorted together; sorting takes about the same amount of
   * memory in addition. More cells become several fragments, which require format 12 or later. Default: 256 MiB.
   */
  readonly memory?: ByteSize
}

/**
 * Opens a write of cells that arrive in batches of any size. They become visible with the commit; without a commit, the
 * written data is removed when the scope ends.
 *
 * Unordered cells are buffered until they fill `memory`; then they are sorted and become a fragment. The order of cells
 * in global order is checked across batches; whole tiles are written as they arrive, into one fragment unless
 * `maxFragmentSize` divides it. All fragments become visible together.
 *
 * If unordered cells with the same coordinates are in different fragments, the later one replaces the earlier one, as
 * with two writes. For that, each fragment has its own millisecond; if fragments finish faster, the commit waits for
 * the clock. With `at`, all fragments have the same time, and none is newer: a cell that is in two of them is rejected
 * with a `WriteError` that names it, for any value of `duplicates`. The hashes that detect such cells take the size of
 * `memory` in addition, at least 64 MiB; a larger write (more than about 25 million cells with the default) must omit
 * `at` or use global order.
 *
 * Fails with `InvalidOption` or `WriteError`; writing and committing fail as {@link write} does.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Points = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9999], { tile: 100 }) }, attrs: { n: Attr.uint8() } })
 * const program = Effect.gen(function* () {
 *   const points = yield* TileArray.create("mem://points", Points)
 *   return yield* Effect.scoped(Effect.gen(function* () {
 *     const writer = yield* Sparse.writer(points)
 *     yield* writer.write({ x: Uint32Array.of(7, 3), n: Uint8Array.of(1, 2) })
 *     yield* writer.write({ x: Uint32Array.of(5, 1), n: Uint8Array.of(3, 4) })
 *     return yield* writer.commit
 *   }))
 * })
 * const { cells, fragments } = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals([cells, fragments.length], [4, 1])
 * ```
 */
export const writer = <S extends ArraySchema<"sparse"> | undefined>(
  array: TileArray<S>,
  options: SparseWriterOptions = {},
): Effect.Effect<CellWriter<CellColumns<S>>, WriteFailure, Storage | Codecs | Scope.Scope> =>
  Effect.flatMap(
    checkCells(array, "sparse", options, ["order", "duplicates", "memory", "maxFragmentSize"], (refuse) => ({
      order: choiceOf("order", options.order, ["unordered", "global"], refuse),
      duplicates: choiceOf("duplicates", options.duplicates, ["refuse", "first"], refuse),
      memory: byteCountOf("memory", options.memory, DEFAULT_WRITE_MEMORY, refuse),
      maxFragmentSize: fragmentSizeOf(array, options.maxFragmentSize, refuse),
    })),
    (request) =>
      openSparseWriter(openedOf(array), request) as Effect.Effect<
        CellWriter<CellColumns<S>>,
        WriteFailure,
        Storage | Codecs | Scope.Scope
      >,
  ).pipe(Effect.map(tracedWriter("Sparse.writer", array)), traced("Sparse.writer", array))

/**
 * Returns a sink that writes the batches of a stream with {@link writer} and commits them. Streams map a whole chunk of
 * elements at once: apply `Stream.rechunk(1)` to a stream before its elements are mapped to large batches.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Stream from "effect/Stream"
 *
 * const Points = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9999], { tile: 100 }) }, attrs: { n: Attr.uint8() } })
 * const batch = (i: number) => ({ x: Uint32Array.of(2 * i, 2 * i + 1), n: Uint8Array.of(i, i) })
 * const program = Effect.gen(function* () {
 *   const points = yield* TileArray.create("mem://points", Points)
 *   return yield* Stream.run(Stream.map(Stream.range(0, 9), batch), Sparse.sink(points, { order: "global" }))
 * })
 * const { cells, fragments } = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals([cells, fragments.length], [20, 1])
 * ```
 */
export const sink = <S extends ArraySchema<"sparse"> | undefined>(
  array: TileArray<S>,
  options: SparseWriterOptions = {},
): Sink.Sink<WriteResult, CellColumns<S>, never, WriteFailure, Storage | Codecs> =>
  sinkOf(writer(array, options)).pipe(tracedSink("Sparse.sink", array))
