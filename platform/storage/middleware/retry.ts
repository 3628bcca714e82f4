/**
 * A storage middleware that retries calls after transient failures.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { redactUri } from "../../../schema/errors/redact.ts"
import { invalidOption, shownValue, StorageError, type StorageReason, storageReasons } from "../../errors.ts"
import { addToMetrics, tags } from "../../observability/counts.ts"
import { eachRange } from "../each_range.ts"
import { mapStorage } from "../map_storage.ts"
import { checkOptionNames, durationOption, numberOption } from "../../options.ts"
import type { Storage } from "../service.ts"
import { schemeOf } from "../uri.ts"

/** Retry options. */
export interface RetryOptions {
  /** Maximum number of retries. Default: 4. */
  readonly times?: number
  /** Maximum delay before the first retry; it doubles with every retry. Default: 100 milliseconds. */
  readonly wait?: Duration.DurationInput
  /** Maximum delay before any retry. If a server requests a longer one, the call fails. Default: 10 seconds. */
  readonly longestWait?: Duration.DurationInput
  /** Maximum time between the first failure and the start of a retry. Default: 3 minutes. */
  readonly totalTime?: Duration.DurationInput
  /** Failure reasons to retry. Default: `Unavailable` and `Timeout`. */
  readonly reasons?: ReadonlyArray<StorageReason>
  /**
   * Replaces the default schedule; `times`, `wait` and `totalTime` then have no effect. `reasons`, `longestWait` and
   * Retry-After still apply.
   */
  readonly schedule?: Schedule.Schedule<unknown, StorageError>
}

/** Limits of the default schedule. */
interface RetryLimits {
  readonly times: number
  readonly wait: Duration.Duration
  readonly totalTime: Duration.Duration
}

const OPTIONS: ReadonlyArray<string> = [
  "times",
  "wait",
  "longestWait",
  "totalTime",
  "reasons",
  "schedule",
] satisfies Array<keyof RetryOptions>

/** Checks the option `reasons`. Throws `InvalidOption`. */
const checkReasons = (reasons: unknown): ReadonlySet<string> => {
  const expected = `expected a list of ${storageReasons.join(", ")}`
  if (!Array.isArray(reasons)) {
    throw invalidOption("", "reasons", `${shownValue(reasons)} is invalid; ${expected}`, reasons)
  }
  for (const reason of reasons) {
    if ((storageReasons as ReadonlyArray<unknown>).includes(reason)) continue
    const detail = `${shownValue(reason)} is invalid; ${expected}`
    throw invalidOption("", "reasons", detail, reason, { accepted: storageReasons })
  }
  return new Set(reasons)
}

/** Checks the retry options, and returns them with defaults filled in. Throws `InvalidOption`. */
export const checkRetryOptions = (options: RetryOptions) => {
  checkOptionNames(options, OPTIONS, "retry")
  const { schedule } = options
  if (schedule !== undefined && !Schedule.isSchedule(schedule)) {
    throw invalidOption("", "schedule", `${shownValue(schedule)} is invalid; expected a Schedule`, schedule)
  }
  return {
    times: numberOption("times", options.times, 4),
    wait: durationOption("wait", options.wait, 100),
    longestWait: durationOption("longestWait", options.longestWait, "10 seconds"),
    totalTime: durationOption("totalTime", options.totalTime, "3 minutes"),
    reasons: checkReasons(options.reasons ?? ["Unavailable", "Timeout"]),
    schedule,
  }
}

/** Returns the minimum delay that the server requested, in milliseconds. */
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

/** Returns an exponential backoff with full jitter: each delay is random between 0 and a limit that doubles. */
const defaultSchedule = (
  { times, wait, totalTime }: RetryLimits,
  longestWait: Duration.Duration,
): Schedule.Schedule<unknown> =>
  Schedule.exponential(wait).pipe(
    Schedule.delayed((delay) => Duration.min(delay, longestWait)),
    Schedule.jitteredWith({ min: 0, max: 1 }),
    Schedule.intersect(Schedule.recurs(times)),
    Schedule.upTo(totalTime),
  )

/**
 * Retries calls that fail for a transient reason. The default schedule is an exponential backoff with full jitter, with
 * limits for the number of retries and the total time; no delay is shorter than the server requests (Retry-After). Only
 * idempotent calls are retried: `create` only in storages with `createAs`, which recognises the file of an earlier
 * attempt; in others, a second attempt would fail on the file that the first one created. The ranges of a call are requested separately, so that a failed one does not repeat the others, and
 * `removeAll` repeats only the files that failed. Each retry is counted (`tessera.storage.retries`) and logged at level
 * Debug. Throws `InvalidOption`.
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
  const { longestWait, reasons, schedule: ownSchedule, ...limits } = checkRetryOptions(options)
  const isTransient = (error: unknown): error is StorageError =>
    error instanceof StorageError && reasons.has(error.reason) &&
    requestedDelay(error) <= Duration.toMillis(longestWait)
  const requested = Schedule.delayedSchedule(
    Schedule.map(Schedule.identity<StorageError>(), (error) => Duration.millis(requestedDelay(error))),
  )
  const own = ownSchedule ?? defaultSchedule(limits, longestWait)
  const attempts = Schedule.intersect(Schedule.identity<StorageError>(), Schedule.forever)
  const schedule = Schedule.modifyDelayEffect(
    Schedule.intersect(Schedule.intersect(own, requested), attempts),
    ([, [error, attempt]], delay) => Effect.as(reportRetry(error, attempt + 1, Duration.toMillis(delay)), delay),
  )

  const retrying = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.retry(call, {
      while: isTransient,
      schedule: schedule as Schedule.Schedule<unknown, unknown>,
    }) as Effect.Effect<A, E, R>

  const { createAs } = storage
  const removeAll = (uris: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<StorageError>, StorageError> =>
    Effect.suspend(() => {
      let pending = uris
      const final: Array<StorageError> = []
      let transient: ReadonlyArray<StorageError> = []
      const round = Effect.suspend(() => {
        transient = []
        return Effect.flatMap(storage.removeAll(pending), (failures) => {
          final.push(...failures.filter((failure) => !isTransient(failure)))
          transient = failures.filter(isTransient)
          pending = transient.map(({ uri }) => uri)
          return transient.length === 0 ? Effect.void : Effect.fail(transient[0])
        })
      })
      return Effect.matchEffect(retrying(round), {
        onSuccess: () => Effect.succeed(final),
        onFailure: (error) => transient.length === 0 ? Effect.fail(error) : Effect.succeed([...final, ...transient]),
      })
    })

  return {
    ...mapStorage(storage, { read: retrying, list: retrying, write: retrying }),
    readRanges: (uri, ranges, into) =>
      eachRange(ranges, into, (some, capacity) => retrying(storage.readRanges(uri, some, capacity))),
    create: (uri, bytes) =>
      createAs === undefined
        ? storage.create(uri, bytes)
        : Effect.suspend(() => retrying(createAs(uri, bytes, crypto.randomUUID()))),
    createAs: undefined,
    removeAll,
  }
}
