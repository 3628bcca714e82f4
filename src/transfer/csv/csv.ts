/**
 * Imports CSV into arrays: as a stream in bounded memory, with given datatypes or with datatypes inferred from the
 * first rows.
 *
 * ```ts
 * import { Csv, Dense, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Stream from "effect/Stream"
 *
 * const program = Effect.gen(function* () {
 *   const text = "lat,lon,temperature\n10,20,1.5\n10,21,2\n11,20,2.5\n11,21,\n"
 *   yield* Csv.create("mem://weather", Stream.make(text), { dims: ["lat", "lon"], tile: { lat: 90, lon: 90 } })
 *   const { shape, columns } = yield* Dense.read(yield* TileArray.open("mem://weather"))
 *   return [shape, columns.temperature.type, columns.temperature.validity]
 * })
 * const found = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(found, [[2, 2], "float64", Uint8Array.of(1, 1, 1, 0)])
 * ```
 *
 * @module
 */
export type { CsvForm } from "./csv_rows.ts"
export type { CsvInput } from "./csv_input.ts"
export type { CsvSchemaOptions } from "./csv_schema.ts"
export type { CsvType } from "./csv_types.ts"
export { appendCsv as append, createCsv as create, type CsvCreateOptions } from "./import_csv.ts"
export type { CsvImportError, CsvOptions, CsvProgress, ImportResult } from "./write_csv.ts"
