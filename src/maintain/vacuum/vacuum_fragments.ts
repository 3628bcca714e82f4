/**
 * Removes fragments that a consolidated fragment replaces: the commit first, then the data, so that no reader sees a
 * fragment without its data. Format: `vacuum_file.md`, `ignore_file.md`.
 */
import * as Effect from "effect/Effect"
import { createUnique, inFlight, Storage } from "../../../platform/storage/service.ts"
import { encode } from "../../../schema/binary/mod.ts"
import { IgnoreFile } from "../../../schema/commit/ignore_file.ts"
import { commitPath, fragmentPath, FRAGMENTS_FOLDER } from "../../../schema/name/array_paths.ts"
import { FRAGMENT_METADATA_FILE } from "../../../schema/name/data_file.ts"
import { parseName, type TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { CURRENT_VERSION, Since } from "../../../schema/version/version.ts"
import { type Directory, loadDirectory } from "../../array/open/directory.ts"
import { newName } from "../../array/create/fragment_name.ts"
import { join, listArray } from "../../array/open/listing.ts"
import { type CommitFiles, loadCommitFiles, type VacuumFileEntry } from "../directory/commit_files.ts"
import { spanOf } from "../directory/consolidated_name.ts"
import { ageProblem, type KeptFile, type RemovalOptions, removeFiles, type VacuumFailure } from "./removal.ts"
import type { VacuumResult } from "./removal.ts"

/** Sorts vacuum files. If a vacuum file belongs to a fragment that another one lists, it comes before that one. */
const sorted = (vacuums: ReadonlyArray<VacuumFileEntry>): ReadonlyArray<VacuumFileEntry> => {
  const byFragment = new Map(vacuums.map((vacuum) => [vacuum.name.name, vacuum]))
  const out = new Set<VacuumFileEntry>()
  const open = new Set<VacuumFileEntry>()
  const visit = (vacuum: VacuumFileEntry): void => {
    if (open.has(vacuum)) return
    open.add(vacuum)
    for (const name of vacuum.fragments) {
      const inner = byFragment.get(name)
      if (inner !== undefined) visit(inner)
    }
    out.add(vacuum)
  }
  vacuums.forEach(visit)
  return [...out]
}

/** Returns the folder of a fragment, which depends on its version; names before format 5 contain no version. */
const folderOf = (name: TimestampedName): string => fragmentPath(name.version, name.name)

/** Returns the path of a commit file; before format 5 it is the metadata file. */
const commitOf = (name: TimestampedName): string =>
  commitPath(name.version, name.name, "write") ?? `${name.name}/${FRAGMENT_METADATA_FILE}`

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

/** The removals for one vacuum file. */
interface Step {
  readonly vacuum: VacuumFileEntry
  readonly names: ReadonlyArray<TimestampedName>
  /** Commits in consolidated files, which an ignore file must list. */
  readonly toIgnore: ReadonlyArray<TimestampedName>
}

/** Runs the removals of a step, in an order that keeps the array readable. */
const runStep = (uri: string, { vacuum, names, toIgnore }: Step, links: ReadonlySet<string>) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    if (toIgnore.length > 0) {
      const file = yield* newName(spanOf(toIgnore), Math.max(vacuum.name.version, Since.folders))
      const lines = toIgnore.map(commitOf)
      yield* createUnique(
        storage,
        join(uri, commitPath(CURRENT_VERSION, file, "ignore")!),
        encode(IgnoreFile, lines, CURRENT_VERSION),
      )
    }
    yield* removeFiles(uri, names.map((name) => ({ path: commitOf(name), uri: join(uri, commitOf(name)) })))
    yield* Effect.forEach(names, (name) => {
      const at = join(uri, folderOf(name))
      // the link belongs to the array, but its target does not
      return links.has(folderOf(name)) ? storage.remove(at) : removeFolder(at)
    }, { concurrency: inFlight(storage, uri, 8), discard: true })
    yield* storage.remove(vacuum.uri)
  })

const stepOf = (vacuum: VacuumFileEntry, { consolidated, ignored }: CommitFiles): Step => {
  const names = vacuum.fragments.flatMap((name) => parseName(name) ?? []).filter(({ name }) =>
    name !== vacuum.name.name
  )
  const listed = new Set(consolidated.flatMap(({ entries }) => entries.map(({ path }) => path)))
  const toIgnore = names.filter((name) => listed.has(commitOf(name)) && !ignored.has(commitOf(name)))
  return { vacuum, names, toIgnore }
}

/** Returns why the fragments that a vacuum file lists must be kept; `undefined` if they can be removed. */
const replacementProblem = (
  { name }: VacuumFileEntry,
  { fragments }: Directory,
): Effect.Effect<string | undefined, VacuumFailure, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const fragment = fragments.find((entry) => entry.name.name === name.name)
    if (fragment === undefined) return `the fragment ${name.name}, which replaces it, is not committed`
    return (yield* storage.exists(join(fragment.uri, FRAGMENT_METADATA_FILE)))
      ? undefined
      : `the fragment ${name.name}, which replaces it, is incomplete`
  })

/** Removes the fragments that vacuum files list, and these files. */
export const vacuumFragments = (
  uri: string,
  { age, dryRun }: RemovalOptions,
): Effect.Effect<VacuumResult, VacuumFailure, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const listing = yield* listArray(uri)
    // read all files before anything is removed, so that a path outside the array fails first
    const files = yield* loadCommitFiles(listing)
    const directory = yield* loadDirectory(listing)
    const vacuums = sorted(files.vacuums)
    if (vacuums.length === 0) return { removed: [], kept: [] }
    const inFolder = yield* storage.list(join(uri, FRAGMENTS_FOLDER))
    const folders = [
      ...listing.root.map((entry) => ({ ...entry, path: entry.name })),
      ...inFolder.map((entry) => ({ ...entry, path: `${FRAGMENTS_FOLDER}/${entry.name}` })),
    ]
    const present = new Set(folders.map(({ path }) => path))
    const links = new Set(folders.flatMap(({ path, isLink }) => isLink === true ? [path] : []))
    const removed = new Set<string>()
    const kept: Array<KeptFile> = []
    for (const vacuum of vacuums) {
      const step = stepOf(vacuum, files)
      const paths = step.names.map(folderOf).filter((path) => present.has(path) && !removed.has(path))
      const reason = (yield* replacementProblem(vacuum, directory)) ?? (yield* ageProblem(vacuum, age))
      if (reason !== undefined) {
        for (const path of paths) kept.push({ path, reason })
        continue
      }
      if (!dryRun) yield* runStep(uri, step, links)
      for (const path of [...paths, vacuum.path]) removed.add(path)
    }
    return { removed: [...removed], kept: kept.filter(({ path }) => !removed.has(path)) }
  })
