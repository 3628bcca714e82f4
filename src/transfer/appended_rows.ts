/**
 * Appends rows to a dense array: new rows follow the last existing row. Two processes that append at the same time
 * start at the same row, and the cells of one would hide those of the other.
 *
 * Storages have no lock that a killed process would release. Each process therefore checks the array twice: before its
 * commit and after it. If two processes commit at the same time, the later one finds the rows of the other and removes
 * its own commit; both may do so. A process whose append succeeded has found no other rows, and a later commit of the
 * same rows is detected by its own check. One case remains: a process that is killed after its commit and before its
 * second check.
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

/**
 * Returns a guard that commits rows only if no other fragment contains cells in them. `rows` is called when all rows
 * are written.
 */
export const guardAppend = (
  array: OpenedArray,
  rows: () => AppendedRows,
): Effect.Effect<CommitGuard<AppendError>, never, Storage | Codecs> =>
  Effect.map(services<Storage | Codecs>(), (context) => (fragments, commit) => {
    const ownNames = new Set(fragments.map(({ name }) => name))
    const { uri, schema } = array
    const [{ type, name: field }] = schema.dimensions
    const checkRows = Effect.gen(function* () {
      // include fragments of processes whose clock is ahead
      const current = yield* Effect.retry(reopenArray(array, { end: Number.MAX_SAFE_INTEGER }), {
        // another process may remove the fragments of its append after they were listed
        while: ({ _tag }) => _tag === "NotFound",
        times: 3,
      })
      const { first, last } = rows()
      const isTaken = current.fragments.some(({ name, nonEmptyDomain }) =>
        nonEmptyDomain !== undefined && !ownNames.has(name.name) &&
        BigInt(readScalar(type, nonEmptyDomain[0].low)) <= last &&
        BigInt(readScalar(type, nonEmptyDomain[0].high)) >= first
      )
      if (!isTaken) return
      const detail = `another write has added rows from ${first} to ${last} since the array was opened; ` +
        "nothing was written: append again"
      return yield* Effect.fail(new Conflict({ uri, field, reason: "RowsAppended", detail }))
    }).pipe(Effect.provide(context))
    const undoCommit = Effect.sync(() => {
      for (const { state } of fragments) state.commit = "tried"
    })
    return Effect.uninterruptibleMask((restore) =>
      restore(checkRows).pipe(
        Effect.zipRight(commit),
        Effect.zipRight(Effect.tapErrorCause(restore(checkRows), () => undoCommit)),
      )
    )
  })
