/**
 * The default layer for Deno, Bun and Node: a router over local files, web servers, S3 and memory, and the codecs.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Codecs } from "../codecs/service.ts"
import { scopedNativeCodecs } from "../codecs/layers/native.ts"
import { withWebp } from "../codecs/webp/codec.ts"
import { compileWebp, compileWebpEncoder } from "../codecs/webp/locate.ts"
import { hasBuiltins } from "../host/builtin_modules.ts"
import { localFiles } from "../storage/local/local.ts"
import { Storage } from "../storage/service.ts"
import { makeNativeLayer, makeStorage } from "./native_layer.ts"

/**
 * The default storage: a router that sends plain paths and `file://` to local files, `http://` and `https://` to web
 * servers (read-only, with the defaults of {@link httpFiles}), `s3://` to S3 with the keys of the environment (the entry
 * `@tessera/array/aws` has the options), and `mem://` to a memory that belongs to this layer.
 *
 * ```ts
 * import { layerStorage, StorageService } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const storage = yield* StorageService
 *   yield* storage.write("mem://a", Uint8Array.of(1, 2, 3))
 *   return (yield* storage.readTail("mem://a", 2)).bytes
 * })
 * assertEquals(Effect.runSync(Effect.provide(program, layerStorage)), Uint8Array.of(2, 3))
 * ```
 */
export const layerStorage: Layer.Layer<Storage> = Layer.sync(Storage, () => makeStorage(localFiles))

/**
 * The layer for programs on Deno, Bun and Node: {@link layerStorage}, the native codecs, and WebP, which is loaded on
 * first use. In Deno and Bun it has one worker thread per core except one; the threads start with the first large read
 * and end with the layer. In a browser it provides the portable codecs on the calling thread; building the layer loads
 * them, which is asynchronous.
 *
 * ```ts
 * import { layerDefault, StorageService } from "@tessera/array/platform"
 * import { assert } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.flatMap(StorageService, (storage) => storage.list("tests/golden/demo/weather"))
 * const entries = Effect.runSync(Effect.provide(program, layerDefault))
 * assert(entries.some((entry) => entry.name === "__schema"))
 * ```
 */
export const layerDefault: Layer.Layer<Storage | Codecs> = Layer.suspend(() =>
  hasBuiltins() ? makeNativeLayer(localFiles, scopedNativeCodecs()) : makePortableLayer()
)

/** Returns the layer for browsers: the portable codecs on the calling thread. Other runtimes do not load them. */
const makePortableLayer = (): Layer.Layer<Storage | Codecs> =>
  Layer.effectContext(
    Effect.map(Effect.promise(() => import("../codecs/layers/portable.ts")), ({ portableCodecs }) =>
      Context.add(
        Context.make(Storage, makeStorage(localFiles)),
        Codecs,
        withWebp(portableCodecs, compileWebp, compileWebpEncoder),
      )),
  )
