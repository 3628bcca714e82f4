/**
 * Combines several storages into one; the scheme of the URI selects the storage.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { StorageError } from "../errors.ts"
import { copyByReading } from "./defaults.ts"
import { forwardStorage } from "./map_storage.ts"
import { comparesVersions, inFlight, type Storage } from "./service.ts"
import { schemeOf, unsupported } from "./uri.ts"

/**
 * Creates a storage that forwards each call to the storage for the URI's scheme: `{ file: …, mem: … }`. Plain paths use
 * `file`. A scheme without a storage fails with reason `Unsupported`.
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
  const storageOf = (uri: string): Storage | undefined => {
    const scheme = schemeOf(uri)
    return Object.hasOwn(routes, scheme) ? routes[scheme] : undefined
  }
  const forwarded = forwardStorage((operation, uri, call) => {
    const storage = storageOf(uri)
    return storage === undefined ? Effect.fail(unsupported(operation, uri, schemeOf(uri))) : call(storage)
  })
  return {
    ...forwarded,
    copy: (from, to) =>
      storageOf(from) === storageOf(to) ? forwarded.copy(from, to) : copyByReading(forwarded, from, to),
    moveFolder: (from, to) =>
      storageOf(from) === storageOf(to) ? forwarded.moveFolder!(from, to) : Effect.succeed(false),
    removeAll: (uris) => {
      const groups = Map.groupBy(uris, schemeOf)
      const removals = Effect.forEach(
        groups.values(),
        (group) =>
          Effect.catchAll(
            forwarded.removeAll(group),
            (error) =>
              Effect.succeed(
                group.map((uri) => new StorageError({ op: error.op, uri, reason: error.reason, cause: error.cause })),
              ),
          ),
      )
      return groups.size === 1 ? forwarded.removeAll(uris) : Effect.map(removals, (failures) => failures.flat())
    },
    comparesVersions: (uri) => comparesVersions(storageOf(uri), uri),
    inFlight: (uri) => {
      const storage = storageOf(uri)
      return storage === undefined ? 1 : inFlight(storage, uri, Infinity)
    },
  }
}
