/**
 * Writes at an explicit time at which the array already has a fragment. If both contain the same cell, the fragment
 * name decides which is newer. TileDB 2.30 sorts fragments by time only, in no particular order beyond 16 fragments in
 * the whole array: two fragments of equal time suffice to make it read another cell as the newest.
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

/** TileDB 2.30 sorts more fragments than this in no particular order if their times are equal. */
const SORTED = 16

/**
 * Looks for fragments of other writes at the time of these uncommitted ones. Boxes that do not overlap have no cell in
 * common. Overlapping dense boxes fail if the array has too many fragments for the engine; otherwise, and for sparse
 * cells, which may differ, a warning is logged. Takes one listing of the commits, and reopens the array only if there
 * is a commit of that time.
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
    if (isCertain && count > SORTED) {
      const detail =
        `${subject}; TileDB 2.30 may take either for the newest in an array of more than ${SORTED} fragments ` +
        `(this would be number ${count}); pass another at, or leave it out`
      return yield* Effect.fail(new WriteError({ uri, field: "", reason: "SameTime", detail }))
    }
    const when = count > SORTED ? `; the array has more than ${SORTED} fragments` : ` beyond ${SORTED} fragments`
    yield* Effect.logWarning(
      `${redactUri(uri)}: ${subject}; for a cell in both, TileDB 2.30 may take either for the newest${when}. ` +
        "Pass another at, or leave it out",
    )
  }).pipe(
    // an array that was removed has no other fragments
    Effect.catchTag("ArrayNotFound", () => Effect.void),
  )

/**
 * Runs {@link checkTies} before a commit. `undefined` for an array that is being created, which has no other fragments.
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
