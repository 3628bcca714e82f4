/**
 * The default layer with codecs in plain TypeScript. It is a separate module, so that programs with the native codecs
 * do not load the portable ones.
 *
 * @module
 */
import * as Layer from "effect/Layer"
import type { Codecs } from "../codecs/service.ts"
import { layerPortable } from "../codecs/layers/portable.ts"
import { layerWebp } from "../codecs/webp/locate.ts"
import { layerStorage } from "./default_layer.ts"
import type { Storage } from "../storage/service.ts"

/**
 * Like `layerDefault`, with the portable codecs: slower, and the reference implementation for testing the native ones.
 *
 * ```ts
 * import { TileArray } from "@tessera/array"
 * import { layerDefaultPortable } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.map(TileArray.open("tests/golden/demo/weather"), (array) => array.schema.arrayType)
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefaultPortable)), "dense")
 * ```
 */
export const layerDefaultPortable: Layer.Layer<Storage | Codecs> = Layer.merge(
  layerStorage,
  Layer.provide(layerWebp, layerPortable),
)
