/**
 * Names of what is being written: unique, and in the order in which one process makes them.
 *
 * Of names with the same times the later one in byte order wins. So the 32 digits at the end begin with the moment at which
 * they were made and a counter, and only then are random: what one process writes for one moment stays in order, be it the
 * same millisecond of the clock or a moment that was given twice, and mostly so do processes that run one after the other.
 * (Engines let their first eight digits count within a millisecond of the clock, and begin anew at random in the next.)
 *
 * Format: `timestamped_name.md`.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toHex } from "../../../schema/array/scalar.ts"
import { formatName } from "../../../schema/name/timestamped_name.ts"
import { Since } from "../../../schema/version/version.ts"

/** First and last moment of what is written, in milliseconds since 1970. */
export type NameTime = readonly [start: number, end: number]

/** Names that one process can make within a millisecond; more of them count as made in the next. */
const PER_MILLISECOND = 2 ** 20
const LAST_MILLISECOND = 2 ** 32 * 1000 - 1

let millisecond = 0
let counter = 0

const digits = (n: number, length: number): string => n.toString(16).padStart(length, "0")

/**
 * 32 hex digits greater than any that this process made before: eight of the seconds since 1970, three of the milliseconds,
 * five of a counter, sixteen random ones.
 */
const nextUuid = (clock: number): string => {
  const now = Math.min(clock, LAST_MILLISECOND)
  // a clock that was set back changes nothing
  if (now > millisecond) {
    millisecond = now
    counter = 0
  } else if (++counter === PER_MILLISECOND) {
    millisecond++
    counter = 0
  }
  const random = toHex(crypto.getRandomValues(new Uint8Array(8)))
  return digits(Math.floor(millisecond / 1000), 8) + digits(millisecond % 1000, 3) + digits(counter, 5) + random
}

/** The digits of a new name: they sort behind all that this process made before. */
export const newUuid: Effect.Effect<string> = Effect.map(Clock.currentTimeMillis, nextUuid)

/** The digits of a new name that sort behind those of one that is there, whoever made it. */
export const newUuidAfter = (uuid: string): Effect.Effect<string> =>
  Effect.map(newUuid, (made) => {
    if (made > uuid) return made
    const half = (BigInt(`0x${uuid.slice(0, 16)}`) + 1n).toString(16).padStart(16, "0")
    return half + made.slice(16)
  })

/**
 * A new name for the moment of the clock, or for the times that are given; it sorts behind all that this process made for the
 * same times. With the format version of a fragment or commit it has that version's form; schemas and metadata have none.
 */
export const newName = (time?: NameTime, version?: number): Effect.Effect<string> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const [start, end] = time ?? [now, now]
    const uuid = nextUuid(now)
    if (version !== undefined && version < Since.footer) return `__${uuid}_${end}`
    return formatName(start, end, uuid, version !== undefined && version >= Since.splitDimensions ? version : undefined)
  })
