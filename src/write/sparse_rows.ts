/**
 * Sparse arrays: write rows.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { ArraySchema } from "../schema_builder/schema_value.ts"
import { openedOf, type TileArray } from "../array/open/handle.ts"
import { type SparseWriterOptions, writer } from "./sparse.ts"
import { type Rows, writeEncoded, type WriteRowsError } from "./write_rows.ts"
import type { WriteResult } from "./result/write_result.ts"

/**
 * Writes rows: one object per cell, with its coordinates and attributes by name, encoded through `schema` – the inverse
 * of `Sparse.rows`. Values have the types that reading rows returns; in addition, dates may be ISO text and 64-bit
 * integers may be numbers. Fields of enumerated attributes are values of the enumeration. `null` and `undefined` are
 * null.
 *
 * Rows are an iterable or a Stream of any length. They are buffered up to `memory`, and all become visible together
 * after the last one was written. Fails with `RowError`, which names the row and the field, and otherwise as
 * `Sparse.writer` does; after a failure the array is unchanged. Each row allocates an object: `Sparse.write` with
 * columns is faster.
 *
 * ```ts
 * import { ArraySchema, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Schema from "effect/Schema"
 *
 * const Quake = Schema.Struct({
 *   lat: Schema.Number,
 *   lon: Schema.Number,
 *   place: Schema.NonEmptyString,
 *   time: Schema.DateFromSelf,
 *   scale: Schema.Literal("mw", "ml"),
 * })
 * const Quakes = ArraySchema.fromRows(Quake, {
 *   dims: { lat: Dim.float64([-90, 90], { tile: 10 }), lon: Dim.float64([-180, 180], { tile: 10 }) },
 * })
 * const rows = [
 *   { lat: 38.3, lon: 142.4, place: "Tōhoku", time: new Date("2011-03-11T05:46:24Z"), scale: "mw" as const },
 *   { lat: -38.1, lon: -73.4, place: "Valdivia", time: new Date("1960-05-22T19:11:14Z"), scale: "mw" as const },
 * ]
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.create("mem://quakes", Quakes)
 *   yield* Sparse.writeRows(quakes, rows, Quake)
 *   return yield* Sparse.decodeRows(yield* Sparse.read(yield* TileArray.reopen(quakes)), Quake)
 * })
 * const found = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(found, [rows[1], rows[0]]) // from south to north
 * ```
 */
export const writeRows = <S extends ArraySchema<"sparse"> | undefined, A, I, R, E = never, R2 = never>(
  array: TileArray<S>,
  rows: Rows<A, E, R2>,
  schema: Schema.Schema<A, I, R>,
  options: SparseWriterOptions = {},
): Effect.Effect<WriteResult, E | WriteRowsError, R | R2 | Storage | Codecs> =>
  writeEncoded(openedOf(array), rows, schema, writer(array as TileArray, options)).pipe(
    traced("Sparse.writeRows", array),
  )
