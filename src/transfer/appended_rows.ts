/**
 * Appending rows to a dense array: new rows follow the last one. Two processes that append at the same time start at
 * the same row, and the cells of one would hide those of the other.
 *
 * Storages have no lock that a killed process would release, so each process checks the array twice: before its commit,
 * and after it. Of two that commit at the same time, the later one finds the other's rows and removes its own commit;
 * both may do so. A write that succeeded has seen no other rows, and a later commit of the same rows detects it. One
 * case remains: a process that is killed after its commit and before its second check.
 */
import * as Effect from "effect/Effect"
import { services } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { readScalar } from "../../schema/array/scalar.ts"
import { Conflict } from "../array/open/errors.ts"
import { type OpenedArray, type OpenError, reopenArray } from "../array/open/open.ts"
import type { CommitGuard } from "../write/fragment/cell_writer.ts"

/** The first and the last row of an append. */
export interface AppendedRows {
  readonly first: bigint
  readonly last: bigint
}

/** Errors of the guard of an append. */
export type AppendError = Conflict | OpenError

/** Commits rows only if no other fragment has cells in them; `rows` is evaluated when all of them are written. */
export const guardAppend = (
  array: OpenedArray,
  rows: () => AppendedRows,
): Effect.Effect<CommitGuard<AppendError>, never, Storage | Codecs> =>
  Effect.map(services<Storage | Codecs>(), (context) => (fragments, commit) => {
    const ours = new Set(fragments.map(({ name }) => name))
    const { uri, schema } = array
    const [{ type, name: field }] = schema.dimensions
    const look = Effect.gen(function* () {
      // fragments of a clock that is ahead count, too
      const now = yield* Effect.retry(reopenArray(array, { end: Number.MAX_SAFE_INTEGER }), {
        // the fragments of an append that is taken back go while they are listed
        while: ({ _tag }) => _tag === "NotFound",
        times: 3,
      })
      const { first, last } = rows()
      const isTaken = now.fragments.some(({ name, nonEmptyDomain }) =>
        nonEmptyDomain !== undefined && !ours.has(name.name) &&
        BigInt(readScalar(type, nonEmptyDomain[0].low)) <= last &&
        BigInt(readScalar(type, nonEmptyDomain[0].high)) >= first
      )
      if (!isTaken) return
      const detail = `another write has added rows from ${first} to ${last} since the array was opened; ` +
        "nothing was written: append again"
      return yield* Effect.fail(new Conflict({ uri, field, reason: "RowsAppended", detail }))
    }).pipe(Effect.provide(context))
    const takeBack = Effect.sync(() => {
      for (const { state } of fragments) state.commit = "tried"
    })
    return Effect.uninterruptibleMask((restore) =>
      restore(look).pipe(
        Effect.zipRight(commit),
        Effect.zipRight(Effect.tapErrorCause(restore(look), () => takeBack)),
      )
    )
  })
