/**
 * Write times of single fragments, and of several fragments that are committed together.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { COMMITS_FOLDER } from "../../../schema/name/array_paths.ts"
import { parseName } from "../../../schema/name/timestamped_name.ts"
import { Since } from "../../../schema/version/version.ts"
import type { InvalidOption } from "../../array/open/errors.ts"
import { join } from "../../array/open/listing.ts"
import { MAX_WAIT, momentAfter, newerOf, type Newest, newestOf, waitUntil } from "../../array/create/write_time.ts"
import type { NameTime } from "../../array/create/fragment_name.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { fragmentVersion } from "./fragment_target.ts"

/** Kind of the write: cells, or a condition that deletes cells, including those of its own millisecond. */
type Commit = "cells" | "delete"

/** Suffixes of commit names. The name of a `.con` file contains the time of the newest commit in it. */
const isCommit = /\.(wrt|ok|con|del|upd)$/

/**
 * Returns the newest commit listed in a folder of an array: `__commits`, or the array's own folder before format 12.
 */
const listedCommit = (uri: string, kind: Commit): Effect.Effect<Newest | undefined, StorageError, Storage> =>
  Effect.flatMap(Storage, (storage) =>
    Effect.map(storage.list(uri), (entries) => {
      let newest: Newest | undefined
      for (const { name, kind: item } of entries) {
        const parsed = parseName(name)
        // up to format 4, the fragment folder itself is the commit
        const counts = item === "file" ? isCommit.test(name) : parsed !== undefined && parsed.version === 0
        if (parsed === undefined || !counts) continue
        // a delete removes cells of its own millisecond too, for any names
        newest = newerOf(newest, newestOf(parsed, kind === "delete"))
      }
      return newest
    }))

/**
 * Returns the newest commit at the time at which the array was opened, including those in consolidated commit files.
 */
const openedCommit = ({ fragments, deletes }: OpenedArray, kind: Commit): Newest | undefined => {
  let newest: Newest | undefined
  const isShared = kind === "delete"
  for (const { name } of fragments) newest = newerOf(newest, newestOf(name, isShared))
  for (const { time } of deletes) newest = newerOf(newest, { end: time, isShared })
  return newest
}

/** Returns the folders that contain an array's commits: one, or two if it has fragments of both directory layouts. */
const commitFolders = ({ uri, schema, fragments }: OpenedArray): ReadonlyArray<string> => {
  // versions of the existing fragments and of the new one
  const versions = [fragmentVersion(schema.version), ...fragments.map(({ version }) => version)]
  return [
    ...(versions.some((version) => version >= Since.folders) ? [join(uri, COMMITS_FOLDER)] : []),
    ...(versions.some((version) => version < Since.folders) ? [uri] : []),
  ]
}

/** Returns the newest commit of an array. Takes one listing per folder. */
const newestCommit = (
  array: OpenedArray,
  kind: Commit,
): Effect.Effect<Newest | undefined, StorageError, Storage> =>
  Effect.map(
    Effect.forEach(commitFolders(array), (folder) => listedCommit(folder, kind)),
    (listed) => listed.reduce(newerOf, openedCommit(array, kind)),
  )

/**
 * Returns whether an array may have a fragment that starts at a time. Consolidated commits state only a time range.
 */
export const mayHaveCommitAt = (array: OpenedArray, moment: number): Effect.Effect<boolean, StorageError, Storage> =>
  Effect.gen(function* () {
    if (array.fragments.some(({ name }) => name.start === moment)) return true
    const storage = yield* Storage
    for (const folder of commitFolders(array)) {
      for (const { name, kind } of yield* storage.list(folder)) {
        const parsed = parseName(name)
        if (parsed === undefined || name.endsWith(".del")) continue
        const isAt = name.endsWith(".con") ? parsed.end >= moment : parsed.start === moment
        if (isAt && parsed.start <= moment && (kind === "folder" || isCommit.test(name))) return true
      }
    }
    return false
  })

/**
 * Returns the time of a write: the explicit time; otherwise now, or the millisecond after the newest commit if that is
 * later. Without an explicit time, takes a listing of the array's commits, and one of each of the `others`: label
 * arrays that are written together with it.
 */
export const momentOf = (
  array: OpenedArray,
  time: NameTime | undefined,
  others: ReadonlyArray<string> = [],
  kind: Commit = "cells",
): Effect.Effect<NameTime, InvalidOption | StorageError, Storage> =>
  time !== undefined ? Effect.succeed(time) : Effect.gen(function* () {
    let newest = yield* newestCommit(array, kind)
    for (const uri of others) newest = newerOf(newest, yield* listedCommit(join(uri, COMMITS_FOLDER), kind))
    return yield* momentAfter(array.uri, newest)
  })

/**
 * Waits until the clock reaches the time of a write without explicit time, so that readers after the commit see it.
 */
export const beforeCommit = (time: NameTime | undefined, moment: NameTime): Effect.Effect<void> =>
  time === undefined ? waitUntil(moment) : Effect.void

/** Times of the fragments of one write. */
export interface Moments {
  /** The time of the next fragment. */
  readonly next: Effect.Effect<NameTime>
  /** Waits until the clock reaches the last of the times; run it before the commit. */
  readonly reached: Effect.Effect<void>
}

/** Returns one time for all fragments. The fragments must not contain the same cell. */
export const sharedMoment = (
  array: OpenedArray,
  time: NameTime | undefined,
): Effect.Effect<Moments, InvalidOption | StorageError, Storage> =>
  Effect.map(momentOf(array, time), (moment) => ({
    next: Effect.succeed(moment),
    reached: beforeCommit(time, moment),
  }))

/**
 * Returns times for fragments that may contain the same cell. Each fragment gets its own millisecond, so that later
 * fragments are newer. Names alone do not decide this for engines: if an array has more than 16 fragments, engines sort
 * those of equal time in any order. An explicit time applies to all fragments; then no cell may be in two of them.
 *
 * The times follow the clock. If fragments finish faster than one per millisecond, their times run ahead of the clock;
 * the wait before the commit is at most one millisecond per fragment. `earlier` are names of fragments of the same
 * write that an earlier process finished; later fragments get later times, for any time of the clock.
 */
export const momentsOf = (
  array: OpenedArray,
  time: NameTime | undefined,
  earlier: ReadonlyArray<string> = [],
): Effect.Effect<Moments, InvalidOption | StorageError, Storage> =>
  Effect.map(momentOf(array, time), (first) => {
    if (time !== undefined) return { next: Effect.succeed(time), reached: Effect.void }
    const after = earlier.reduce((latest, name) => Math.max(latest, parseName(name)?.end ?? 0), -1)
    let last: NameTime | undefined = after < first[0] ? undefined : [after, after]
    let count = 0
    const next = Effect.map(Clock.currentTimeMillis, (now): NameTime => {
      const moment = Math.max(now, last === undefined ? first[0] : last[0] + 1)
      count++
      return last = [moment, moment]
    })
    const reached = Effect.suspend(() => last === undefined ? Effect.void : waitUntil(last, Math.max(MAX_WAIT, count)))
    return { next, reached }
  })
