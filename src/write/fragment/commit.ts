/**
 * Commits fragments: a single exclusive create makes them visible. Format: `array_file_hierarchy.md`,
 * `consolidated_commits_file.md`.
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../../../platform/errors.ts"
import { createUnique, Storage } from "../../../platform/storage/service.ts"
import { encode } from "../../../schema/binary/mod.ts"
import { ConsolidatedCommits } from "../../../schema/commit/consolidated_commits.ts"
import { commitPath } from "../../../schema/name/array_paths.ts"
import { compareNames, parseName, type TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { Since } from "../../../schema/version/version.ts"
import { join } from "../../array/open/listing.ts"
import { newName } from "../../array/create/fragment_name.ts"
import type { FinishedFragment } from "./fragment_writer.ts"

const noBytes = new Uint8Array(0)

/**
 * Creates the commit file. If a file of that name exists, an earlier attempt created it and its response was lost: no
 * other writer uses the name.
 */
const create = (
  fragments: ReadonlyArray<FinishedFragment>,
  uri: string,
  bytes: Uint8Array,
): Effect.Effect<void, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const mark = (commit: "tried" | "done") =>
      fragments.forEach(({ state }) => {
        state.commit = commit
        state.commitUri = uri
      })
    mark("tried")
    yield* createUnique(storage, uri, bytes)
    mark("done")
  })

const namesOf = (fragments: ReadonlyArray<FinishedFragment>): ReadonlyArray<TimestampedName> =>
  fragments.map(({ name }) => parseName(name)!).sort(compareNames)

/** Returns a new name for the commit of several fragments, which spans the times of all fragments. */
export const newCommitName = (fragments: ReadonlyArray<FinishedFragment>): Effect.Effect<string> => {
  const names = namesOf(fragments)
  return newName([names[0].start, names[names.length - 1].end], fragments[0].version)
}

/** Creates the commit of several fragments: one file with the lines of their commits, oldest first. */
const createTogether = (
  fragments: ReadonlyArray<FinishedFragment>,
  commit: string | undefined,
): Effect.Effect<void, StorageError, Storage> =>
  Effect.gen(function* () {
    const [{ arrayUri, version }] = fragments
    const names = namesOf(fragments)
    const name = commit ?? (yield* newCommitName(fragments))
    const commits = names.map(({ name }) => ({ path: commitPath(version, name, "write")!, file: null }))
    const bytes = encode(ConsolidatedCommits, commits, version)
    yield* create(fragments, join(arrayUri, commitPath(version, name, "consolidated")!), bytes)
  })

/**
 * Commits finished fragments of one array, either all or none. Several fragments require format 12 or later. Not
 * interruptible: an interruption waits until the result of the commit is known. `commit` is the name of the commit of
 * several fragments, if it was chosen before.
 */
export const commitFragments = (
  fragments: ReadonlyArray<FinishedFragment>,
  commit?: string,
): Effect.Effect<void, StorageError, Storage> => {
  const [first] = fragments
  if (fragments.length === 0) return Effect.void
  if (fragments.length > 1) {
    return first.version >= Since.folders
      ? Effect.uninterruptible(createTogether(fragments, commit))
      : Effect.dieMessage(`format ${first.version} cannot commit ${fragments.length} fragments at once`)
  }
  const { arrayUri, name, version, metadata } = first
  return Effect.uninterruptible(
    metadata === undefined
      ? create(fragments, join(arrayUri, commitPath(version, name, "write")!), noBytes)
      : create(fragments, metadata.uri, metadata.bytes),
  )
}
