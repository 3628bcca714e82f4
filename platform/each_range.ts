/**
 * The ranges of one call as calls of their own.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { ByteRange } from "./storage.ts"

/** As many ranges of one call are under way at a time, unless a limit below allows fewer. */
const CONCURRENCY = 16

/**
 * Reads each range by a call of its own, several at a time, and answers in the order asked. Memory for the
 * answers goes with a single range only.
 */
export const eachRange = <E>(
  ranges: ReadonlyArray<ByteRange>,
  into: Uint8Array | undefined,
  read: (ranges: ReadonlyArray<ByteRange>, into?: Uint8Array) => Effect.Effect<ReadonlyArray<Uint8Array>, E>,
): Effect.Effect<ReadonlyArray<Uint8Array>, E> =>
  ranges.length < 2
    ? read(ranges, into)
    : Effect.map(Effect.forEach(ranges, (range) => read([range]), { concurrency: CONCURRENCY }), (parts) =>
      parts.flat())
