/**
 * One storage out of several, chosen by the scheme of the URI.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { StorageError, StorageOp } from "../errors.ts"
import { inFlight, type Storage } from "./service.ts"
import { schemeOf, unsupported } from "./uri.ts"

/**
 * The storage that hands each call to the one of its scheme: `{ file: …, mem: … }`. Plain paths go to `file`. A scheme
 * without a storage fails with reason `Unsupported`.
 *
 * ```ts
 * import { localFiles, makeMemoryStorage, makeRouter } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const storage = makeRouter({ file: localFiles, mem: makeMemoryStorage() })
 * Effect.runSync(storage.write("mem://a", Uint8Array.of(1)))
 * assertEquals(Effect.runSync(storage.size("mem://a")), 1)
 * ```
 */
export const makeRouter = (routes: Readonly<Record<string, Storage>>): Storage => {
  const route = <A, E, R>(
    op: StorageOp,
    uri: string,
    call: (storage: Storage) => Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E | StorageError, R> => {
    const scheme = schemeOf(uri)
    return Object.hasOwn(routes, scheme) ? call(routes[scheme]) : Effect.fail(unsupported(op, uri, scheme))
  }
  return {
    list: (uri) => route("list", uri, (storage) => storage.list(uri)),
    size: (uri) => route("size", uri, (storage) => storage.size(uri)),
    read: (uri) => route("read", uri, (storage) => storage.read(uri)),
    readRanges: (uri, ranges, into) => route("readRanges", uri, (storage) => storage.readRanges(uri, ranges, into)),
    readTail: (uri, length) => route("readTail", uri, (storage) => storage.readTail(uri, length)),
    write: (uri, bytes) => route("write", uri, (storage) => storage.write(uri, bytes)),
    openWrite: (uri) => route("openWrite", uri, (storage) => storage.openWrite(uri)),
    create: (uri, bytes) => route("create", uri, (storage) => storage.create(uri, bytes)),
    createFolder: (uri) => route("createFolder", uri, (storage) => storage.createFolder(uri)),
    remove: (uri) => route("remove", uri, (storage) => storage.remove(uri)),
    removeFolder: (uri) => route("removeFolder", uri, (storage) => storage.removeFolder(uri)),
    inFlight: (uri) => {
      const scheme = schemeOf(uri)
      return Object.hasOwn(routes, scheme) ? inFlight(routes[scheme], uri, Infinity) : 1
    },
    mode: (uri) => route("mode", uri, (storage) => storage.mode?.(uri) ?? Effect.succeed(undefined)),
    realPath: (uri) => route("realPath", uri, (storage) => storage.realPath?.(uri) ?? Effect.succeed(uri)),
    unlisted: (uri) => route("unlisted", uri, (storage) => storage.unlisted?.(uri) ?? Effect.succeed([])),
  }
}
