/**
 * Dense arrays: read and write boxes of cells.
 *
 * ```ts
 * import { Dense, TileArray } from "@tessera/array"
 * import { layerDefault } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   return yield* Dense.read(weather, { select: ["temperature"], region: { day: [57, 58], station: [[1, 2], 4] } })
 * })
 * const { shape, columns } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(shape, [2, 3])
 * assertEquals([...columns.temperature.values], [4.5, 5, 6, 5.5, 6.5, 7])
 * ```
 *
 * @module
 */
export * from "./query/dense.ts"
export * from "./write/dense.ts"
export * from "./write/dense_rows.ts"
export * from "./transfer/from_typed_array.ts"
