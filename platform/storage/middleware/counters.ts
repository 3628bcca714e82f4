/**
 * A storage middleware that counts calls, requests and bytes.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mapStorage, type StorageOperation, type WrapCall } from "../map_storage.ts"
import { Storage } from "../service.ts"

export type { StorageOperation } from "../map_storage.ts"

/** Cumulative counts of a storage. {@link makeCounters} creates them. */
export interface StorageCounters {
  /** Number of calls per operation. */
  readonly calls: Record<StorageOperation, number>
  /** Number of requests: each range of `readRanges` counts as one request, any other call as one. */
  requests: number
  /** Bytes returned by reads. */
  bytesRead: number
  /** Bytes written by successful calls of `write`, `append` and `create`. */
  bytesWritten: number
}

/** A completed call. */
export interface StorageCall {
  /** Name of the operation. */
  readonly operation: StorageOperation
  /** URI of the file or folder. */
  readonly uri: string
  /** Number of requests. */
  readonly requests: number
  /** Bytes returned. */
  readonly bytesRead: number
  /** Bytes written. */
  readonly bytesWritten: number
  /** Whether the call failed or was interrupted. */
  readonly failed: boolean
}

/**
 * Returns counters that are zero.
 *
 * ```ts
 * import { makeCounters } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 *
 * const trace = makeCounters()
 * assertEquals([trace.requests, trace.calls.list], [0, 0])
 * ```
 */
export const makeCounters = (): StorageCounters => ({
  calls: {
    list: 0,
    listPage: 0,
    listAllPage: 0,
    head: 0,
    exists: 0,
    size: 0,
    read: 0,
    readRanges: 0,
    readTail: 0,
    write: 0,
    openWrite: 0,
    append: 0,
    finish: 0,
    create: 0,
    createFolder: 0,
    copy: 0,
    remove: 0,
    removeAll: 0,
    removeFolder: 0,
    moveFolder: 0,
  },
  requests: 0,
  bytesRead: 0,
  bytesWritten: 0,
})

/**
 * Counts every call of a storage in `trace`, and passes each completed call to `onCall`.
 *
 * ```ts
 * import { makeMemoryStorage, makeCounters, withCounters } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const trace = makeCounters()
 * const storage = withCounters(makeMemoryStorage(), trace)
 * Effect.runSync(storage.write("mem://a", new Uint8Array(10)))
 * assertEquals([trace.calls.write, trace.bytesWritten], [1, 10])
 * ```
 */
export const withCounters = (
  storage: Storage,
  trace: StorageCounters,
  onCall?: (call: StorageCall) => void,
): Storage => {
  const traced = <A, E, R>(
    operation: StorageOperation,
    uri: string,
    requests: number,
    call: Effect.Effect<A, E, R>,
    bytes: (answer: A) => { read?: number; written?: number },
  ): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      trace.calls[operation]++
      trace.requests += requests
      return Effect.onExit(call, (exit) =>
        Effect.sync(() => {
          const { read = 0, written = 0 } = exit._tag === "Success" ? bytes(exit.value) : {}
          trace.bytesRead += read
          trace.bytesWritten += written
          const failed = exit._tag === "Failure"
          onCall?.({ operation, uri, requests, bytesRead: read, bytesWritten: written, failed })
        }))
    })
  const none = () => ({})
  const count: WrapCall = (call, operation, uri) => traced(operation, uri, 1, call, none)
  return {
    ...mapStorage(storage, { read: count, list: count, write: count }),
    read: (uri) => traced("read", uri, 1, storage.read(uri), (bytes) => ({ read: bytes.length })),
    readRanges: (uri, ranges, into) =>
      traced("readRanges", uri, ranges.length, storage.readRanges(uri, ranges, into), (parts) => ({
        read: parts.reduce((sum, part) => sum + part.length, 0),
      })),
    readTail: (uri, length) =>
      traced("readTail", uri, 1, storage.readTail(uri, length), (tail) => ({ read: tail.bytes.length })),
    write: (uri, bytes) => traced("write", uri, 1, storage.write(uri, bytes), () => ({ written: bytes.length })),
    openWrite: (uri) =>
      Effect.map(traced("openWrite", uri, 1, storage.openWrite(uri), none), (file) => ({
        write: (bytes) => traced("append", uri, 1, file.write(bytes), () => ({ written: bytes.length })),
        finish: traced("finish", uri, 1, file.finish, none),
      })),
    create: (uri, bytes) => traced("create", uri, 1, storage.create(uri, bytes), () => ({ written: bytes.length })),
    removeAll: (uris) => traced("removeAll", uris[0] ?? "", uris.length, storage.removeAll(uris), none),
  }
}

/**
 * A layer that applies {@link withCounters} to the storage of the layer below.
 *
 * ```ts
 * import { TileArray } from "@tessera/array"
 * import { layerLocal, layerNative, layerTrace, makeCounters } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const trace = makeCounters()
 * const layer = Layer.merge(Layer.provide(layerTrace(trace), layerLocal), layerNative)
 * await Effect.runPromise(Effect.provide(TileArray.open("tests/golden/demo/weather"), layer))
 * assertEquals(trace.calls.readTail, 2) // the ends of its two fragments
 * ```
 */
export const layerTrace = (
  trace: StorageCounters,
  onCall?: (call: StorageCall) => void,
): Layer.Layer<Storage, never, Storage> =>
  Layer.effect(Storage, Effect.map(Storage, (storage) => withCounters(storage, trace, onCall)))
