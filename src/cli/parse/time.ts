/**
 * Parses times on the command line: milliseconds since 1970, ISO dates, or names of tags.
 */
import { isTagName, TAG_OPTION_PREFIX } from "../../array/metadata/tag_times.ts"
import { parseDatetime } from "../../../schema/array/datetime.ts"
import type { Request } from "./arguments.ts"
import { UsageError } from "./usage_error.ts"

/** Parses one time, in milliseconds. Throws {@link UsageError}. */
export const parseTimeOption = (option: string, text: string): number => {
  // times beyond the exact range of numbers are later than all others
  if (/^\d{1,20}$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
  const parsed = parseDatetime("datetime_ms", text)
  if (typeof parsed !== "bigint" || parsed < 0n) {
    throw new UsageError({
      detail: `${option}: ${JSON.stringify(text)} is not a time; give milliseconds since 1970, an ISO date such as ` +
        "2024-02-29T12:00Z, or the name of a tag",
    })
  }
  return Number(parsed)
}

/** Times of tags by name. */
export type TagTimes = ReadonlyMap<string, number>

/** Returns the name of a tag in a time option, with or without the prefix of the API; `undefined` for other text. */
export const tagOption = (text: string): string | undefined => {
  const name = text.startsWith(TAG_OPTION_PREFIX) ? text.slice(TAG_OPTION_PREFIX.length) : text
  return isTagName(name) ? name : undefined
}

/** Parses a time, or returns the time of a tag. Throws {@link UsageError}. */
export const namedTime = (option: string, text: string, tags: TagTimes): number =>
  tags.get(tagOption(text) ?? "") ?? parseTimeOption(option, text)

/** Returns the time range of `--at`, `--from` and `--to`. Throws {@link UsageError}. */
export const timeOptions = (
  request: Request,
  tags: TagTimes,
): { readonly start?: number; readonly end?: number } => {
  const time = (name: string): number | undefined => {
    const text = request.text(name)
    return text === undefined ? undefined : namedTime(`${request.command}: --${name}`, text, tags)
  }
  const at = time("at")
  const from = time("from")
  const to = time("to")
  if (at !== undefined && (from !== undefined || to !== undefined)) {
    throw new UsageError({ detail: `${request.command}: --at cannot be combined with --from or --to; omit one` })
  }
  if (from !== undefined && to !== undefined && from > to) {
    throw new UsageError({ detail: `${request.command}: --from is after --to` })
  }
  const end = at ?? to
  return { ...(from === undefined ? {} : { start: from }), ...(end === undefined ? {} : { end }) }
}

/** Minimum time that is shown as a date (in 1973); smaller times are probably counters. */
const MIN_SHOWN_DATE = 1e11

/** Formats a time in milliseconds. */
export const timeText = (time: number): string => {
  if (time < MIN_SHOWN_DATE || time > 8.64e15) return String(time)
  return new Date(time).toISOString().replace(/\.000Z$/, "Z")
}
