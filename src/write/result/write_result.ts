/**
 * What a write answers, can fail with, and says while it is under way.
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

/** What was written. */
export interface WriteResult {
  /** The names of the new fragments; none if there was no cell to write. */
  readonly fragments: ReadonlyArray<string>
  /** How many cells were written. */
  readonly cells: number
  /** Bytes of their files, without the metadata. */
  readonly bytes: number
}

/** How far a write is. */
export interface WriteProgress {
  /** Cells that are filtered and on their way into files. */
  readonly cells: number
  /** Bytes that they became. */
  readonly bytes: number
}

/** What a write can fail with. Nothing of it is there then. Enumerations are read to check the codes of their values. */
export type WriteFailure = InvalidOption | WriteError | EnumerationError | CodecError | StorageError

/** An error of cells before which others were given, as one of all cells. */
export const countedFrom = (first: number) => <E>(error: E): E | WriteError =>
  error instanceof WriteError && error.cell !== undefined && first > 0
    ? new WriteError({
      ...error,
      cell: error.cell + first,
      ...(error.other === undefined ? {} : { other: error.other + first }),
    })
    : error

/** Makes a failure of a {@link WriteError}, with the URI of the array, and a defect of other exceptions. */
const refused = (uri: string) => (error: unknown): Effect.Effect<never, WriteError> =>
  error instanceof WriteError ? Effect.fail(new WriteError({ ...error, uri })) : Effect.die(error)

/** Runs what throws {@link WriteError}; the error gets the array's URI. */
export const attemptWrite = <A>(uri: string, run: () => A): Effect.Effect<A, WriteError> => attempt(run, refused(uri))

/** As {@link attemptWrite}, in steps between which the event loop gets turns. */
export const attemptWriteSteps = <A>(uri: string, run: () => Steps<A>): Effect.Effect<A, WriteError> =>
  runSteps(run, refused(uri))
