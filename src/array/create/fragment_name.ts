/**
 * Names of new fragments, schemas and other files: unique, and in the order in which one generator creates them.
 *
 * If two names have equal times, the later one in byte order takes precedence. The 32 digits at the end therefore begin
 * with the creation time and a counter, followed by random digits. Names that one process creates for one time are in
 * the order of their creation, whether the time comes from the clock or was passed twice; in most cases this also
 * applies to successive processes. (Engines count within a millisecond of the clock with their first eight digits, and
 * start at a random value in the next one.)
 *
 * Format: `timestamped_name.md`.
 */
import * as Effect from "effect/Effect"
import { formatName } from "../../../schema/name/timestamped_name.ts"
import { Since } from "../../../schema/version/version.ts"
import { NameGenerator, type NameStamp } from "./name_generator.ts"

/** First and last write time of the contents, in milliseconds since 1970. */
export type NameTime = readonly [start: number, end: number]

const nextStamp: Effect.Effect<NameStamp> = Effect.flatMap(NameGenerator, ({ next }) => next)

/** Returns the digits of a new name. They sort after all earlier ones of the {@link NameGenerator}. */
export const newUuid: Effect.Effect<string> = Effect.map(nextStamp, ({ uuid }) => uuid)

/** Returns the digits of a new name that sort after an existing name of any writer. */
export const newUuidAfter = (uuid: string): Effect.Effect<string> =>
  Effect.map(newUuid, (made) => {
    if (made > uuid) return made
    const half = (BigInt(`0x${uuid.slice(0, 16)}`) + 1n).toString(16).padStart(16, "0")
    return half + made.slice(16)
  })

/**
 * Returns a new name for the current time, or for given times. It sorts after all earlier names of this process with
 * the same times. With `version`, the name has the form for fragments and commits of that format version; names of
 * schemas and metadata have no version.
 */
export const newName = (time?: NameTime, version?: number): Effect.Effect<string> =>
  Effect.map(nextStamp, ({ time: now, uuid }) => {
    const [start, end] = time ?? [now, now]
    if (version !== undefined && version < Since.footer) return `__${uuid}_${end}`
    return formatName(start, end, uuid, version !== undefined && version >= Since.splitDimensions ? version : undefined)
  })
