/**
 * Reads each range of a call separately.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ByteRange } from "./service.ts"

/** Maximum number of concurrent ranges of one call, unless a storage below allows fewer. */
const CONCURRENCY = 16

/**
 * State that is shared by the calls for single ranges; the key is an object of the storage below. A storage whose files
 * can change keeps the version of the file here, so that all ranges of a call come from the same version.
 */
export type RangeCall = WeakMap<object, unknown>

/** The tag of {@link RangeCall}, provided while a call with several ranges runs. */
export const RangeCall: Context.Tag<RangeCall, RangeCall> = Context.GenericTag("@tessera/array/RangeCall")

/**
 * Reads each range by a separate call, several concurrently, and returns them in the requested order. The caller's
 * memory is used only if there is a single range.
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
