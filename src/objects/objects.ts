/**
 * Arrays and groups as a whole: remove, move and copy them with everything that belongs to them.
 *
 * ```ts
 * import { Objects, TileArray } from "@tessera/array"
 * import { layerDefault } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Objects.copy("tests/golden/demo/weather", "mem://copy")
 *   yield* Objects.move("mem://copy", "mem://moved")
 *   const isThere = yield* TileArray.exists("mem://moved")
 *   const { objects } = yield* Objects.remove("mem://moved")
 *   return [isThere, objects.length]
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), [true, 1])
 * ```
 *
 * @module
 */
export { copyObject as copy, type CopyObjectError, type CopyObjectOptions, type CopyObjectResult } from "./copy.ts"
export { type MoveError, moveObject as move, type MoveResult } from "./move.ts"
export {
  type RemovedObject,
  type RemoveError,
  removeObject as remove,
  type RemoveOptions,
  type RemoveResult,
} from "./remove.ts"
