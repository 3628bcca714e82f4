/**
 * Everything wired, with the codecs in plain TypeScript. A module of its own, so that programs with the native codecs do not
 * load these.
 *
 * @module
 */
import * as Layer from "effect/Layer"
import type { Codecs } from "./codecs.ts"
import { layerPortable } from "./codecs_portable.ts"
import { layerWebp } from "./codecs_webp_native.ts"
import { layerStorage } from "./runtime.ts"
import type { Storage } from "./storage.ts"

/** As `layerDefault`, with the portable codecs: slower, and the twin to compare the native ones with. */
export const layerDefaultPortable: Layer.Layer<Storage | Codecs> = Layer.merge(
  layerStorage,
  Layer.provide(layerWebp, layerPortable),
)
