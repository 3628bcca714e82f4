/**
 * The layer for runtimes with native codecs: a router over local files, web servers, S3 and memory, and the codecs. It is a
 * separate module, because the command line does not need the portable codecs that `layerDefault` loads in browsers.
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
import { s3Files } from "../storage/s3/default_s3.ts"
import { makeMemoryStorage } from "../storage/memory.ts"
import { makeRouter } from "../storage/router.ts"
import { Storage } from "../storage/service.ts"
import { makeWorkers } from "../workers/worker_pool.ts"

/** Returns a router over `local`, web servers, S3, and a new storage in memory. */
export const makeStorage = (local: Storage): Storage => {
  const web = httpFiles()
  let memory: Storage | undefined
  let s3: Storage | undefined
  return makeRouter({
    file: local,
    http: web,
    https: web,
    // created on first use: most programs never use them, and some provide this layer for every query
    get mem() {
      return memory ??= makeMemoryStorage()
    },
    get s3() {
      return s3 ??= s3Files()
    },
    get s3a() {
      return s3 ??= s3Files()
    },
  })
}

/** Returns a layer with the codecs and a storage that uses `local` for local files. */
export const makeNativeLayer = (
  local: Storage,
  scopedCodecs: Effect.Effect<Codecs, never, Scope.Scope>,
): Layer.Layer<Storage | Codecs> =>
  // one layer instead of several merged ones: merging takes a tenth of the time of a short run
  Layer.scopedContext(
    Effect.zipWith(Effect.zipRight(logCodecFallback, scopedCodecs), makeWorkers(), (codecs, workers) =>
      Context.add(
        Context.make(Storage, makeStorage(local)),
        Codecs,
        withWebp({ ...codecs, workers }, compileWebp, compileWebpEncoder),
      )),
  )
