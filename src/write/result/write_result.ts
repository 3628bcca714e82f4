/**
 * Results, errors and progress of writes.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { CodecError, StorageError } from "../../../platform/errors.ts"
import { attempt } from "../../../platform/attempt.ts"
import { runSteps } from "../../../platform/host/event_loop_turns.ts"
import type { EnumerationError } from "../../array/enumeration/enumerations.ts"
import { type InvalidOption, WriteError } from "../../array/open/errors.ts"
import type { Steps } from "../../kernel/steps.ts"

/** Result of a write. */
export interface WriteResult {
  /** Names of the new fragments; empty if there were no cells to write. */
  readonly fragments: ReadonlyArray<string>
  /** Number of written cells. */
  readonly cells: number
  /** Size of the fragments' files in bytes, without metadata. */
  readonly bytes: number
}

/** Progress of a write. */
export interface WriteProgress {
  /** Number of cells filtered and passed to files. */
  readonly cells: number
  /** Size of their filtered data in bytes. */
  readonly bytes: number
}

/**
 * Errors of a write. After a failed write the array is unchanged. The errors of enumerations are included because codes
 * are validated.
 */
export type WriteFailure = InvalidOption | WriteError | EnumerationError | CodecError | StorageError

/** Adds `first`, the number of cells written before, to the cell numbers of an error. */
export const countedFrom = (first: number) => <E>(error: E): E | WriteError =>
  error instanceof WriteError && error.cell !== undefined && first > 0
    ? new WriteError({
      ...error,
      cell: error.cell + first,
      ...(error.other === undefined ? {} : { other: error.other + first }),
    })
    : error

/** Returns a handler that adds the array's URI to a {@link WriteError}; other errors are defects. */
const withUri = (uri: string) => (error: unknown): Effect.Effect<never, WriteError> =>
  error instanceof WriteError ? Effect.fail(new WriteError({ ...error, uri })) : Effect.die(error)

/** Runs a function that may throw {@link WriteError}; adds the array's URI to the error. */
export const attemptWrite = <A>(uri: string, run: () => A): Effect.Effect<A, WriteError> => attempt(run, withUri(uri))

/** Like {@link attemptWrite}, in steps that yield to the event loop. */
export const attemptWriteSteps = <A>(uri: string, run: () => Steps<A>): Effect.Effect<A, WriteError> =>
  runSteps(run, withUri(uri))
