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
  /** Names of the new fragments; empty if there was no cell to write. */
  readonly fragments: ReadonlyArray<string>
  /** Number of written cells. */
  readonly cells: number
  /** Size of their files in bytes, without metadata. */
  readonly bytes: number
}

/** Progress of a write. */
export interface WriteProgress {
  /** Number of cells filtered and passed to files. */
  readonly cells: number
  /** Size of their filtered data in bytes. */
  readonly bytes: number
}

/** Errors of a write. A failed write leaves nothing visible. Enumerations are read to validate codes. */
export type WriteFailure = InvalidOption | WriteError | EnumerationError | CodecError | StorageError

/** Renumbers the cell of an error: `first` cells were written before it. */
export const countedFrom = (first: number) => <E>(error: E): E | WriteError =>
  error instanceof WriteError && error.cell !== undefined && first > 0
    ? new WriteError({
      ...error,
      cell: error.cell + first,
      ...(error.other === undefined ? {} : { other: error.other + first }),
    })
    : error

/** Runs a function that throws {@link WriteError}; adds the array's URI to the error. */
const refused = (uri: string) => (error: unknown): Effect.Effect<never, WriteError> =>
  error instanceof WriteError ? Effect.fail(new WriteError({ ...error, uri })) : Effect.die(error)

/** Runs what throws {@link WriteError}; the error gets the array's URI. */
export const attemptWrite = <A>(uri: string, run: () => A): Effect.Effect<A, WriteError> => attempt(run, refused(uri))

/** As {@link attemptWrite}, in steps that yield to the event loop in between. */
export const attemptWriteSteps = <A>(uri: string, run: () => Steps<A>): Effect.Effect<A, WriteError> =>
  runSteps(run, refused(uri))
