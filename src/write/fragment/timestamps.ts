/**
 * The moments of writes: of one fragment, and of several that are committed together.
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
import { MAX_WAIT, momentAfter, newerOf, type Newest, newestOf, untilReached } from "../../array/create/write_time.ts"
import type { NameTime } from "../../array/create/fragment_name.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { fragmentVersion } from "./fragment_target.ts"

/** What is written: cells, or a condition that deletes them, also those of its own millisecond. */
type Commit = "cells" | "delete"

/** What names of commits end with. The names of `.con` files say the time of the last commit that they list. */
const isCommit = /\.(wrt|ok|con|del|upd)$/

/** The newest commit that is listed in a folder of an array: `__commits`, or the array's own before format 12. */
const listedCommit = (uri: string, kind: Commit): Effect.Effect<Newest | undefined, StorageError, Storage> =>
  Effect.flatMap(Storage, (storage) =>
    Effect.map(storage.list(uri), (entries) => {
      let newest: Newest | undefined
      for (const { name, kind: its } of entries) {
        const parsed = parseName(name)
        // until format 4 a fragment's folder is all there is
        const counts = its === "file" ? isCommit.test(name) : parsed !== undefined && parsed.version === 0
        if (parsed === undefined || !counts) continue
        // a delete removes cells of its own millisecond too, whatever the names are
        newest = newerOf(newest, newestOf(parsed, kind === "delete"))
      }
      return newest
    }))

/** The newest commit that an array had when it was opened, those of consolidated commit files among them. */
const openedCommit = ({ fragments, deletes }: OpenedArray, kind: Commit): Newest | undefined => {
  let newest: Newest | undefined
  const isShared = kind === "delete"
  for (const { name } of fragments) newest = newerOf(newest, newestOf(name, isShared))
  for (const { time } of deletes) newest = newerOf(newest, { end: time, isShared })
  return newest
}

/** The folders that commits of an array lie in: one, or two where it has fragments of both hierarchies. */
const commitFolders = ({ uri, schema, fragments }: OpenedArray): ReadonlyArray<string> => {
  // those that lie there, and the one that is being written
  const versions = [fragmentVersion(schema.version), ...fragments.map(({ version }) => version)]
  return [
    ...(versions.some((version) => version >= Since.folders) ? [join(uri, COMMITS_FOLDER)] : []),
    ...(versions.some((version) => version < Since.folders) ? [uri] : []),
  ]
}

/** The newest commit of an array: a listing of each of its folders. */
const newestCommit = (
  array: OpenedArray,
  kind: Commit,
): Effect.Effect<Newest | undefined, StorageError, Storage> =>
  Effect.map(
    Effect.forEach(commitFolders(array), (folder) => listedCommit(folder, kind)),
    (listed) => listed.reduce(newerOf, openedCommit(array, kind)),
  )

/** Whether an array may have a fragment that begins at a moment: consolidated commits say only from when to when theirs are. */
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
 * The moment of a write: the one that was given, or else now, or a millisecond after all that the array has. The latter takes a listing of
 * the array's commits, and one of each of the `others`: arrays of labels that are written together with it.
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
 * Waits until the clock has reached the moment of a write that was given none: who reads after the commit then sees it.
 */
export const beforeCommit = (time: NameTime | undefined, moment: NameTime): Effect.Effect<void> =>
  time === undefined ? untilReached(moment) : Effect.void

/** The moments of the fragments of one write. */
export interface Moments {
  /** The moment of the next fragment. */
  readonly next: Effect.Effect<NameTime>
  /** Waits until the clock has reached the last of them: to be run before they are committed. */
  readonly reached: Effect.Effect<void>
}

/** One moment for all fragments, which cannot hold the same cell. */
export const oneMoment = (
  array: OpenedArray,
  time: NameTime | undefined,
): Effect.Effect<Moments, InvalidOption | StorageError, Storage> =>
  Effect.map(momentOf(array, time), (moment) => ({
    next: Effect.succeed(moment),
    reached: beforeCommit(time, moment),
  }))

/**
 * Moments of fragments that may hold the same cell: each has a millisecond of its own, and later ones win. Names alone do not
 * decide that for engines: in an array of more than 16 fragments they sort those of one moment in no particular order. Where a moment was
 * given it is that of all, and then no cell may be in two of them.
 *
 * The clock is followed as long as it is ahead. Where fragments come faster than one in a millisecond their moments run
 * ahead of it; the wait for it, before all are committed, is at most a millisecond for each fragment. `earlier` are the names
 * of fragments of the same write, which an earlier program finished: the next ones come after them, whatever the clock says.
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
    const reached = Effect.suspend(() =>
      last === undefined ? Effect.void : untilReached(last, Math.max(MAX_WAIT, count))
    )
    return { next, reached }
  })
