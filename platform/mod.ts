/**
 * The storage and codec services, and the layers that provide them.
 *
 * - **Storage** – {@link StorageService} is the tag (the global `Storage` of the Web has another meaning).
 *   {@link layerLocal}, {@link layerHttp}, {@link layerMemory} and {@link makeRouter} provide it. {@link withCoalescing},
 *   {@link withCache}, {@link withRetry} and {@link withLimit} add behaviour to any storage; {@link withCounters} counts
 *   calls and bytes, and {@link withFaults} injects failures for tests.
 * - **Codecs** – {@link Codecs} is the tag; {@link layerNative} and {@link layerPortable} provide it, {@link layerWebp} adds
 *   WebP.
 * - **Both services** – {@link layerDefault}, or {@link layerDefaultPortable} with codecs in plain TypeScript.
 *
 * ```ts
 * import { layerDefault, StorageService } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const storage = yield* StorageService
 *   yield* storage.write("mem://folder/file", Uint8Array.of(1, 2, 3))
 *   return yield* storage.list("mem://folder")
 * })
 * const [{ name, kind, size }] = Effect.runSync(Effect.provide(program, layerDefault))
 * assertEquals([name, kind, size], ["file", "file", 3])
 * ```
 *
 * @module
 */
export { Codecs, type Compressor, type Picture, type WebpCodec, type WebpEncoder } from "./codecs/service.ts"
export { layerNative, nativeCodecs } from "./codecs/layers/native.ts"
export { layerPortable, portableCodecs } from "./codecs/layers/portable.ts"
export { layerWebpFrom, withWebp } from "./codecs/webp/codec.ts"
export { layerZstdEncoder, withZstdEncoder } from "./codecs/zstd/wasm_encoder.ts"
export { compileWebp, compileWebpEncoder, layerWebp } from "./codecs/webp/locate.ts"
export {
  AlreadyExists,
  CodecError,
  type CodecReason,
  InvalidOption,
  type InvalidOptionReason,
  NotFound,
  StorageError,
  type StorageOp,
  type StorageReason,
  type TaggedErrorClass,
} from "./errors.ts"
export { httpFiles, type HttpFilesOptions, layerHttp } from "./storage/http/default_http.ts"
export type { HttpOptions } from "./storage/http/request.ts"
export { type Advised, Hint } from "../schema/errors/hint.ts"
export { type EncryptionKey, InvalidKey, parseKey } from "./keys.ts"
export { publish, type PublishResult } from "./storage/http/publish_manifest.ts"
export { layerDefault, layerStorage } from "./runtime/default_layer.ts"
export { layerDefaultPortable } from "./runtime/portable_layer.ts"
export {
  type ByteRange,
  createUnique,
  type Entry,
  type FileEntry,
  type FileInfo,
  type FilePage,
  type FileWriter,
  listAll,
  type ListPage,
  listStream,
  Storage as StorageService,
  type Tail,
} from "./storage/service.ts"
export * as Metrics from "./observability/metrics.ts"
export { withMetrics } from "./storage/measured.ts"
export { layerSpans, withSpans } from "./storage/middleware/spans.ts"
export { makeHttpStorage } from "./storage/http/http.ts"
export { layerLocal, localFiles, type LocalOptions, makeLocalStorage } from "./storage/local/local.ts"
export type { Durability } from "./storage/local/durability.ts"
export { layerMemory, makeMemoryStorage } from "./storage/memory.ts"
export { makeRouter } from "./storage/router.ts"
export { type CacheOptions, isImmutable, withCache } from "./storage/middleware/cache.ts"
export {
  type CoalescingOptions,
  type CoalescingPlan,
  planCoalescing,
  withCoalescing,
} from "./storage/middleware/coalescing.ts"
export { type Fault, type FaultPlan, type FaultyStorage, withFaults } from "./storage/middleware/faults.ts"
export { withLimit } from "./storage/middleware/limit.ts"
export { type RetryOptions, withRetry } from "./storage/middleware/retry.ts"
export {
  layerTrace,
  makeCounters,
  type StorageCall,
  type StorageCounters,
  type StorageOperation,
  withCounters,
} from "./storage/middleware/counters.ts"
export { layerWorkers } from "./runtime/layer_workers.ts"
export type { ProgramWorker } from "./workers/thread.ts"
export type { WorkerLost, WorkerModule, WorkerPool, Workers } from "./workers/worker_pool.ts"
