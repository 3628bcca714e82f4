/**
 * The moment of a write that names none: the clock's, but never before what the array or group has already.
 *
 * Names say when, and the later name wins. With a clock that is behind the one of another writer, a write would be
 * acknowledged and yet hidden by what was written before it. So each write looks at the newest name that is there, and comes
 * after it. A name far in the future is somebody's mistake and must not drag all later writes along: that is an error.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { messageText } from "../../../schema/errors/message_text.ts"
import { redactUri } from "../../../schema/errors/redact.ts"
import { InvalidOption } from "../open/errors.ts"
import type { NameTime } from "./fragment_name.ts"

/** The most milliseconds by which the clock may be behind the newest name; a write then takes the moment after that name. */
export const MAX_CLOCK_SKEW = 3_600_000

/** The most milliseconds for which a write waits until the clock has reached its moment. */
export const MAX_WAIT = 1000

/** The newest of some names. */
export interface Newest {
  /** The last moment of it, in milliseconds since 1970. */
  readonly end: number
  /** Whether what is written may have the same moment: then its place does not depend on the order of names. */
  readonly isShared: boolean
}

/** The newer of two. */
export const newerOf = (a: Newest | undefined, b: Newest | undefined): Newest | undefined =>
  a === undefined || b === undefined ? a ?? b : a.end > b.end || (a.end === b.end && !a.isShared) ? a : b

/** What a name says. */
export const newestOf = ({ end }: Pick<TimestampedName, "end">, isShared = false): Newest => ({ end, isShared })

const shown = (millis: number): string => {
  const date = new Date(millis)
  return Number.isNaN(date.getTime()) ? `${millis}` : `${millis} (${date.toISOString()})`
}

/**
 * The moment of a write of which the caller says none: now, or the millisecond after the newest name where that is not before
 * now. Logs a warning where the clock is behind; fails where it is behind by more than {@link MAX_CLOCK_SKEW}.
 */
export const momentAfter = (uri: string, newest: Newest | undefined): Effect.Effect<NameTime, InvalidOption> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (newest === undefined || newest.end < now) return [now, now]
    // of equal moments only the digits of names say which is newer, and TileDB 2.30 does not look at these
    if (newest.end === now && newest.isShared) return [now, now]
    const skew = newest.end - now
    if (skew > MAX_CLOCK_SKEW) {
      const reason = `the newest name there is of ${shown(newest.end)}, ${skew} ms after the clock, which says ` +
        `${shown(now)}; set the clock right, or pass at: the moment that what is written belongs to`
      return yield* Effect.fail(new InvalidOption({ uri, option: "at", detail: reason }))
    }
    const next = newest.end + 1
    if (skew > 0) {
      yield* Effect.logWarning(
        messageText(
          `${redactUri(uri)}: the clock says ${shown(now)}, and the newest name there is of ${shown(newest.end)}; ` +
            `this write is of ${next}, so that it counts as newer`,
        ),
      )
    }
    return [next, next]
  })

/** Sleeps in real time, whatever clock the program has: a test's clock that stands still must not stop a write for good. */
export const sleepReal = (millis: number): Effect.Effect<void> => Effect.withClock(Effect.sleep(millis), Clock.make())

/**
 * Waits until the clock has reached a moment that {@link momentAfter} gave, so that whoever reads right after the write sees
 * it. The wait is bounded: where the clock is more than `most` milliseconds behind, or stands still, the write goes on.
 */
export const untilReached = ([, end]: NameTime, max: number = MAX_WAIT): Effect.Effect<void> =>
  Effect.gen(function* () {
    // timers may be early by a millisecond
    for (let tries = 0; tries < 3; tries++) {
      const remaining = end - (yield* Clock.currentTimeMillis)
      if (remaining <= 0 || remaining > max) return
      yield* sleepReal(tries === 0 ? remaining : 1)
    }
  })
