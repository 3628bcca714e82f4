/**
 * Writers that take cells in batches: what those of dense and sparse arrays have in common.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import { type Target, traced } from "../../../platform/observability/spans.ts"
import type { StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { makeTurns, runSteps, withinTurns } from "../../../platform/host/event_loop_turns.ts"
import { Since } from "../../../schema/version/version.ts"
import { WriteError } from "../../array/open/errors.ts"
import type { Checkpoints } from "./checkpoints.ts"
import type { Steps } from "../../kernel/steps.ts"
import { commitFragments } from "./commit.ts"
import type { FinishedFragment } from "./fragment_writer.ts"
import {
  attemptWriteSteps,
  countedFrom,
  type WriteFailure,
  type WriteProgress,
  type WriteResult,
} from "../result/write_result.ts"

/**
 * A write that takes its cells in batches. It holds a bounded part of them in memory; nothing of it is there until it is
 * committed, and then all of it is. What was not committed when its scope ends is removed.
 */
export interface CellWriter<Columns, E = never> {
  /**
   * Appends cells. Cells that are refused with a `WriteError` were not appended, and others may follow; after any other
   * error, and after a filter has refused values, only `WriteError`s do. Errors count cells from the first one of the write.
   */
  readonly write: (columns: Columns) => Effect.Effect<void, WriteFailure>
  /** Writes what waits, and makes all of it count at once. Nothing can be written after. */
  readonly commit: Effect.Effect<WriteResult, WriteFailure | E>
}

/**
 * Decides whether finished fragments are committed: runs the commit, or fails before it. If it fails after the commit with the
 * fragments in the state `tried`, their commit is removed again, and then they are.
 */
export type CommitGuard<E> = (
  fragments: ReadonlyArray<FinishedFragment>,
  commit: Effect.Effect<void, StorageError>,
) => Effect.Effect<void, WriteFailure | E>

/** What a writer of one kind of array does with cells. */
export interface CellSteps<Checked extends { readonly given: number }> {
  /** Checks a batch, and says how many cells it has. Throws WriteError, and then the batch is as if it had not been given. */
  readonly check: (columns: Readonly<Record<string, unknown>>) => Steps<Checked>
  /** Passes over the first cells of a batch, which an earlier program wrote. */
  readonly skip: (checked: Checked, cells: number) => Steps<Checked>
  /** Appends what was checked. */
  readonly append: (checked: Checked) => Effect.Effect<void, WriteFailure>
  /** Writes what waits. */
  readonly finish: Effect.Effect<void, WriteFailure>
  /** The fragments that are finished. */
  readonly finished: ReadonlyArray<FinishedFragment>
  /** What was appended so far. */
  readonly progress: () => WriteProgress
}

/** Fails where the fragments of one write could not be committed together with another one. */
export const checkTogether = (
  uri: string,
  version: number,
  finished: ReadonlyArray<FinishedFragment>,
): Effect.Effect<void, WriteError> => {
  if (finished.length === 0 || version >= Since.folders) return Effect.void
  const reason = `these cells need several fragments, which arrays before format ${Since.folders} cannot commit ` +
    `together; write them in several writes, or allow more memory`
  return Effect.fail(new WriteError({ uri, field: "", reason }))
}

const FAILED = "an earlier part of this write failed; begin it anew"
const COMMITTED = "it was committed; open another writer for more cells"

/** The writer of these steps: one call after the other, and none after one that failed half-way. */
export const makeCellWriter = <Checked extends { readonly given: number }, E = never>(
  uri: string,
  steps: CellSteps<Checked>,
  onProgress: ((progress: WriteProgress) => void) | undefined,
  checkpoints?: Checkpoints,
  guard?: CommitGuard<E>,
): Effect.Effect<CellWriter<Readonly<Record<string, unknown>>, E>, never, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const first = checkpoints?.start.given ?? 0
    const turn = yield* Effect.makeSemaphore(1)
    // batches follow each other so closely that their turns are those of one operation
    const turns = withinTurns(makeTurns())
    let ended: string | undefined
    let given = 0
    /** One thing after the other, unless it is over. */
    const inTurn = <A, E1>(step: () => Effect.Effect<A, WriteFailure | E1>): Effect.Effect<A, WriteFailure | E1> =>
      turn.withPermits(1)(Effect.suspend((): Effect.Effect<A, WriteFailure | E1> =>
        ended === undefined ? turns(step()) : Effect.fail(new WriteError({ uri, field: "", reason: ended }))
      ))
    const write = (columns: Readonly<Record<string, unknown>>) =>
      inTurn(() =>
        Effect.flatMap(
          Effect.mapError(
            attemptWriteSteps(uri, () =>
              steps.check(columns)),
            countedFrom(given),
          ),
          (checked) => {
            ended = FAILED
            const skipped = Math.min(checked.given, Math.max(first - given, 0))
            const part = skipped === 0 ? Effect.succeed(checked) : runSteps(() => steps.skip(checked, skipped))
            return Effect.map(Effect.flatMap(part, steps.append), () => {
              ended = undefined
              given += checked.given
              onProgress?.(steps.progress())
            })
          },
        )
      )
    const commit = inTurn(() =>
      Effect.gen(function* () {
        ended = FAILED
        yield* steps.finish
        const fragments = steps.finished
        const committing = checkpoints === undefined || fragments.length === 0
          ? commitFragments(fragments)
          : Effect.flatMap(
            checkpoints.beforeCommit({ fragments, given, ...steps.progress() }),
            (name) => commitFragments(fragments, name),
          )
        const commit = Effect.provideService(committing, Storage, storage)
        yield* guard === undefined || fragments.length === 0 ? commit : guard(fragments, commit)
        ended = COMMITTED
        onProgress?.(steps.progress())
        return { fragments: steps.finished.map(({ name }) => name), ...steps.progress() }
      })
    )
    return { write, commit }
  })

/** Returns a writer whose calls run in spans `tessera.<name>.write` and `tessera.<name>.commit`. */
export const tracedWriter = (name: string, target: Target) =>
<Columns, E>(
  { write, commit }: CellWriter<Columns, E>,
): CellWriter<Columns, E> => ({
  write: (columns) => write(columns).pipe(traced(`${name}.write`, target)),
  commit: commit.pipe(traced(`${name}.commit`, target)),
})

/** The sink of a writer: it takes all batches of a stream, and commits them at its end. */
export const sinkOf = <Columns, R>(
  writer: Effect.Effect<CellWriter<Columns>, WriteFailure, R | Scope.Scope>,
): Sink.Sink<WriteResult, Columns, never, WriteFailure, Exclude<R, Scope.Scope>> =>
  Sink.unwrapScoped(
    Effect.map(writer, (open) => Sink.mapEffect(Sink.forEach(open.write), () => open.commit)),
  ) as Sink.Sink<WriteResult, Columns, never, WriteFailure, Exclude<R, Scope.Scope>>
