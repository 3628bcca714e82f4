/**
 * Dense arrays: write rows.
 *
 * @module
 */
import type { ByteSize } from "../../platform/byte_size.ts"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { ArraySchema } from "../schema_builder/schema_value.ts"
import { openedOf, type TileArray } from "../array/open/handle.ts"
import { openPlacedWriter } from "./dense/scattered_writer.ts"
import { byteCountOf, checkCells, DEFAULT_WRITE_MEMORY, type WriteOptions } from "./options/write_options.ts"
import { type Rows, writeEncoded, type WriteRowsError } from "./write_rows.ts"
import type { WriteResult } from "./result/write_result.ts"

/** Options of writing rows into a dense array. */
export interface DenseRowsOptions extends WriteOptions {
  /** Maximum size of the buffered cells, which are combined to boxes. Default: 256 MiB. */
  readonly memory?: ByteSize
}

/**
 * Writes rows: one object per cell, with its coordinates and attributes by name, encoded through `schema` – the inverse
 * of `Dense.rows` with selected dimensions. Values have the same forms as in `Sparse.writeRows`.
 *
 * Rows are an iterable or a Stream of any length, in any order. Rows are buffered up to `memory` and combined to boxes.
 * Each box becomes a fragment, and all fragments become visible together. Rows of neighbouring cells should be close
 * together; rows sorted by the dimensions are best. Cells without a row do not change. If two rows of the same cell are
 * too far apart to be buffered together, the later one replaces the earlier one, since fragments of different flushes
 * have different times; with `at`, which gives all fragments the same time, such rows are rejected.
 *
 * Fails with `RowError`, which names the row and the field; with `WriteError` for cells too scattered to form boxes, or
 * for more than one box in an array before format 12; and otherwise as `Dense.write` does. After a failure the array is
 * unchanged.
 *
 * ```ts
 * import { ArraySchema, Dense, Dim, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Schema from "effect/Schema"
 *
 * const Day = Schema.Struct({ day: Schema.Int, station: Schema.Int, temperature: Schema.NullOr(Schema.Number) })
 * const Weather = ArraySchema.fromRows(Day, {
 *   arrayType: "dense",
 *   dims: { day: Dim.int32([1, 366], { tile: 7 }), station: Dim.int32([1, 100], { tile: 10 }) },
 * })
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.create("mem://weather", Weather)
 *   const { fragments } = yield* Dense.writeRows(weather, [
 *     { day: 2, station: 1, temperature: 7.5 },
 *     { day: 1, station: 1, temperature: 4.5 },
 *     { day: 1, station: 2, temperature: null },
 *     { day: 2, station: 2, temperature: 8 },
 *   ], Day)
 *   return [fragments.length, (yield* Dense.read(yield* TileArray.reopen(weather))).columns.temperature.values]
 * })
 * const found = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(found, [1, Float64Array.of(4.5, 0, 7.5, 8)])
 * ```
 */
export const writeRows = <S extends ArraySchema<"dense"> | undefined, A, I, R, E = never, R2 = never>(
  array: TileArray<S>,
  rows: Rows<A, E, R2>,
  schema: Schema.Schema<A, I, R>,
  options: DenseRowsOptions = {},
): Effect.Effect<WriteResult, E | WriteRowsError, R | R2 | Storage | Codecs> =>
  writeEncoded(
    openedOf(array),
    rows,
    schema,
    Effect.flatMap(
      checkCells(array, "dense", options, ["memory"], (refuse) => ({
        memory: byteCountOf("memory", options.memory, DEFAULT_WRITE_MEMORY, refuse),
      })),
      (request) => openPlacedWriter(openedOf(array), request),
    ),
  ).pipe(traced("Dense.writeRows", array))
