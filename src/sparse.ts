/**
 * Sparse arrays: reads and writes cells.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const Quakes = ArraySchema.sparse({
 *   dims: { lat: Dim.float64([-90, 90], { tile: 10 }), lon: Dim.float64([-180, 180], { tile: 10 }) },
 *   attrs: { depth: Attr.float32(), place: Attr.utf8() },
 * })
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes", Quakes)
 *   return yield* Sparse.read(quakes, { select: ["lat", "depth"], region: { lat: [30, 46], lon: [128, 148] } })
 * })
 * const { length, columns } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(length, 2)
 * assertEquals(columns.lat, Float64Array.of(37.8, 38.3))
 * assertEquals(columns.depth, Float32Array.of(10, 29))
 * ```
 *
 * @module
 */
export * from "./query/sparse.ts"
export * from "./write/sparse.ts"
export * from "./write/sparse_rows.ts"
export * from "./write/delete.ts"
