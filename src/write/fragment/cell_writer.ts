/**
 * Writers of cells in batches: the part that dense and sparse arrays share.
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
 * A write that accepts cells in batches and buffers a limited number of them in memory. Readers see no cells before the
 * commit, and all cells afterwards. Files that are not committed when the scope of the writer closes are removed.
 */
export interface CellWriter<Columns, E = never> {
  /**
   * Appends cells. Cells rejected with a `WriteError` are not appended, and later batches are still accepted. After any
   * other error, or after a filter rejected values, every call fails with `WriteError`. Errors number cells from the
   * first cell of the write.
   */
  readonly write: (columns: Columns) => Effect.Effect<void, WriteFailure>
  /** Writes buffered cells and commits all fragments at once. Nothing can be written afterwards. */
  readonly commit: Effect.Effect<WriteResult, WriteFailure | E>
}

/**
 * Decides whether finished fragments are committed: runs the commit, or fails before it. If it fails after the commit,
 * while the fragments are in state `tried`, the scope removes first their commit and then the fragments.
 */
export type CommitGuard<E> = (
  fragments: ReadonlyArray<FinishedFragment>,
  commit: Effect.Effect<void, StorageError>,
) => Effect.Effect<void, WriteFailure | E>

/** The steps of a writer for one kind of array. */
export interface CellSteps<Checked extends { readonly inputCells: number }> {
  /** Validates a batch and counts its cells. Throws WriteError; a rejected batch has no effect. */
  readonly check: (columns: Readonly<Record<string, unknown>>) => Steps<Checked>
  /** Skips the first cells of a batch, which an earlier process wrote. */
  readonly skip: (checked: Checked, cells: number) => Steps<Checked>
  /** Appends a validated batch. */
  readonly append: (checked: Checked) => Effect.Effect<void, WriteFailure>
  /** Writes buffered cells. */
  readonly finish: Effect.Effect<void, WriteFailure>
  /** The finished fragments. */
  readonly finished: ReadonlyArray<FinishedFragment>
  /** Progress so far. */
  readonly progress: () => WriteProgress
}

/** Fails if one more fragment could not be committed together with the finished ones. */
export const checkTogether = (
  uri: string,
  version: number,
  finished: ReadonlyArray<FinishedFragment>,
): Effect.Effect<void, WriteError> => {
  if (finished.length === 0 || version >= Since.folders) return Effect.void
  const detail = `these cells need several fragments, which arrays before format ${Since.folders} cannot commit ` +
    `together; write them in several writes, or allow more memory`
  return Effect.fail(new WriteError({ uri, field: "", reason: "Unsupported", detail }))
}

const FAILED = "an earlier part of this write failed; start the write again"
const COMMITTED = "it was committed; open another writer for more cells"

/**
 * Creates a writer from its steps. Calls run sequentially; after a call that failed half-way, all calls fail.
 */
export const makeCellWriter = <Checked extends { readonly inputCells: number }, E = never>(
  uri: string,
  steps: CellSteps<Checked>,
  onProgress: ((progress: WriteProgress) => void) | undefined,
  checkpoints?: Checkpoints,
  guard?: CommitGuard<E>,
): Effect.Effect<CellWriter<Readonly<Record<string, unknown>>, E>, never, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const first = checkpoints?.start.inputCells ?? 0
    const turn = yield* Effect.makeSemaphore(1)
    // batches follow each other closely, so they share the event loop turns of one operation
    const shared = makeTurns()
    const turns = withinTurns(() => shared)
    let ended: string | undefined
    let input = 0
    /** runs calls in order; fails if the writer has ended */
    const inSequence = <A, E1>(step: () => Effect.Effect<A, WriteFailure | E1>): Effect.Effect<A, WriteFailure | E1> =>
      turn.withPermits(1)(Effect.suspend((): Effect.Effect<A, WriteFailure | E1> =>
        ended === undefined
          ? turns(step())
          : Effect.fail(new WriteError({ uri, field: "", reason: "Ended", detail: ended }))
      ))
    const write = (columns: Readonly<Record<string, unknown>>) =>
      inSequence(() =>
        Effect.flatMap(
          Effect.mapError(
            attemptWriteSteps(uri, () =>
              steps.check(columns)),
            countedFrom(input),
          ),
          (checked) => {
            ended = FAILED
            const skipped = Math.min(checked.inputCells, Math.max(first - input, 0))
            const part = skipped === 0 ? Effect.succeed(checked) : runSteps(() => steps.skip(checked, skipped))
            return Effect.map(Effect.flatMap(part, steps.append), () => {
              ended = undefined
              input += checked.inputCells
              onProgress?.(steps.progress())
            })
          },
        )
      )
    const commit = inSequence(() =>
      Effect.gen(function* () {
        ended = FAILED
        yield* steps.finish
        const fragments = steps.finished
        const committing = checkpoints === undefined || fragments.length === 0
          ? commitFragments(fragments)
          : Effect.flatMap(
            checkpoints.beforeCommit({ fragments, inputCells: input, ...steps.progress() }),
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

/** Returns the writer with spans for its calls, named `${name}.write` and `${name}.commit`. */
export const tracedWriter = (name: string, target: Target) =>
<Columns, E>(
  { write, commit }: CellWriter<Columns, E>,
): CellWriter<Columns, E> => ({
  write: (columns) => write(columns).pipe(traced(`${name}.write`, target)),
  commit: commit.pipe(traced(`${name}.commit`, target)),
})

/** Creates a sink from a writer: writes all batches of a stream and commits them at its end. */
export const sinkOf = <Columns, R>(
  writer: Effect.Effect<CellWriter<Columns>, WriteFailure, R | Scope.Scope>,
): Sink.Sink<WriteResult, Columns, never, WriteFailure, Exclude<R, Scope.Scope>> =>
  Sink.unwrapScoped(
    Effect.map(writer, (open) => Sink.mapEffect(Sink.forEach(open.write), () => open.commit)),
  ) as Sink.Sink<WriteResult, Columns, never, WriteFailure, Exclude<R, Scope.Scope>>
