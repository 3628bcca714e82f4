/**
 * Everything wired, for Deno, Bun and Node: local files, web servers and memory behind one router, and the codecs.
 *
 * @module
 */
import * as Layer from "effect/Layer"
import type { Codecs } from "./codecs.ts"
import { layerNative } from "./codecs_native.ts"
import { layerWebp } from "./codecs_webp_native.ts"
import { httpFiles } from "./http_files.ts"
import { localFiles } from "./storage_local.ts"
import { makeMemoryStorage } from "./storage_memory.ts"
import { makeRouter } from "./storage_router.ts"
import { Storage } from "./storage.ts"

/**
 * Plain paths and `file://` to local files, `http://` and `https://` to web servers (read-only, with {@link httpFiles}'
 * defaults), `mem://` to a memory of this layer's own.
 */
export const layerStorage: Layer.Layer<Storage> = Layer.sync(Storage, () => {
  const web = httpFiles()
  return makeRouter({ file: localFiles, http: web, https: web, mem: makeMemoryStorage() })
})

/**
 * What programs on Deno, Bun and Node provide: {@link layerStorage}, the native codecs, and WebP when it is met.
 *
 * ```ts
 * import { layerDefault, StorageService } from "@tessera/array/platform"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const storage = yield* StorageService
 *   return yield* storage.list("/no/such/folder")
 * })
 * Effect.runSync(Effect.provide(program, layerDefault)) // []
 * ```
 */
export const layerDefault: Layer.Layer<Storage | Codecs> = Layer.merge(
  layerStorage,
  Layer.provide(layerWebp, layerNative),
)
