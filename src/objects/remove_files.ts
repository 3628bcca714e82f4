/**
 * Removes listed files of arrays and groups, and the folders that are then empty.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../../platform/errors.ts"
import { Storage } from "../../platform/storage/service.ts"
import { join } from "../array/open/listing.ts"
import { ARRAY_SCHEMA_FILE, GROUP_FILE, GROUP_FOLDER, SCHEMA_FOLDER } from "../../schema/name/array_paths.ts"

/**
 * Whether a file makes its folder an array or a group. Such files are copied last and removed first, so that an
 * unfinished object is neither.
 */
export const marksObject = (path: string): boolean => {
  const names = path.split("/")
  const [folder, name] = names.slice(-2)
  const last = name ?? folder
  return last === ARRAY_SCHEMA_FILE || last === GROUP_FILE ||
    (name !== undefined && (folder === SCHEMA_FOLDER || folder === GROUP_FOLDER))
}

/** Maximum depth of folders. */
const MAX_DEPTH = 64

/** Removes empty folders, the deepest first, with `uri` itself. Links are not followed. */
const removeEmptyFolders = (uri: string, depth: number): Effect.Effect<void, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    for (const { name, kind, isLink } of depth < MAX_DEPTH ? yield* storage.list(uri) : []) {
      if (kind === "folder" && isLink !== true) yield* removeEmptyFolders(join(uri, name), depth + 1)
    }
    yield* storage.removeFolder(uri)
  })

/** Removes files of a folder by their paths, and then the folders that are empty, with `uri` itself. */
export const removeListedFiles = (
  uri: string,
  paths: ReadonlyArray<string>,
): Effect.Effect<void, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    for (const group of [paths.filter(marksObject), paths.filter((path) => !marksObject(path))]) {
      const [failure] = yield* storage.removeAll(group.map((path) => join(uri, path)))
      if (failure !== undefined) return yield* Effect.fail(failure)
    }
    yield* removeEmptyFolders(uri, 0)
  })
