/** A storage that counts sequential round trips, for tests of reads over the network. */
import * as Effect from "effect/Effect"
import { mapStorage } from "../../platform/storage/map_storage.ts"
import { withCoalescing } from "../../platform/storage/middleware/coalescing.ts"
import type { Storage } from "../../platform/storage/service.ts"

/** Time without a new request after which the pending ones are answered, in milliseconds. */
const QUIET = 3

export interface Trips {
  readonly storage: Storage
  /** Number of round trips so far: requests in the same trip are in flight at the same time. */
  readonly trips: () => number
  readonly requests: () => number
}

/**
 * Wraps a storage: requests wait until no further request arrives, and then up to `inFlight` of them are answered in one
 * trip.
 */
export const countTrips = (inner: Storage, inFlight = 16): Trips => {
  let trips = 0
  let requests = 0
  let pending: Array<() => void> = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const answer = (): void => {
    const now = pending.slice(0, inFlight)
    pending = pending.slice(inFlight)
    trips++
    timer = pending.length > 0 ? setTimeout(answer, QUIET) : undefined
    for (const resume of now) resume()
  }
  const wait = Effect.async<void>((resume) => {
    requests++
    pending.push(() => resume(Effect.void))
    clearTimeout(timer)
    timer = setTimeout(answer, QUIET)
  })
  const slow = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => Effect.zipRight(wait, call)
  const storage: Storage = {
    ...mapStorage(inner, { read: slow, list: slow, write: slow }),
    inFlight: undefined,
    comparesVersions: () => false,
    readRanges: (uri, ranges) =>
      Effect.zipRight(
        Effect.forEach(ranges, () => wait, { concurrency: "unbounded", discard: true }),
        inner.readRanges(uri, ranges),
      ),
  }
  return { storage: withCoalescing(storage), trips: () => trips, requests: () => requests }
}
