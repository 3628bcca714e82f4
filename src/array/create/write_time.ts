/**
 * The time of a write without an explicit time: the time of the clock, but always after the existing contents of the
 * array or group.
 *
 * Names contain times, and the later name takes precedence. If the clock of another writer is ahead, earlier writes
 * would hide a new one, although it succeeded. Each write therefore reads the newest existing name, and uses a later
 * time. A name far in the future is an error and must not shift all later writes: such a write fails.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { messageText } from "../../../schema/errors/message_text.ts"
import { redactUri } from "../../../schema/errors/redact.ts"
import { InvalidOption } from "../open/errors.ts"
import type { NameTime } from "./fragment_name.ts"

/**
 * Maximum number of milliseconds by which the newest name may be ahead of the clock. The write then uses the
 * millisecond after that name.
 */
export const MAX_CLOCK_SKEW = 3_600_000

/** Maximum number of milliseconds for which a write waits until the clock reaches the time of the write. */
export const MAX_WAIT = 1000

/** The time of the newest of some names. */
export interface Newest {
  /** Last time in the name, in milliseconds since 1970. */
  readonly end: number
  /** Whether a write may have the same time, because the order of these names does not matter. */
  readonly isShared: boolean
}

/** Returns the newer of two times. */
export const newerOf = (a: Newest | undefined, b: Newest | undefined): Newest | undefined =>
  a === undefined || b === undefined ? a ?? b : a.end > b.end || (a.end === b.end && !a.isShared) ? a : b

/** Returns the time of a name. */
export const newestOf = ({ end }: Pick<TimestampedName, "end">, isShared = false): Newest => ({ end, isShared })

const shown = (millis: number): string => {
  const date = new Date(millis)
  return Number.isNaN(date.getTime()) ? `${millis}` : `${millis} (${date.toISOString()})`
}

/**
 * Returns the time of a write without an explicit time: now, or the millisecond after the newest name if that is later.
 * Logs a warning if the clock is behind; fails if it is behind by more than {@link MAX_CLOCK_SKEW}.
 */
export const momentAfter = (uri: string, newest: Newest | undefined): Effect.Effect<NameTime, InvalidOption> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (newest === undefined || newest.end < now) return [now, now]
    // otherwise the digits of the names would decide which is newer, and TileDB 2.30 ignores them
    if (newest.end === now && newest.isShared) return [now, now]
    const skew = newest.end - now
    if (skew > MAX_CLOCK_SKEW) {
      const detail = `the newest name has the time ${shown(newest.end)}, ${skew} ms ahead of the clock, which shows ` +
        `${shown(now)}; correct the clock, or pass at: the time of the write`
      return yield* Effect.fail(new InvalidOption({ uri, option: "at", reason: "Conflict", detail }))
    }
    const next = newest.end + 1
    if (skew > 0) {
      yield* Effect.logWarning(
        messageText(
          `${redactUri(uri)}: the clock says ${shown(now)}, and the newest name has the time ${shown(newest.end)}; ` +
            `this write has the time ${next}, so that it is newer`,
        ),
      )
    }
    return [next, next]
  })

/**
 * Sleeps in real time, whatever clock the program provides: a test clock that does not advance must not block a write.
 */
export const sleepReal = (millis: number): Effect.Effect<void> => Effect.withClock(Effect.sleep(millis), Clock.make())

/**
 * Waits until the clock reaches a time from {@link momentAfter}, so that readers after the write see it. If the clock
 * is more than `max` milliseconds behind, or does not advance, the write continues without waiting longer.
 */
export const waitUntil = ([, end]: NameTime, max: number = MAX_WAIT): Effect.Effect<void> =>
  Effect.gen(function* () {
    // timers may fire a millisecond early
    for (let tries = 0; tries < 3; tries++) {
      const remaining = end - (yield* Clock.currentTimeMillis)
      if (remaining <= 0 || remaining > max) return
      yield* sleepReal(tries === 0 ? remaining : 1)
    }
  })
