/**
 * How bytes and cycles get here: the storage and codec services, and the layers that provide them.
 *
 * - **Storage** – {@link StorageService} is the tag (`Storage` is a global of the Web, so the name stays clear of it).
 *   {@link layerLocal}, {@link layerMemory} and {@link makeRouter} provide it; {@link withTrace} counts what is asked of it.
 * - **Codecs** – {@link Codecs} is the tag; {@link layerNative} and {@link layerPortable} provide it, {@link layerWebp} adds
 *   WebP.
 * - **All at once** – {@link layerDefault}, or {@link layerDefaultPortable}.
 *
 * ```ts
 * import { layerDefault, StorageService } from "@tessera/array/platform"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const storage = yield* StorageService
 *   yield* storage.write("mem://folder/file", Uint8Array.of(1, 2, 3))
 *   return yield* storage.list("mem://folder")
 * })
 * Effect.runSync(Effect.provide(program, layerDefault)) // [{ name: "file", kind: "file", size: 3 }]
 * ```
 *
 * @module
 */
export { Codecs, type Compressor, type Picture, type WebpCodec } from "./codecs.ts"
export { layerNative, nativeCodecs } from "./codecs_native.ts"
export { layerPortable, portableCodecs } from "./codecs_portable.ts"
export { layerWebpFrom, withWebp } from "./codecs_webp.ts"
export { compileWebp, layerWebp } from "./codecs_webp_native.ts"
export {
  AlreadyExists,
  CodecError,
  NotFound,
  StorageError,
  type StorageReason,
  type TaggedErrorClass,
} from "./errors.ts"
export { InvalidKey, parseKey } from "./keys.ts"
export { layerDefault, layerStorage } from "./runtime.ts"
export { layerDefaultPortable } from "./runtime_portable.ts"
export { type ByteRange, type Entry, Storage as StorageService, type Tail } from "./storage.ts"
export { layerLocal, localFiles } from "./storage_local.ts"
export { layerMemory, makeMemoryStorage } from "./storage_memory.ts"
export { makeRouter } from "./storage_router.ts"
export { layerTrace, makeTrace, type StorageOperation, type Trace, type TracedCall, withTrace } from "./with_trace.ts"
