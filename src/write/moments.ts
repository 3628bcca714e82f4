/**
 * The moments of writes: of one fragment, and of several that are committed together.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StorageError } from "../../platform/errors.ts"
import { Storage } from "../../platform/storage.ts"
import { COMMITS_FOLDER } from "../../schema/name/array_paths.ts"
import { parseName } from "../../schema/name/timestamped_name.ts"
import { Since } from "../../schema/version.ts"
import type { InvalidOption } from "../array/errors.ts"
import { join } from "../array/listing.ts"
import { ABOVE_ALL, MAX_WAIT, momentAfter, newerOf, type Newest, newestOf, untilReached } from "../array/moment.ts"
import type { NameTime } from "../array/new_name.ts"
import type { OpenedArray } from "../array/open.ts"
import { fragmentVersion } from "./target.ts"

/** What is written: cells, or a condition that deletes them. */
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
        const replaced = kind === "delete" ? "" : name.endsWith(".del") ? ABOVE_ALL : undefined
        newest = newerOf(newest, newestOf(parsed, replaced))
      }
      return newest
    }))

/** The newest commit that an array had when it was opened, those of consolidated commit files among them. */
const openedCommit = ({ fragments, deletes }: OpenedArray, kind: Commit): Newest | undefined => {
  let newest: Newest | undefined
  for (const { name } of fragments) newest = newerOf(newest, newestOf(name, kind === "delete" ? "" : undefined))
  for (const { time } of deletes) newest = newerOf(newest, { end: time, uuid: kind === "delete" ? "" : ABOVE_ALL })
  return newest
}

/** The newest commit of an array: one listing, and another one where it has fragments of both hierarchies. */
const newestCommit = (
  array: OpenedArray,
  kind: Commit,
): Effect.Effect<Newest | undefined, StorageError, Storage> => {
  const { uri, schema, fragments } = array
  // those that lie there, and the one that is being written
  const versions = [fragmentVersion(schema.version), ...fragments.map(({ version }) => version)]
  const folders = [
    ...(versions.some((version) => version >= Since.folders) ? [join(uri, COMMITS_FOLDER)] : []),
    ...(versions.some((version) => version < Since.folders) ? [uri] : []),
  ]
  return Effect.map(
    Effect.forEach(folders, (folder) => listedCommit(folder, kind)),
    (listed) => listed.reduce(newerOf, openedCommit(array, kind)),
  )
}

/**
 * The moment of a write: the one that was given, or else now, and after all that the array has. The latter takes a listing of
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
 * decide that for engines: beyond 16 fragments of one moment they sort them in no particular order. Where a moment was
 * given it is that of all, and then no cell may be in two of them.
 *
 * The clock is followed as long as it is ahead. Where fragments come faster than one in a millisecond their moments run
 * ahead of it; the wait for it, before all are committed, is at most a millisecond for each fragment.
 */
export const momentsOf = (
  array: OpenedArray,
  time: NameTime | undefined,
): Effect.Effect<Moments, InvalidOption | StorageError, Storage> =>
  Effect.map(momentOf(array, time), (first) => {
    if (time !== undefined) return { next: Effect.succeed(time), reached: Effect.void }
    let last: NameTime | undefined
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
