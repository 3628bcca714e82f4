/**
 * Measures the files of an array, and the requests of an open.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { EncryptionKey } from "../../../platform/keys.ts"
import type { StorageError } from "../../../platform/errors.ts"
import { makeCounters, withCounters } from "../../../platform/storage/middleware/counters.ts"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import { join } from "../../array/open/listing.ts"
import { openArray, type OpenError } from "../../array/open/open.ts"

/** The files of an array and the cost of an open. */
export interface Footprint {
  /** Number of files in the folders of the array, with files that consolidation replaced. */
  readonly files: number
  /** Size of these files in bytes. */
  readonly bytes: number
  /** Number of storage requests of an open. */
  readonly openRequests: number
}

/** Counts the files in a folder and its subfolders. Does not follow links. */
const countFiles = (
  uri: string,
): Effect.Effect<Pick<Footprint, "files" | "bytes">, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    let files = 0
    let bytes = 0
    const folders: Array<string> = []
    for (const { name, kind, size, isLink } of yield* storage.list(uri)) {
      if (isLink === true) continue
      if (kind === "folder") folders.push(join(uri, name))
      else {
        files++
        // another process may have removed the file after the listing
        bytes += size ?? (yield* Effect.catchTag(storage.size(join(uri, name)), "NotFound", () => Effect.succeed(0)))
      }
    }
    const counts = yield* Effect.forEach(folders, countFiles, { concurrency: inFlight(storage, uri, 8) })
    for (const count of counts) {
      files += count.files
      bytes += count.bytes
    }
    return { files, bytes }
  })

/** Measures an array. */
export const footprintOf = (
  uri: string,
  key: EncryptionKey | undefined,
): Effect.Effect<Footprint, OpenError | StorageError, Storage | Codecs> =>
  Effect.gen(function* () {
    const counters = makeCounters()
    const storage = withCounters(yield* Storage, counters)
    yield* Effect.provideService(
      openArray(uri, { end: Number.MAX_SAFE_INTEGER, ...(key === undefined ? {} : { key }) }),
      Storage,
      storage,
    )
    return { ...(yield* countFiles(uri)), openRequests: counters.requests }
  })
