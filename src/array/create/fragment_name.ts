/**
 * Names of what is being written: unique, and in the order in which one generator makes them.
 *
 * Of names with the same times the later one in byte order wins. So the 32 digits at the end begin with the moment at which
 * they were made and a counter, and only then are random: what one process writes for one moment stays in order, be it the
 * same millisecond of the clock or a moment that was given twice, and mostly so do processes that run one after the other.
 * (Engines let their first eight digits count within a millisecond of the clock, and begin anew at random in the next.)
 *
 * Format: `timestamped_name.md`.
 */
import * as Effect from "effect/Effect"
import { formatName } from "../../../schema/name/timestamped_name.ts"
import { Since } from "../../../schema/version/version.ts"
import { NameGenerator, type NameStamp } from "./name_generator.ts"

/** First and last moment of what is written, in milliseconds since 1970. */
export type NameTime = readonly [start: number, end: number]

const nextStamp: Effect.Effect<NameStamp> = Effect.flatMap(NameGenerator, ({ next }) => next)

/** The digits of a new name: they sort after all that the {@link NameGenerator} made before. */
export const newUuid: Effect.Effect<string> = Effect.map(nextStamp, ({ uuid }) => uuid)

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
  Effect.map(nextStamp, ({ time: now, uuid }) => {
    const [start, end] = time ?? [now, now]
    if (version !== undefined && version < Since.footer) return `__${uuid}_${end}`
    return formatName(start, end, uuid, version !== undefined && version >= Since.splitDimensions ? version : undefined)
  })
