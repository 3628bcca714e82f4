/**
 * The layer of runtimes with native codecs: a router over local files, web servers and memory, and the codecs. A module of
 * its own, because the command line does not need the portable codecs that `layerDefault` loads in browsers.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Codecs } from "../codecs/service.ts"
import { logCodecFallback } from "../codecs/layers/native.ts"
import { withWebp } from "../codecs/webp/codec.ts"
import { compileWebp, compileWebpEncoder } from "../codecs/webp/locate.ts"
import { httpFiles } from "../storage/http/default_http.ts"
import { makeMemoryStorage } from "../storage/memory.ts"
import { makeRouter } from "../storage/router.ts"
import { Storage } from "../storage/service.ts"
import { makeWorkers } from "../workers/worker_pool.ts"

/** Returns a router over local files, web servers and a memory of its own. */
export const makeStorage = (local: Storage): Storage => {
  const web = httpFiles()
  let memory: Storage | undefined
  return makeRouter({
    file: local,
    http: web,
    https: web,
    // most programs never use it, and some provide this layer for every query
    get mem() {
      return memory ??= makeMemoryStorage()
    },
  })
}

/** Returns the layer with a storage of local files and codecs. */
export const makeNativeLayer = (
  local: Storage,
  scopedCodecs: Effect.Effect<Codecs, never, Scope.Scope>,
): Layer.Layer<Storage | Codecs> =>
  // one layer: merging several takes a tenth of a short run
  Layer.scopedContext(
    Effect.zipWith(Effect.zipRight(logCodecFallback, scopedCodecs), makeWorkers(), (codecs, workers) =>
      Context.add(
        Context.make(Storage, makeStorage(local)),
        Codecs,
        withWebp({ ...codecs, workers }, compileWebp, compileWebpEncoder),
      )),
  )
