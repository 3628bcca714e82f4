/**
 * Default implementations of storage functions by means of other storage functions, for backends that have no faster
 * way.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { NotFound, StorageError } from "../errors.ts"
import { type FileInfo, inFlight, type ListPage, type Storage } from "./service.ts"

/** Chunk size of `copy`, in bytes. */
const COPY_CHUNK_SIZE = 8 << 20

/** Maximum number of concurrent removals. */
const MAX_REMOVALS = 16

/** Copies a file by reading it in chunks of 8 MiB and writing them to an open file. */
export const copyByReading = (
  storage: Pick<Storage, "size" | "readRanges" | "openWrite">,
  from: string,
  to: string,
): Effect.Effect<void, NotFound | StorageError> =>
  Effect.scoped(Effect.gen(function* () {
    const size = yield* storage.size(from)
    const file = yield* storage.openWrite(to)
    for (let offset = 0; offset < size; offset += COPY_CHUNK_SIZE) {
      const range = { offset, length: Math.min(COPY_CHUNK_SIZE, size - offset) }
      const [bytes] = yield* storage.readRanges(from, [range])
      yield* file.write(bytes)
    }
    yield* file.finish
  }))

/** Removes each file by a separate call; returns the errors. */
export const removeEach = (
  uris: ReadonlyArray<string>,
  concurrency: number,
  remove: (uri: string) => Effect.Effect<void, StorageError>,
): Effect.Effect<ReadonlyArray<StorageError>> =>
  Effect.map(
    Effect.forEach(uris, (uri) => Effect.either(remove(uri)), { concurrency }),
    (results) => results.flatMap((result) => Either.isLeft(result) ? [result.left] : []),
  )

/** Functions that {@link withDefaults} can add. */
type Derived = "listPage" | "head" | "exists" | "copy" | "removeAll"

/** A storage that may omit the functions that {@link withDefaults} adds. */
export type Backend = Omit<Storage, Derived> & Partial<Pick<Storage, Derived>>

/** Adds the functions that a backend omits: `listPage`, `head`, `exists`, `copy` and `removeAll`. */
export const withDefaults = (backend: Backend): Storage => ({
  listPage: (uri) => Effect.map(backend.list(uri), (entries): ListPage => ({ entries })),
  head: (uri) => Effect.map(backend.size(uri), (size): FileInfo => ({ size })),
  exists: (uri) =>
    Effect.matchEffect(backend.size(uri), {
      onSuccess: () => Effect.succeed(true),
      onFailure: (error) => error._tag === "NotFound" ? Effect.succeed(false) : Effect.fail(error),
    }),
  copy: (from, to) => copyByReading(backend, from, to),
  removeAll: (uris) => removeEach(uris, inFlight(backend, uris[0] ?? "", MAX_REMOVALS), backend.remove),
  ...backend,
})
