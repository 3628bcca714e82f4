/**
 * A storage middleware that counts requests in the metrics.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as MetricLabel from "effect/MetricLabel"
import { addAmount, tags } from "../observability/counts.ts"
import type { Backend } from "./defaults.ts"
import { schemeOf } from "./uri.ts"

/** Metric tags of a scheme and of each operation on it. */
interface SchemeTags {
  readonly scheme: ReadonlyArray<MetricLabel.MetricLabel>
  readonly operations: Map<string, ReadonlyArray<MetricLabel.MetricLabel>>
}

/** Returns a function that looks up metric tags; each tag list is created once. */
const makeStorageTags = () => {
  const schemes = new Map<string, SchemeTags>()
  return (uri: string, operation: string) => {
    const scheme = schemeOf(uri)
    let ofScheme = schemes.get(scheme)
    if (ofScheme === undefined) schemes.set(scheme, ofScheme = { scheme: tags({ scheme }), operations: new Map() })
    let both = ofScheme.operations.get(operation)
    if (both === undefined) ofScheme.operations.set(operation, both = tags({ scheme, operation }))
    return { scheme: ofScheme.scheme, both }
  }
}

/**
 * Counts the requests and bytes of a storage in the metrics `tessera.storage.*`, and in the spans of operations. The
 * storages of this package already count them; use this function for your own backend.
 *
 * ```ts
 * import { makeMemoryStorage, type StorageService, withMetrics } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const backend: typeof StorageService.Service = { ...makeMemoryStorage(), list: () => Effect.succeed([]) }
 * assertEquals(Effect.runSync(withMetrics(backend).list("own://bucket")), [])
 * ```
 */
export const withMetrics = <B extends Backend>(storage: B): B => {
  const tagsOf = makeStorageTags()
  const counted = <A, E, R>(
    operation: string,
    uri: string,
    requests: number,
    call: Effect.Effect<A, E, R>,
    bytesRead?: (result: A) => number,
    bytesWritten = 0,
  ): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime((fiber) => {
      const { scheme, both } = tagsOf(uri, operation)
      addAmount(fiber, "requests", requests, both)
      return Effect.matchCauseEffect(call, {
        onFailure: (cause) => {
          addAmount(fiber, "failures", requests, both)
          return Effect.failCause(cause)
        },
        onSuccess: (result) => {
          if (bytesRead !== undefined) addAmount(fiber, "bytesRead", bytesRead(result), scheme)
          addAmount(fiber, "bytesWritten", bytesWritten, scheme)
          return Effect.succeed(result)
        },
      })
    })
  const { listPage, listAllPage, head, exists, copy, moveFolder, createAs, removeAll } = storage
  const derived: Partial<Backend> = {
    ...(listPage && { listPage: (uri, next) => counted("listPage", uri, 1, listPage(uri, next)) }),
    ...(listAllPage && {
      listAllPage: (uri, next) => counted("listAllPage", uri, 1, listAllPage(uri, next)),
    }),
    ...(head && { head: (uri) => counted("head", uri, 1, head(uri)) }),
    ...(exists && { exists: (uri) => counted("exists", uri, 1, exists(uri)) }),
    ...(copy && { copy: (from, to) => counted("copy", to, 1, copy(from, to)) }),
    ...(moveFolder && { moveFolder: (from, to) => counted("moveFolder", to, 1, moveFolder(from, to)) }),
    ...(createAs && {
      createAs: (uri, bytes, id) => counted("create", uri, 1, createAs(uri, bytes, id), undefined, bytes.length),
    }),
    ...(removeAll && { removeAll: (uris) => counted("removeAll", uris[0] ?? "", uris.length, removeAll(uris)) }),
  }
  const primitives: Backend = {
    ...storage,
    list: (uri) => counted("list", uri, 1, storage.list(uri)),
    size: (uri) => counted("size", uri, 1, storage.size(uri)),
    read: (uri) => counted("read", uri, 1, storage.read(uri), (bytes) => bytes.length),
    readRanges: (uri, ranges, into) =>
      counted("readRanges", uri, ranges.length, storage.readRanges(uri, ranges, into), (parts) => {
        let sum = 0
        for (const part of parts) sum += part.length
        return sum
      }),
    readTail: (uri, length) => counted("readTail", uri, 1, storage.readTail(uri, length), ({ bytes }) => bytes.length),
    write: (uri, bytes) => counted("write", uri, 1, storage.write(uri, bytes), undefined, bytes.length),
    openWrite: (uri) =>
      Effect.map(counted("openWrite", uri, 1, storage.openWrite(uri)), (file) => ({
        write: (bytes) => counted("append", uri, 1, file.write(bytes), undefined, bytes.length),
        finish: counted("finish", uri, 1, file.finish),
      })),
    create: (uri, bytes) => counted("create", uri, 1, storage.create(uri, bytes), undefined, bytes.length),
    createFolder: (uri) => counted("createFolder", uri, 1, storage.createFolder(uri)),
    remove: (uri) => counted("remove", uri, 1, storage.remove(uri)),
    removeFolder: (uri) => counted("removeFolder", uri, 1, storage.removeFolder(uri)),
  }
  return { ...storage, ...primitives, ...derived }
}
