/**
 * Worker threads that the program starts itself.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Codecs } from "../codecs/service.ts"
import type { ProgramWorker } from "../workers/thread.ts"
import { makeWorkers } from "../workers/worker_pool.ts"

/**
 * Adds worker threads, which `start` creates, to the codecs of the layer below. Each thread runs
 * `@tessera/array/worker`, as the program's bundler provides it. At most `threads` are started, by default one per core
 * except one; they start with the first large read or write and end with the layer. If `start` throws or a worker
 * fails, the work runs on the calling thread, and a log message gives the reason.
 *
 * `layerDefault` starts threads by itself; use this layer where a policy of the page or the runtime forbids that.
 *
 * ```ts
 * import { Codecs, layerDefault, layerWorkers } from "@tessera/array/platform"
 * import { assert } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const start = () => new Worker(import.meta.resolve("@tessera/array/worker"), { type: "module" })
 * const layer = Layer.provideMerge(layerWorkers(start, { threads: 2 }), layerDefault)
 * const program = Effect.map(Codecs, ({ workers }) => workers !== undefined)
 * assert(await Effect.runPromise(Effect.provide(program, layer)))
 * ```
 */
export const layerWorkers = (
  start: () => ProgramWorker,
  options: { readonly threads?: number } = {},
): Layer.Layer<Codecs, never, Codecs> =>
  Layer.scoped(
    Codecs,
    Effect.gen(function* () {
      const codecs = yield* Codecs
      return { ...codecs, workers: yield* makeWorkers(options.threads, undefined, start) }
    }),
  )
