/**
 * Collects the facts of a repair plan.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { StorageError } from "../../platform/errors.ts"
import { listAll, Storage } from "../../platform/storage/service.ts"
import { COMMITS_FOLDER } from "../../schema/name/array_paths.ts"
import { lastComponent, parseName } from "../../schema/name/timestamped_name.ts"
import { join, listArray } from "../array/open/listing.ts"
import { loadCommitFiles } from "../maintain/directory/commit_files.ts"
import type { Finding } from "../verify/finding.ts"
import { isInLabel, type Orphan } from "./plan.ts"

/** Names of commits in the bytes of a file of consolidated commits. */
const COMMIT_NAME = /__\d+_\d+_[0-9a-f]{32}(?:_\d+)?\.(?:wrt|del|upd|ok)/g

/** Maximum size of a damaged file that is searched for names, in bytes. */
const MAX_SEARCHED_SIZE = 256 << 20

/** Returns the time of the newest file of an orphan; `undefined` if a file has no time. */
const newestTime = (uri: string): Effect.Effect<number | undefined, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    let newest: number | undefined = -Infinity
    const see = (lastModified: number | undefined): void => {
      newest = newest === undefined || lastModified === undefined ? undefined : Math.max(newest, lastModified)
    }
    let files = 0
    yield* Stream.runForEach(
      listAll(storage, uri),
      ({ lastModified }) => Effect.sync(() => (files++, see(lastModified))),
    )
    if (files === 0) {
      const info = yield* Effect.option(storage.head(uri))
      if (info._tag === "Some") see(info.value.lastModified)
    }
    return newest
  })

/** Returns the names of fragments that vacuum files hide; an unreadable vacuum file is a finding of the verification. */
export const findReplaced = (uri: string): Effect.Effect<ReadonlySet<string>, StorageError, Storage> =>
  Effect.flatMap(listArray(uri), (listing) =>
    Effect.map(
      Effect.option(loadCommitFiles(listing)),
      (files) => new Set(files._tag === "None" ? [] : files.value.vacuums.flatMap(({ fragments }) => fragments)),
    ))

/** Returns the files and folders that never-committed writes left: fragments without a commit, unused enumerations. */
export const findOrphans = (
  uri: string,
  findings: ReadonlyArray<Finding>,
): Effect.Effect<ReadonlyArray<Orphan>, StorageError, Storage> =>
  Effect.forEach(
    findings.filter(({ check, path }) =>
      (check === "UncommittedFragment" || check === "UnusedEnumeration") && !isInLabel(path)
    ),
    ({ path }) => Effect.map(newestTime(join(uri, path)), (lastModified) => ({ path, lastModified })),
  )

/**
 * Returns the damaged files of consolidated commits that can be dropped: every commit in them exists as a file. A vacuum
 * removes all files of a consolidated one, so these exist if one of them does. Deletes that exist only in the damaged
 * file would be lost, so each name in its bytes is looked up.
 */
export const findRepeatedCommits = (
  uri: string,
  findings: ReadonlyArray<Finding>,
): Effect.Effect<ReadonlySet<string>, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const repeated = new Set<string>()
    const damaged = findings.filter(({ check }) => check === "ConsolidatedCommits")
    if (damaged.length === 0) return repeated
    const names = (yield* storage.list(join(uri, COMMITS_FOLDER))).map(({ name }) => name)
    const isSafe = !findings.some(({ check }) => check === "UncommittedFragment") &&
      // commits that an ignore file lists may exist in the damaged file only
      !names.some((name) => name.endsWith(".ign"))
    for (const { path } of isSafe ? damaged : []) {
      const bytes = yield* Effect.either(storage.readTail(join(uri, path), MAX_SEARCHED_SIZE))
      if (bytes._tag === "Left" || bytes.right.size > MAX_SEARCHED_SIZE) continue
      const text = new TextDecoder("latin1").decode(bytes.right.bytes)
      const listed = new Set([...text.matchAll(COMMIT_NAME)].map(([name]) => name))
      const existing = new Set(names)
      const span = parseName(lastComponent(path))
      const isCovered = (name: string): boolean => {
        const parsed = parseName(name)
        return parsed !== undefined && span !== undefined && parsed.start >= span.start && parsed.end <= span.end
      }
      const singles = names.filter((name) => /\.(wrt|del|upd)$/.test(name) && isCovered(name))
      // the first and the last commit determine the name of the file: if they exist, no vacuum removed the commits
      const times = singles.map((name) => parseName(name)!)
      const hasEnds = times.some(({ start }) => start === span?.start) && times.some(({ end }) => end === span?.end)
      if (hasEnds && [...listed].every((name) => existing.has(name))) repeated.add(path)
    }
    return repeated
  })
