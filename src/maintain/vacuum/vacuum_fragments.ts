/**
 * Removes fragments that a consolidated fragment replaces. Format: `vacuum_file.md`.
 */
import * as Effect from "effect/Effect"
import { Storage } from "../../../platform/storage/service.ts"
import { FRAGMENT_METADATA_FILE } from "../../../schema/name/data_file.ts"
import { lastComponent, parseName, type TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { type Directory, loadDirectory } from "../../array/open/directory.ts"
import { claimCommits } from "../../array/create/commit_claim.ts"
import { join } from "../../array/open/listing.ts"
import { readListed } from "../../array/open/read_listed.ts"
import { type CommitFiles, loadCommitFiles, type VacuumFileEntry } from "../directory/commit_files.ts"
import { ageProblem, type KeptFile, type RemovalOptions, type VacuumFailure, type VacuumResult } from "./removal.ts"
import { folderOf, listFragmentFolders, removeCommits, removeFolders } from "./remove_fragments.ts"

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

/** Returns the fragments that a vacuum file lists, without the one that it belongs to. */
const replacedBy = (vacuum: VacuumFileEntry): ReadonlyArray<TimestampedName> =>
  vacuum.fragments.flatMap((name) => parseName(name) ?? []).filter(({ name }) => name !== vacuum.name.name)

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

/** Returns the commit files of an array; `files` if no file of consolidated or ignored commits was added or removed. */
const currentFiles = (uri: string, files: CommitFiles): Effect.Effect<CommitFiles, VacuumFailure, Storage> =>
  readListed(uri, (listing) => {
    const lists = listing.commits.filter(({ name }) => /\.(con|ign)$/.test(name)).map(({ name }) => name)
    const known = new Set([...files.consolidated, ...files.ignoreFiles].map(({ path }) => lastComponent(path)))
    const isSame = lists.length === known.size && lists.every((name) => known.has(name))
    return isSame ? Effect.succeed(files) : loadCommitFiles(listing)
  })

/** Removes the fragments that vacuum files list, and these files. */
export const vacuumFragments = (
  uri: string,
  { age, dryRun }: RemovalOptions,
): Effect.Effect<VacuumResult, VacuumFailure, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    // read all files before anything is removed, so that a path outside the array fails first
    const { listing, files, directory } = yield* readListed(uri, (listing) =>
      Effect.all({
        listing: Effect.succeed(listing),
        files: loadCommitFiles(listing),
        directory: loadDirectory(listing),
      }))
    const vacuums = sorted(files.vacuums)
    if (vacuums.length === 0) {
      return { removed: [], kept: [] }
    }
    const { present, links } = yield* listFragmentFolders(uri, listing)
    const removed = new Set<string>()
    const kept: Array<KeptFile> = []
    for (const vacuum of vacuums) {
      const names = replacedBy(vacuum)
      const paths = names.map(folderOf).filter((path) => present.has(path) && !removed.has(path))
      const reason = (yield* replacementProblem(vacuum, directory)) ?? (yield* ageProblem(vacuum, age))
      if (reason !== undefined) {
        for (const path of paths) kept.push({ path, reason })
        continue
      }
      if (!dryRun) {
        yield* Effect.scoped(Effect.gen(function* () {
          // no process may list the commits in a consolidated file meanwhile
          yield* claimCommits(uri)
          const current = yield* currentFiles(uri, files)
          yield* removeCommits(uri, names, current, vacuum.name.version)
        }))
        yield* removeFolders(uri, names, links)
        yield* storage.remove(vacuum.uri)
      }
      for (const path of [...paths, vacuum.path]) removed.add(path)
    }
    return { removed: [...removed], kept: kept.filter(({ path }) => !removed.has(path)) }
  })
