/**
 * Lists all folders of an array except the folders of fragments.
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../../platform/errors.ts"
import { type Entry, inFlight, Storage } from "../../platform/storage/service.ts"
import {
  COMMITS_FOLDER,
  ENUMERATIONS_FOLDER,
  FRAGMENT_METADATA_FOLDER,
  FRAGMENTS_FOLDER,
  METADATA_FOLDER,
  SCHEMA_FOLDER,
} from "../../schema/name/array_paths.ts"
import { join } from "../array/open/listing.ts"

/** The entries of each folder of an array; `root` is the array's own folder. */
export interface Folders {
  readonly uri: string
  readonly root: ReadonlyArray<Entry>
  readonly schemas: ReadonlyArray<Entry>
  readonly enumerations: ReadonlyArray<Entry>
  readonly commits: ReadonlyArray<Entry>
  readonly fragments: ReadonlyArray<Entry>
  readonly fragmentMetadata: ReadonlyArray<Entry>
  readonly metadata: ReadonlyArray<Entry>
}

/** Lists the folders concurrently. A missing folder is empty. */
export const listFolders = (uri: string): Effect.Effect<Folders, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const list = (folder: string) => storage.list(join(uri, folder))
    const listings = yield* Effect.all({
      root: storage.list(uri),
      schemas: list(SCHEMA_FOLDER),
      enumerations: list(ENUMERATIONS_FOLDER),
      commits: list(COMMITS_FOLDER),
      fragments: list(FRAGMENTS_FOLDER),
      fragmentMetadata: list(FRAGMENT_METADATA_FOLDER),
      metadata: list(METADATA_FOLDER),
    }, { concurrency: inFlight(storage, uri, 7) })
    return { uri, ...listings }
  })
