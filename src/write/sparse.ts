/**
 * Sparse arrays: write cells.
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
import { type CellWriter, sinkOf, tracedWriter } from "./fragment/cell_writer.ts"
import { openSparseWriter } from "./sparse/sparse_writer.ts"
import type { CellColumns, LabelsBeside } from "./options/typed_input.ts"
import {
  type BatchOptions,
  byteCountOf,
  checkCells,
  fragmentSizeOf,
  MEMORY,
  oneOf,
  type WriteOptions,
} from "./options/write_options.ts"
import { writeSparse } from "./sparse/write_sparse.ts"
import type { WriteFailure, WriteResult } from "./result/write_result.ts"

export * from "./write_exports.ts"
export type { CellColumns } from "./options/typed_input.ts"

/** How sparse cells are written. */
export interface SparseWriteOptions extends WriteOptions {
  /**
   * The order in which cells are given: any, and then they are sorted, or the global order of the array, which is checked.
   * Default: `unordered`.
   */
  readonly order?: "unordered" | "global"
  /**
   * What becomes of cells with the same coordinates in an array that allows no duplicates: `refuse` the write, or keep the
   * `first` of them. Default: `refuse`.
   */
  readonly duplicates?: "refuse" | "first"
}

/**
 * Writes cells: the columns of all dimensions and attributes, each with one entry per cell. They are one fragment, which is
 * there when this is done, and not before; the open array that is given does not see it, `TileArray.reopen` does.
 *
 * Columns are typed arrays as reads have them, `{ values, offsets, validity }` where cells are var-sized or may be null, or
 * lists of cells. Buffers are not copied, and must not change while they are written.
 *
 * Dimension labels may be among the columns, with one entry per cell, if the cells' coordinates follow each other without gaps;
 * each becomes a fragment of its own array, which counts just before the cells do.
 *
 * Fails with `WriteError`, which names the field and the cell, before anything is written: for columns of a wrong length or
 * type, offsets that fall, nulls where none may be, coordinates outside the domain or the current domain, cells out of order
 * or with the same coordinates, codes that an enumeration lacks; and for values that a filter cannot hold. Fails with
 * `InvalidOption`, `StorageError` or `CodecError`, and with `NotFound`, `FormatError`, `ChecksumMismatch` or
 * `DecryptionFailed` for an enumeration that cannot be read, as happens once for an open array that has some. Whatever it
 * fails with, or when it is interrupted, the array is as it was.
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
      order: oneOf("order", options.order, ["unordered", "global"], refuse),
      duplicates: oneOf("duplicates", options.duplicates, ["refuse", "first"], refuse),
    })),
    (request) => writeSparse(openedOf(array), columns as Readonly<Record<string, unknown>>, request),
  ).pipe(traced("Sparse.write", array))

/** How sparse cells are written in batches. */
export interface SparseWriterOptions extends SparseWriteOptions, BatchOptions {
  /**
   * Bytes of unordered cells that wait to be sorted together; sorting takes about as much again. More cells become several
   * fragments, which need an array of format 12 or later. Default: 256 MiB.
   */
  readonly memory?: number
}

/**
 * Opens a write of cells that come in batches of any size. It counts when it is committed; with the scope ends what was not.
 *
 * Unordered cells wait until they fill `memory`; then they are sorted, and are a fragment. In global order, which is
 * checked across batches, whole tiles are written as they come, and all are one fragment unless `maxFragmentSize` says
 * otherwise. All fragments count at once. Where cells of unordered batches have the same coordinates and are in different
 * fragments, the later one counts, as with two writes: each fragment has a millisecond of its own, and if they come faster than
 * that, the commit waits for the clock. With `at` all have that moment, and no order: a cell that is in two of them is refused
 * then, with a `WriteError` that names it, whatever `duplicates` says. The hashes by which such cells are found take `memory`
 * again, or 64 MiB if that is more; a write of more cells than that (about 25 million with the default) has to leave out `at` or
 * be in global order.
 *
 * Fails with `InvalidOption` or `WriteError`; what writing and committing fail with is that of {@link write}.
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
      order: oneOf("order", options.order, ["unordered", "global"], refuse),
      duplicates: oneOf("duplicates", options.duplicates, ["refuse", "first"], refuse),
      memory: byteCountOf("memory", options.memory, MEMORY, refuse),
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
 * A sink for the batches of a stream, which {@link writer} writes and commits. Streams map a chunk of
 * elements at once: take `Stream.rechunk(1)` of a stream before its elements become large batches.
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
