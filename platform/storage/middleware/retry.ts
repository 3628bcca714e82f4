/**
 * A storage that asks again when the one below was only busy.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { redactUri } from "../../../schema/errors/redact.ts"
import { numberOption } from "./check_option.ts"
import { eachRange } from "../each_range.ts"
import { StorageError, type StorageReason } from "../../errors.ts"
import { addToMetrics, tags } from "../../observability/counts.ts"
import type { Storage } from "../service.ts"
import { schemeOf } from "../uri.ts"

/** When to ask again, and how often. */
export interface RetryOptions {
  /** Tries after the first. Default: 4. */
  readonly times?: number
  /** The wait before the second try, twice that before the third, and so on. Default: 100 milliseconds. */
  readonly wait?: Duration.DurationInput
  /** No wait is longer; a server that asks for a longer one is not asked again. Default: 10 seconds. */
  readonly longestWait?: Duration.DurationInput
  /** What is worth another try. Default: `Unavailable` and `Timeout`. */
  readonly reasons?: ReadonlyArray<StorageReason>
}

/** Milliseconds that the other side asked to wait. */
const requestedDelay = (error: StorageError): number => {
  const wait = (error.cause as { readonly retryAfter?: unknown } | null | undefined)?.retryAfter
  return typeof wait === "number" ? wait : 0
}

/** Counts a retry and logs it at level Debug. */
const reportRetry = ({ op, uri, reason }: StorageError, attempt: number, delay: number): Effect.Effect<void> =>
  Effect.zipRight(
    addToMetrics({ retries: 1 }, tags({ scheme: schemeOf(uri) })),
    Effect.annotateLogs(Effect.logDebug("retrying a storage call"), {
      operation: op,
      uri: redactUri(uri),
      reason,
      attempt,
      delayMillis: Math.round(delay),
    }),
  )

/**
 * `storage`, whose calls are made again if they fail for a reason that passes: after waits that double, each cut by up to
 * half at random so that many clients do not come back at once, and no shorter than the server asks for (Retry-After). The
 * ranges of a call are asked for one by one, so that one that fails does not repeat the others. `create` is made once: had
 * the first try arrived after all, the second would find its own file. Each retry is counted (`tessera.storage.retries`) and
 * logged at level Debug.
 *
 * ```ts
 * import { makeMemoryStorage, withFaults, withRetry } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const { storage } = withFaults(makeMemoryStorage(), { at: 0, fault: "fail" })
 * const patient = withRetry(storage, { times: 2, wait: "1 millis", reasons: ["Unknown"] })
 * await Effect.runPromise(patient.write("mem://a", Uint8Array.of(1)))
 * assertEquals(Effect.runSync(patient.size("mem://a")), 1)
 * ```
 */
export const withRetry = (storage: Storage, options: RetryOptions = {}): Storage => {
  const times = numberOption("times", options.times, 4)
  const wait = Duration.toMillis(options.wait ?? 100)
  const longest = Duration.toMillis(options.longestWait ?? "10 seconds")
  const reasons = new Set(options.reasons ?? ["Unavailable", "Timeout"])

  const retrying = <A, E, R>(call: Effect.Effect<A, E, R>, tries = 0): Effect.Effect<A, E, R> =>
    Effect.catchAll(call, (error) => {
      if (tries >= times || !(error instanceof StorageError) || !reasons.has(error.reason)) return Effect.fail(error)
      const asked = requestedDelay(error)
      if (asked > longest) return Effect.fail(error)
      return Effect.flatMap(Random.next, (chance) => {
        const own = Math.min(wait * 2 ** tries, longest) * (1 - chance / 2)
        const delay = Math.max(own, asked)
        return reportRetry(error, tries + 1, delay).pipe(
          Effect.zipRight(Effect.sleep(delay)),
          Effect.zipRight(retrying(call, tries + 1)),
        )
      })
    })

  return {
    list: (uri) => retrying(storage.list(uri)),
    size: (uri) => retrying(storage.size(uri)),
    read: (uri) => retrying(storage.read(uri)),
    readRanges: (uri, ranges, into) =>
      eachRange(ranges, into, (some, room) => retrying(storage.readRanges(uri, some, room))),
    readTail: (uri, length) => retrying(storage.readTail(uri, length)),
    write: (uri, bytes) => retrying(storage.write(uri, bytes)),
    openWrite: (uri) =>
      Effect.map(retrying(storage.openWrite(uri)), (file) => ({
        write: (bytes) => retrying(file.write(bytes)),
        finish: retrying(file.finish),
      })),
    create: (uri, bytes) => storage.create(uri, bytes),
    createFolder: (uri) => retrying(storage.createFolder(uri)),
    remove: (uri) => retrying(storage.remove(uri)),
    removeFolder: (uri) => retrying(storage.removeFolder(uri)),
    inFlight: storage.inFlight,
    mode: storage.mode,
    realPath: storage.realPath,
    unlisted: storage.unlisted,
  }
}
