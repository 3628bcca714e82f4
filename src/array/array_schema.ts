/**
 * Schemas as typed values: to create arrays, and to open arrays with typed columns.
 *
 * ```ts
 * import { ArraySchema, Attr, Dense, Dim, Filter, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const Weather = ArraySchema.dense({
 *   dims: { day: Dim.int32([1, 366], { tile: 7 }), station: Dim.int32([1, 100], { tile: 10 }) },
 *   attrs: { temperature: Attr.float32({ filters: [Filter.byteshuffle(), Filter.zstd({ level: 5 })] }), note: Attr.ascii({ filters: [Filter.gzip({ level: 9 })] }) },
 * })
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather", Weather)
 *   const { columns } = yield* Dense.read(weather, { select: ["temperature"], region: { day: 60, station: [1, 4] } })
 *   return columns.temperature // Float32Array
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), Float32Array.of(7.5, 8, 6.5, 9.5))
 * ```
 *
 * `ArraySchema.dense` and `ArraySchema.sparse` enforce the engine's rules and throw a `SchemaError` that names the
 * field. Defaults are the engine's: row-major orders, a capacity of 10,000 cells, Zstandard for coordinates and
 * offsets, RLE for validity, the datatype's own fill values. Fields are in the order of the object's properties;
 * JavaScript puts integer-like names (`"0"`, `"12"`) first.
 *
 * Format: `array_schema.md`.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { ArraySchema } from "../schema_builder/schema_value.ts"
import { fromStructure } from "../schema_builder/structure.ts"
import { type EnumerationError, loadEnumerations } from "./enumeration/enumerations.ts"
import { type AnyTileArray, openedOf } from "./open/handle.ts"

export * from "../schema_builder/array_schema.ts"

/**
 * Returns the schema of an open array with the values of its enumerations: to create another array like it, or to write
 * it as JSON. Its fields are unknown to TypeScript. Takes one read per enumeration; fails as `TileArray.enumerations`
 * does.
 *
 * ```ts
 * import { ArraySchema, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.flatMap(TileArray.open("tests/golden/demo/weather"), ArraySchema.of)
 * const schema = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(schema.attributeNames, ["temperature", "note"])
 * ```
 */
export const of = (array: AnyTileArray): Effect.Effect<ArraySchema, EnumerationError, Storage | Codecs> => {
  const opened = openedOf(array)
  return Effect.map(loadEnumerations(opened), (enumerations) => fromStructure(opened.schema, enumerations))
}
