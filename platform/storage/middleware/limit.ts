/**
 * A storage middleware that limits concurrent requests.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { eachRange } from "../each_range.ts"
import { mapStorage } from "../map_storage.ts"
import type { Storage } from "../service.ts"
import { numberOption } from "../../options.ts"

/**
 * Limits a storage to `requests` concurrent requests; each range of a call counts as one request. Further requests
 * wait. Servers have different limits, and browsers open six connections per server. Throws `InvalidOption` for a
 * number below 1.
 *
 * ```ts
 * import { makeMemoryStorage, withLimit } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const storage = withLimit(makeMemoryStorage(new Map([["a", new Uint8Array(100)]])), 6)
 * const ranges = Array.from({ length: 50 }, (_, i) => ({ offset: 2 * i, length: 1 }))
 * assertEquals((await Effect.runPromise(storage.readRanges("mem://a", ranges))).length, 50) // six at a time
 * ```
 */
export const withLimit = (storage: Storage, requests: number): Storage => {
  const turn = Effect.unsafeMakeSemaphore(Math.floor(numberOption("requests", requests, 1, 1))).withPermits(1)
  return {
    ...mapStorage(storage, { read: turn, list: turn, write: turn }),
    readRanges: (uri, ranges, into) =>
      eachRange(ranges, into, (some, capacity) => turn(storage.readRanges(uri, some, capacity))),
  }
}
