/**
 * Converts dates and times to and from text. A datetime counts units since 1970-01-01T00:00 UTC, a time counts units
 * since midnight; both are int64.
 *
 * @module
 */
import type { Datatype } from "./datatype.ts"

/** The reason why a text is not a valid date or time. It continues a sentence that starts with the text. */
export interface DatetimeIssue {
  readonly reason: string
}

const ATTOSECONDS = 1_000_000_000_000_000_000n
const HOUR = 3600n * ATTOSECONDS
const DAY = 24n * HOUR

/** Attoseconds per unit. Months and years are missing because they have no fixed length. */
const lengths: Record<string, bigint> = {
  week: 7n * DAY,
  day: DAY,
  hr: HOUR,
  min: 60n * ATTOSECONDS,
  sec: ATTOSECONDS,
  ms: 1_000_000_000_000_000n,
  us: 1_000_000_000_000n,
  ns: 1_000_000_000n,
  ps: 1_000_000n,
  fs: 1_000n,
  as: 1n,
}

const digitsOf: Record<string, number> = { sec: 0, ms: 3, us: 6, ns: 9, ps: 12, fs: 15, as: 18 }

const unitOf = (type: Datatype): string => type.slice(type.indexOf("_") + 1)

const floorDivide = (a: bigint, b: bigint): bigint => a >= 0n ? a / b : -((b - 1n - a) / b)

/** Returns the number of days from 1970-01-01 to a date of the proleptic Gregorian calendar (month 1 to 12). */
const daysOf = (year: number, month: number, day: number): number => {
  // count years from March, in eras of 400 years, so that leap days are at the end
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return era * 146097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719468
}

const civil = (days: number): { readonly year: number; readonly month: number; readonly day: number } => {
  const z = days + 719468
  const era = Math.floor(z / 146097)
  const dayOfEra = z - era * 146097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const m = Math.floor((5 * dayOfYear + 2) / 153)
  const month = m < 10 ? m + 3 : m - 9
  const day = dayOfYear - Math.floor((153 * m + 2) / 5) + 1
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}

const clock = String.raw`(\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,18}))?)?)?`
const dateTime = new RegExp(
  String.raw`^([+-]?\d{4,9})-(\d{2})(?:-(\d{2})(?:[T ]${clock}(Z|[+-]\d{2}(?::?\d{2})?)?)?)?$`,
  "i",
)
const timeOnly = new RegExp(`^${clock}$`)

const clockOf = (parts: ReadonlyArray<string | undefined>): bigint | DatetimeIssue => {
  const [hours, minutes, seconds] = [Number(parts[0] ?? 0), Number(parts[1] ?? 0), Number(parts[2] ?? 0)]
  if (hours > 23 || minutes > 59 || seconds > 59) return { reason: "is not a valid time of day" }
  return BigInt(hours * 3600 + minutes * 60 + seconds) * ATTOSECONDS + BigInt((parts[3] ?? "").padEnd(18, "0"))
}

const toUnits = (attoseconds: bigint, unit: string): bigint | DatetimeIssue =>
  attoseconds % lengths[unit] === 0n ? attoseconds / lengths[unit] : { reason: `is finer than its unit (${unit})` }

/**
 * Parses an ISO 8601 date (`2024-02`, `2024-02-29`, `2024-02-29T12:30:00.25+01:00`; UTC by default) into the unit of a
 * datetime type. Parts finer than the unit must be zero, but a date also denotes the week, month or year that contains
 * it. A plain year is rejected because it could be confused with a count.
 */
export const parseDatetime = (type: Datatype, text: string): bigint | DatetimeIssue => {
  const match = dateTime.exec(text)
  if (match === null) {
    return { reason: `is neither an integer nor an ISO date such as 2024-02-29T12:30:00, which ${type} needs` }
  }
  const [, y, m, d, ...rest] = match
  const [year, month, day] = [Number(y), Number(m), Number(d ?? 1)]
  const days = daysOf(year, month, day)
  const back = civil(days)
  if (back.year !== year || back.month !== month || back.day !== day) return { reason: "is not a valid calendar date" }
  const time = clockOf(rest)
  if (typeof time !== "bigint") return time
  let instant = BigInt(days) * DAY + time
  const zone = rest[4]
  if (zone !== undefined && zone.toUpperCase() !== "Z") {
    const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(":", "") || 0)]
    if (hours > 23 || minutes > 59) return { reason: "has no valid offset from UTC" }
    const offset = BigInt(hours * 60 + minutes) * 60n * ATTOSECONDS
    instant += zone[0] === "+" ? -offset : offset
  }
  const unit = unitOf(type)
  if (unit !== "year" && unit !== "month" && unit !== "week") return toUnits(instant, unit)
  if (instant % DAY !== 0n) return { reason: `is finer than its unit (${unit})` }
  if (unit === "week") return floorDivide(instant, lengths.week)
  const date = civil(Number(instant / DAY))
  return BigInt(unit === "year" ? date.year - 1970 : (date.year - 1970) * 12 + date.month - 1)
}

