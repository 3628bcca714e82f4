import type * as Effect from "effect/Effect"
import { attempt, failOn } from "../../platform/attempt.ts"
import { runSteps } from "../../platform/host/event_loop_turns.ts"
import type { Steps } from "../kernel/steps.ts"
import { FormatError } from "../../schema/errors/format_error.ts"
import { CodecError } from "../../platform/errors.ts"
import { ChecksumMismatch, DecryptionFailed } from "../filter/part/errors.ts"

/** The errors of opening tiles. */
export type TileError = FormatError | ChecksumMismatch | DecryptionFailed | CodecError

const notDecoded = failOn(FormatError, ChecksumMismatch, DecryptionFailed, CodecError)

/** Runs synchronous decoding. Errors about the bytes become failures of the Effect, all other exceptions defects. */
export const attemptTile = <A>(run: () => A): Effect.Effect<A, TileError> => attempt(run, notDecoded)

/** Runs decoding like {@link attemptTile}, in steps between which the event loop runs. */
export const attemptTileSteps = <A>(run: () => Steps<A>): Effect.Effect<A, TileError> => runSteps(run, notDecoded)

/** Runs decoding like {@link attemptTile}, for code that uses no filters. */
export const attemptFormat = <A>(run: () => A): Effect.Effect<A, FormatError> => attempt(run, failOn(FormatError))
