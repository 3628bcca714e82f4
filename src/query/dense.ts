/**
 * Dense arrays: read boxes of cells.
 *
 * ```ts
 * import { Dense, TileArray } from "@tessera/array"
 * import { layerDefault } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   return yield* Dense.read(weather, { select: ["temperature"], ranges: { day: [57, 58], station: [[1, 2], 4] } })
 * })
 * const { shape, columns } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(shape, [2, 3])
 * assertEquals([...columns.temperature.values], [4.5, 5, 6, 5.5, 6.5, 7])
 * ```
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import { openedOf, type TileArray } from "../array/handle.ts"
import { type DenseResult, readDense } from "./read_dense.ts"
import type { ReadError } from "./read_error.ts"
import type { ReadOptions } from "./read_options.ts"

export type { DenseResult } from "./read_dense.ts"
export type { ReadError } from "./read_error.ts"
export type { Order, ReadOptions } from "./read_options.ts"
export type { Bound, Outside, RangeInput, RangesInput } from "./selection.ts"

/** Reads a box, or boxes, of a dense array: by default the non-empty domain and all attributes, row-major. */
export const read = (
  array: TileArray,
  options: ReadOptions = {},
): Effect.Effect<DenseResult, ReadError, Storage | Codecs> => readDense(openedOf(array), options)