/** Parses a time of day (`12:30`, `12:30:00.25`) into the unit of a time type. */
export const parseTime = (type: Datatype, text: string): bigint | DatetimeIssue => {
  const match = timeOnly.exec(text)
  if (match === null) return { reason: `is neither an integer nor a time such as 12:30:00, which ${type} needs` }
  const time = clockOf(match.slice(1))
  return typeof time === "bigint" ? toUnits(time, unitOf(type)) : time
}

const pad = (n: number | bigint, width: number): string => String(n).padStart(width, "0")

const yearText = (year: number): string =>
  year >= 0 && year <= 9999 ? pad(year, 4) : (year < 0 ? "-" : "+") + pad(Math.abs(year), 6)

/** Formats the time of day `attoseconds` after midnight, with the precision of the unit. */
const clockText = (attoseconds: bigint, unit: string): string => {
  const seconds = attoseconds / ATTOSECONDS
  const hours = `${pad(seconds / 3600n, 2)}:${pad(seconds / 60n % 60n, 2)}`
  if (unit === "hr" || unit === "min") return hours
  const digits = digitsOf[unit]
  const fraction = digits === 0 ? "" : "." + pad(attoseconds % ATTOSECONDS, 18).slice(0, digits)
  return `${hours}:${pad(seconds % 60n, 2)}${fraction}`
}

/**
 * Formats a datetime as ISO text, with the precision of its unit (a week as its first day). The smallest int64, which
 * is the fill value and NumPy's "not a time", is `"NaT"`.
 */
export const formatDatetime = (type: Datatype, value: bigint): string => {
  if (value === -0x8000000000000000n) return "NaT"
  const unit = unitOf(type)
  if (unit === "year" || unit === "month") {
    const months = unit === "year" ? value * 12n : value
    const year = floorDivide(months, 12n)
    // years outside the supported calendar range are formatted as counts
    if (year > 999_999_999n || year < -999_999_999n) return String(value)
    const text = yearText(Number(year) + 1970)
    return unit === "year" ? text : `${text}-${pad(months - year * 12n + 1n, 2)}`
  }
  const instant = value * lengths[unit]
  const days = floorDivide(instant, DAY)
  if (days > 300_000_000_000n || days < -300_000_000_000n) return String(value)
  const { year, month, day } = civil(Number(days))
  const date = `${yearText(year)}-${pad(month, 2)}-${pad(day, 2)}`
  return unit === "week" || unit === "day" ? date : `${date}T${clockText(instant - days * DAY, unit)}`
}

/** Formats a time of day with the precision of its unit; values outside one day are formatted as counts. */
export const formatTime = (type: Datatype, value: bigint): string => {
  const unit = unitOf(type)
  const attoseconds = value * lengths[unit]
  return attoseconds >= 0n && attoseconds < DAY ? clockText(attoseconds, unit) : String(value)
}

const MILLISECOND = ATTOSECONDS / 1000n
/** The latest time of a `Date` in milliseconds; the earliest is the negated value. */
const LAST_DATE = 8.64e15

/** Returns NaN for milliseconds outside the range of `Date`. Numbers are exact here: that range is far below 2⁵³. */
const inDates = (millis: number): number => Math.abs(millis) <= LAST_DATE ? millis : NaN

/**
 * Returns the time of a datetime in milliseconds since 1970, as `Date` counts; finer parts are rounded towards the
 * past. Returns NaN for "not a time" (the smallest int64) and for times outside the range of `Date`.
 */
export const datetimeMillis = (type: Datatype, value: bigint): number => {
  if (value === -0x8000000000000000n) return NaN
  const unit = unitOf(type)
  if (unit === "year" || unit === "month") {
    const months = Number(value) * (unit === "year" ? 12 : 1)
    if (!(Math.abs(months) < 4e6)) return NaN
    const year = Math.floor(months / 12)
    return inDates(daysOf(year + 1970, months - year * 12 + 1, 1) * 86_400_000)
  }
  const length = lengths[unit]
  if (length >= MILLISECOND) return inDates(Number(value * (length / MILLISECOND)))
  return inDates(Number(floorDivide(value, MILLISECOND / length)))
}
