import type * as Effect from "effect/Effect"
import { attempt, failOn } from "../../platform/attempt.ts"
import { runSteps } from "../../platform/host/event_loop_turns.ts"
import type { Steps } from "../kernel/steps.ts"
import { FormatError } from "../../schema/errors/format_error.ts"
import { CodecError } from "../../platform/errors.ts"
import { ChecksumMismatch, DecryptionFailed } from "../filter/part/errors.ts"

/** What opening tiles can fail with. */
export type TileError = FormatError | ChecksumMismatch | DecryptionFailed | CodecError

const notDecoded = failOn(FormatError, ChecksumMismatch, DecryptionFailed, CodecError)

/** Runs synchronous decoding; what it throws of the errors of the bytes becomes the Effect's failure, all else a defect. */
export const attemptTile = <A>(run: () => A): Effect.Effect<A, TileError> => attempt(run, notDecoded)

/** As {@link attemptTile}, in steps between which the event loop gets turns. */
export const attemptTileSteps = <A>(run: () => Steps<A>): Effect.Effect<A, TileError> => runSteps(run, notDecoded)

/** {@link attemptTile} for decoding that touches no filters. */
export const attemptFormat = <A>(run: () => A): Effect.Effect<A, FormatError> => attempt(run, failOn(FormatError))
