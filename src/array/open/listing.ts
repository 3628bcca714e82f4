/**
 * A snapshot of an array's folders. Each folder is listed once, all concurrently. Commit files name the fragments, so
 * the fragments folder is not listed. Format: `array_file_hierarchy.md`, both directory layouts.
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../../../platform/errors.ts"
import { type Entry, inFlight, Storage } from "../../../platform/storage/service.ts"
import { COMMITS_FOLDER, SCHEMA_FOLDER } from "../../../schema/name/array_paths.ts"

/** The listings that contain an array's schemas. */
export interface SchemaListing {
  readonly uri: string
  readonly root: ReadonlyArray<Entry>
  readonly schemas: ReadonlyArray<Entry>
}

/** The listings of an array. */
export interface Listing extends SchemaListing {
  readonly commits: ReadonlyArray<Entry>
}

/** Removes trailing slashes from a URI, but keeps the slash of a root. */
export const withoutSlash = (uri: string): string => uri.replace(/(?<=[^/:])\/+$/, "")

/** Appends names to a URI. */
export const join = (uri: string, ...parts: ReadonlyArray<string>): string =>
  parts.reduce((at, part) => at.endsWith("/") ? at + part : `${at}/${part}`, uri)

/** Lists an array: three concurrent listings. */
export const listArray = (uri: string): Effect.Effect<Listing, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const [root, schemas, commits] = yield* Effect.all(
      [
        storage.list(uri),
        storage.list(join(uri, SCHEMA_FOLDER)),
        storage.list(join(uri, COMMITS_FOLDER)),
      ],
      { concurrency: inFlight(storage, uri, 3) },
    )
    return { uri, root, schemas, commits }
  })

/** Lists the schemas of an array: two concurrent listings. */
export const listSchemas = (uri: string): Effect.Effect<SchemaListing, StorageError, Storage> =>
  Effect.flatMap(Storage, (storage) =>
    Effect.map(
      Effect.all([storage.list(uri), storage.list(join(uri, SCHEMA_FOLDER))], {
        concurrency: inFlight(storage, uri, 2),
      }),
      ([root, schemas]) => ({ uri, root, schemas }),
    ))
