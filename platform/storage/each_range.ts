/**
 * The ranges of one call as calls of their own.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ByteRange } from "./service.ts"

/** As many ranges of one call are under way at a time, unless a limit below allows fewer. */
const CONCURRENCY = 16

/**
 * What the calls for single ranges share: state of the storage below, by an object of that storage. A storage whose files
 * can change keeps the version of the file here, so that the ranges of one call are never from two versions.
 */
export type RangeCall = WeakMap<object, unknown>

/** The tag of {@link RangeCall}; it is provided while a call with several ranges runs. */
export const RangeCall: Context.Tag<RangeCall, RangeCall> = Context.GenericTag("@tessera/array/RangeCall")

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
    : Effect.suspend(() =>
      Effect.forEach(ranges, (range) => read([range]), { concurrency: CONCURRENCY }).pipe(
        Effect.provideService(RangeCall, new WeakMap()),
        Effect.map((parts) => parts.flat()),
      )
    )
