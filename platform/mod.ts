/**
 * How bytes and cycles get here: the storage and codec services, and the layers that provide them.
 *
 * - **Storage** – {@link StorageService} is the tag (`Storage` is a global of the Web, so the name stays clear of it).
 *   {@link layerLocal}, {@link layerHttp}, {@link layerMemory} and {@link makeRouter} provide it; {@link withCoalescing},
 *   {@link withCache}, {@link withRetry} and {@link withLimit} lie over any of them; {@link withTrace} counts what is asked, and
 *   {@link withFaults} fails where it is told to.
 * - **Codecs** – {@link Codecs} is the tag; {@link layerNative} and {@link layerPortable} provide it, {@link layerWebp} adds
 *   WebP.
 * - **All at once** – {@link layerDefault}, or {@link layerDefaultPortable}.
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
 * assertEquals(Effect.runSync(Effect.provide(program, layerDefault)), [{ name: "file", kind: "file", size: 3 }])
 * ```
 *
 * @module
 */
export { Codecs, type Compressor, type Picture, type WebpCodec, type WebpEncoder } from "./codecs.ts"
export { layerNative, nativeCodecs } from "./codecs_native.ts"
export { layerPortable, portableCodecs } from "./codecs_portable.ts"
export { layerWebpFrom, withWebp } from "./codecs_webp.ts"
export { compileWebp, compileWebpEncoder, layerWebp } from "./codecs_webp_native.ts"
export {
  AlreadyExists,
  CodecError,
  NotFound,
  StorageError,
  type StorageReason,
  type TaggedErrorClass,
} from "./errors.ts"
export { httpFiles, type HttpFilesOptions, layerHttp } from "./http_files.ts"
export type { HttpOptions } from "./http_request.ts"
export { InvalidKey, parseKey } from "./keys.ts"
export { publish, type Published } from "./publish.ts"
export { layerDefault, layerStorage } from "./runtime.ts"
export { layerDefaultPortable } from "./runtime_portable.ts"
export { type ByteRange, type Entry, type FileWriter, Storage as StorageService, type Tail } from "./storage.ts"
export { makeHttpStorage } from "./storage_http.ts"
export { layerLocal, localFiles, type LocalOptions, makeLocalStorage } from "./storage_local.ts"
export type { Durability } from "./storage_local_sync.ts"
export { layerMemory, makeMemoryStorage } from "./storage_memory.ts"
export { makeRouter } from "./storage_router.ts"
export { type CacheOptions, isImmutable, withCache } from "./with_cache.ts"
export { type CoalescingOptions, type CoalescingPlan, planCoalescing, withCoalescing } from "./with_coalescing.ts"
export { type Fault, type FaultPlan, type FaultyStorage, withFaults } from "./with_faults.ts"
export { withLimit } from "./with_limit.ts"
export { type RetryOptions, withRetry } from "./with_retry.ts"
export { layerTrace, makeTrace, type StorageOperation, type Trace, type TracedCall, withTrace } from "./with_trace.ts"
export type { WorkerLost, WorkerPool, Workers } from "./workers.ts"
