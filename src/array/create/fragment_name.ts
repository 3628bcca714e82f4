/**
 * Names of new fragments, schemas and other files: unique, and in the order in which one generator creates them.
 *
 * If two names have equal times, the later one in byte order wins. The 32 digits at the end therefore begin with the
 * creation time and a counter, followed by random digits: writes of one process for one time stay in order, whether the
 * time comes from the clock or was passed twice, and so do successive processes in most cases. (Engines count within a
 * millisecond of the clock with their first eight digits, and start at a random value in the next one.)
 *
 * Format: `timestamped_name.md`.
 */
import * as Effect from "effect/Effect"
import { formatName } from "../../../schema/name/timestamped_name.ts"
import { Since } from "../../../schema/version/version.ts"
import { NameGenerator, type NameStamp } from "./name_generator.ts"

/** First and last time of the contents, in milliseconds since 1970. */
export type NameTime = readonly [start: number, end: number]

const nextStamp: Effect.Effect<NameStamp> = Effect.flatMap(NameGenerator, ({ next }) => next)

/** The digits of a new name: they sort after all earlier ones of the {@link NameGenerator}. */
export const newUuid: Effect.Effect<string> = Effect.map(nextStamp, ({ uuid }) => uuid)

/** Returns the digits of a new name that sort after an existing name of any writer. */
export const newUuidAfter = (uuid: string): Effect.Effect<string> =>
  Effect.map(newUuid, (made) => {
    if (made > uuid) return made
    const half = (BigInt(`0x${uuid.slice(0, 16)}`) + 1n).toString(16).padStart(16, "0")
    return half + made.slice(16)
  })

/**
 * Returns a new name for the current time, or for given times; it sorts after all earlier names of this process with
 * the same times. With the format version of a fragment or commit it has that version's form; schemas and metadata have
 * no version.
 */
export const newName = (time?: NameTime, version?: number): Effect.Effect<string> =>
  Effect.map(nextStamp, ({ time: now, uuid }) => {
    const [start, end] = time ?? [now, now]
    if (version !== undefined && version < Since.footer) return `__${uuid}_${end}`
    return formatName(start, end, uuid, version !== undefined && version >= Since.splitDimensions ? version : undefined)
  })
