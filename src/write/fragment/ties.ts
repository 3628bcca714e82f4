/**
 * Checks writes at an explicit time at which the array already has a fragment. If both fragments contain the same cell,
 * the fragment names decide which one is newer. TileDB 2.30 sorts fragments by time only, with an unstable sort if the
 * array has more than 16 fragments: then two fragments of equal time suffice to make it read the other cell as the
 * newest.
 */
import * as Effect from "effect/Effect"
import { services } from "../../../platform/observability/spans.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { redactUri } from "../../../schema/errors/redact.ts"
import { overlap } from "../../array/describe/non_empty_domain.ts"
import { WriteError } from "../../array/open/errors.ts"
import type { NameTime } from "../../array/create/fragment_name.ts"
import { type OpenedArray, reopenArray } from "../../array/open/open.ts"
import type { CommitGuard } from "./cell_writer.ts"
import type { Checkpoints } from "./checkpoints.ts"
import type { FinishedFragment } from "./fragment_writer.ts"
import { mayHaveCommitAt } from "./timestamps.ts"
import type { WriteFailure } from "../result/write_result.ts"

/**
 * Maximum number of fragments that TileDB 2.30 sorts with a stable sort; beyond, fragments of equal time are in any
 * order.
 */
const MAX_STABLE_FRAGMENTS = 16

/**
 * Searches for fragments of other writes with the time of these uncommitted ones. Boxes that do not overlap have no
 * cell in common. Overlapping dense boxes fail if the array has too many fragments for the engine; otherwise, and for
 * sparse cells, which may differ, a warning is logged. Takes one listing of the commits, and reopens the array only if
 * there is a commit of that time.
 */
export const checkTies = (
  array: OpenedArray,
  time: NameTime | undefined,
  finished: ReadonlyArray<FinishedFragment>,
): Effect.Effect<void, WriteFailure, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri, schema } = array
    if (time === undefined || schema.allowsDuplicates) return
    const [start] = time
    if (!(yield* mayHaveCommitAt(array, start))) return
    const { fragments } = yield* reopenArray(array, { end: Number.MAX_SAFE_INTEGER })
    const same = fragments.filter(({ name, nonEmptyDomain }) =>
      name.start === start && nonEmptyDomain !== undefined &&
      finished.some((finishedFragment) =>
        finishedFragment.nonEmptyDomain !== undefined &&
        overlap(schema.dimensions, finishedFragment.nonEmptyDomain, nonEmptyDomain)
      )
    )
    if (same.length === 0) return
    const count = fragments.length + finished.length
    const isCertain = schema.arrayType === "dense"
    const subject = `the array has ${
      isCertain ? "some of these cells" : "cells in the same box"
    } at the same time, ${start}`
    if (isCertain && count > MAX_STABLE_FRAGMENTS) {
      const detail =
        `${subject}; TileDB 2.30 may read either as the newest in an array of more than ${MAX_STABLE_FRAGMENTS} fragments ` +
        `(this would be number ${count}); pass another at, or omit it`
      return yield* Effect.fail(new WriteError({ uri, field: "", reason: "SameTime", detail }))
    }
    const when = count > MAX_STABLE_FRAGMENTS
      ? `; the array has more than ${MAX_STABLE_FRAGMENTS} fragments`
      : ` beyond ${MAX_STABLE_FRAGMENTS} fragments`
    yield* Effect.logWarning(
      `${redactUri(uri)}: ${subject}; for a cell in both, TileDB 2.30 may read either as the newest${when}. ` +
        "Pass another at, or omit it",
    )
  }).pipe(
    // ignore the error: an array that was removed has no other fragments
    Effect.catchTag("ArrayNotFound", () => Effect.void),
  )

/**
 * Returns a guard that runs {@link checkTies} before a commit; `undefined` for an array that is being created, which
 * has no other fragments.
 */
export const guardTies = (
  array: OpenedArray,
  { time, checkpoints }: { readonly time: NameTime | undefined; readonly checkpoints?: Checkpoints },
): Effect.Effect<CommitGuard<never> | undefined, never, Storage | Codecs> =>
  checkpoints !== undefined ? Effect.succeed(undefined) : Effect.map(
    services<Storage | Codecs>(),
    (context) => (finished, commit) =>
      Effect.zipRight(Effect.provide(checkTies(array, time, finished), context), commit),
  )
