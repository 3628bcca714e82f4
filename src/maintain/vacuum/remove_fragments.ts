/**
 * Removes fragments: the commit first, then the data, so that no reader sees a fragment without its data. Format:
 * `ignore_file.md`.
 */
import * as Effect from "effect/Effect"
import { createUnique, inFlight, Storage } from "../../../platform/storage/service.ts"
import { encode } from "../../../schema/binary/mod.ts"
import { IgnoreFile } from "../../../schema/commit/ignore_file.ts"
import { commitPath, fragmentPath, FRAGMENTS_FOLDER } from "../../../schema/name/array_paths.ts"
import { FRAGMENT_METADATA_FILE } from "../../../schema/name/data_file.ts"
import type { TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { CURRENT_VERSION, Since } from "../../../schema/version/version.ts"
import { newName } from "../../array/create/fragment_name.ts"
import { join, type Listing } from "../../array/open/listing.ts"
import type { CommitFiles } from "../directory/commit_files.ts"
import { spanOf } from "../directory/consolidated_name.ts"
import { removeFiles, type VacuumFailure } from "./removal.ts"

/** Returns the folder of a fragment, which depends on its version; names before format 5 contain no version. */
export const folderOf = (name: TimestampedName): string => fragmentPath(name.version, name.name)

/** Returns the path of a commit file; before format 5 it is the metadata file. */
const commitOf = (name: TimestampedName): string =>
  commitPath(name.version, name.name, "write") ?? `${name.name}/${FRAGMENT_METADATA_FILE}`

/** The folders of fragments that exist, by path relative to the array. */
export interface FragmentFolders {
  readonly present: ReadonlySet<string>
  /** Those that are symbolic links. */
  readonly links: ReadonlySet<string>
}

/** Lists the folders of fragments of an array. */
export const listFragmentFolders = (
  uri: string,
  { root }: Listing,
): Effect.Effect<FragmentFolders, VacuumFailure, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const folders = [
      ...root.map((entry) => ({ ...entry, path: entry.name })),
      ...(yield* storage.list(join(uri, FRAGMENTS_FOLDER))).map((entry) => ({
        ...entry,
        path: `${FRAGMENTS_FOLDER}/${entry.name}`,
      })),
    ]
    return {
      present: new Set(folders.map(({ path }) => path)),
      links: new Set(folders.flatMap(({ path, isLink }) => isLink === true ? [path] : [])),
    }
  })

/** Removes the data files of a fragment and its folder. Files with other names stay. */
const removeFolder = (uri: string): Effect.Effect<void, VacuumFailure, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const files = (yield* storage.list(uri)).filter(({ name, kind }) => kind === "file" && name.endsWith(".tdb"))
    // remove the metadata first: in arrays of format 4 or earlier it is the commit
    const isMetadata = (name: string) => name === FRAGMENT_METADATA_FILE
    for (const part of [files.filter((f) => isMetadata(f.name)), files.filter((f) => !isMetadata(f.name))]) {
      yield* removeFiles(uri, part.map(({ name }) => ({ path: name, uri: join(uri, name) })))
    }
    yield* storage.removeFolder(uri)
  })

/** Removes the commits of fragments. An ignore file lists those that a file of consolidated commits contains. */
export const removeCommits = (
  uri: string,
  names: ReadonlyArray<TimestampedName>,
  { consolidated, ignored }: CommitFiles,
  version: number,
): Effect.Effect<void, VacuumFailure, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const listed = new Set(consolidated.flatMap(({ entries }) => entries.map(({ path }) => path)))
    const toIgnore = names.filter((name) => listed.has(commitOf(name)) && !ignored.has(commitOf(name)))
    if (toIgnore.length > 0) {
      const file = yield* newName(spanOf(toIgnore), Math.max(version, Since.folders))
      const lines = toIgnore.map(commitOf)
      yield* createUnique(
        storage,
        join(uri, commitPath(CURRENT_VERSION, file, "ignore")!),
        encode(IgnoreFile, lines, CURRENT_VERSION),
      )
    }
    yield* removeFiles(uri, names.map((name) => ({ path: commitOf(name), uri: join(uri, commitOf(name)) })))
  })

/** Removes the folders of fragments whose commits are removed. */
export const removeFolders = (
  uri: string,
  names: ReadonlyArray<TimestampedName>,
  links: ReadonlySet<string>,
): Effect.Effect<void, VacuumFailure, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    yield* Effect.forEach(names, (name) => {
      const at = join(uri, folderOf(name))
      // the link belongs to the array, but its target does not
      return links.has(folderOf(name)) ? storage.remove(at) : removeFolder(at)
    }, { concurrency: inFlight(storage, uri, 8), discard: true })
  })
