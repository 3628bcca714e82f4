/**
 * Validates the options that open an array, a group or their metadata.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { attempt, failOn } from "../../../platform/attempt.ts"
import * as Redacted from "effect/Redacted"
import type { EncryptionKey } from "../../../platform/keys.ts"
import type { TimeRange } from "./directory.ts"
import { invalidOption, type InvalidOptionDetails, noSuchOption, shownValue } from "../../../platform/errors.ts"
import { InvalidOption } from "./errors.ts"
import { parseDatetime } from "../../../schema/array/datetime.ts"
import { withoutSlash } from "./listing.ts"

/** A time: whole milliseconds since 1970, ISO text such as `"2024-02-29T12:00Z"`, a Date or a DateTime. */
export type TimeInput = number | bigint | string | Date | DateTime.Utc | DateTime.Zoned

/** Options of opening an array, a group or their metadata. */
export interface OpenOptions {
  /**
   * Time at which to open: milliseconds since 1970, ISO text, a Date, a DateTime, or a named time: `"tag:release-1"`.
   * The same option as `end`. Default: now.
   */
  readonly at?: TimeInput
  /** Includes only writes from this time on. Default: the beginning. */
  readonly start?: TimeInput
  /** Includes only writes up to this time, inclusive. Default: now. */
  readonly end?: TimeInput
  /** The AES-256-GCM key of an encrypted array: 32 bytes. */
  readonly key?: EncryptionKey | Uint8Array
  /** Whether MD5 and SHA-256 filters are checked. Default: true. */
  readonly verifyChecksums?: boolean
}

const CONFLICTING_OPTIONS: InvalidOptionDetails = { reason: "Conflict" }

/** Validated options. */
export interface Opening {
  /** URI without a trailing slash. */
  readonly uri: string
  readonly time: TimeRange
  readonly key: EncryptionKey | undefined
  readonly verifyChecksums: boolean
}

/** Rejects an option: throws `InvalidOption` with the details. */
export type Refuse = (option: string, detail: string, value?: unknown, details?: InvalidOptionDetails) => never

const kindOf = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
    ? "a list"
    : typeof value === "object"
    ? `an object (${value.constructor?.name ?? "without a class"})`
    : typeof value === "undefined"
    ? "undefined"
    : `a ${typeof value}`

/** Validates a URI and removes the trailing slash. */
export const checkUri = (uri: unknown, refuse: Refuse): string => {
  if (typeof uri !== "string") {
    const advice = uri instanceof URL ? "; for a file take fileURLToPath(url) of node:url" : ""
    return refuse("uri", `this is ${kindOf(uri)}; give the path or URI as a string${advice}`, uri)
  }
  if (uri === "") return refuse("uri", 'the path is empty; give the path or URI of what to open, "." for this folder')
  return withoutSlash(uri)
}

/** Validates an optional time and returns milliseconds since 1970. */
export const millis = (option: string, time: unknown, refuse: Refuse): number | undefined => {
  if (time === undefined) return undefined
  const date = time instanceof Date || DateTime.isDateTime(time)
  if (typeof time === "string") {
    const parsed = /^\d{1,20}$/.test(time) ? BigInt(time) : parseDatetime("datetime_ms", time)
    if (typeof parsed !== "bigint") {
      const advice = "give an ISO date such as 2024-02-29T12:00Z, or milliseconds since 1970 as a number"
      return refuse(option, `${JSON.stringify(time)} is not a time; ${advice}`, time)
    }
    time = Number(parsed)
  }
  // numbers that are not exact are rejected: file names cannot contain such times
  const input = time instanceof Date
    ? time.getTime()
    : DateTime.isDateTime(time)
    ? DateTime.toEpochMillis(time)
    : typeof time === "bigint"
    ? Number(time)
    : time
  if (typeof input !== "number") {
    return refuse(
      option,
      `this is ${kindOf(time)}; give milliseconds since 1970 as a number or bigint, ISO text, a Date or a DateTime`,
      time,
    )
  }
  if (date && Number.isNaN(input)) return refuse(option, "this Date is invalid; check its source", time)
  if (!Number.isSafeInteger(input)) {
    return refuse(option, `${input} is not a time; pass whole milliseconds since 1970`, time)
  }
  if (input < 0) {
    return refuse(
      option,
      `${date ? new Date(input).toISOString() : input} is before 1970; nothing was written then`,
      time,
    )
  }
  return input
}

/** Validates an optional key. Error messages contain no part of the key. */
export const checkKey = (option: unknown, refuse: Refuse): EncryptionKey | undefined => {
  if (option === undefined) return undefined
  const key = Redacted.isRedacted(option) ? Redacted.value(option) : option
  if (!(key instanceof Uint8Array)) {
    return refuse("key", `this is ${kindOf(key)}; give the 32 bytes as a Uint8Array, or what parseKey makes of text`)
  }
  if (key.byteLength !== 32) {
    const reason =
      `an AES-256 key has 32 bytes, this one has ${key.byteLength}; parseKey reads keys as people keep them`
    return refuse("key", reason)
  }
  return Redacted.isRedacted(option) ? option as EncryptionKey : Redacted.make(key)
}

/** Checks that options are an object without unknown names. */
export const checkNames = (options: unknown, names: ReadonlyArray<string>, refuse: Refuse): void => {
  if (typeof options !== "object" || options === null) {
    return refuse("options", `this is ${kindOf(options)}; give an object, { at: 1709539200000 } for one`)
  }
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) {
      refuse(name, noSuchOption(names), undefined, { reason: "UnknownOption", accepted: names, nearestTo: name })
    }
  }
}

/** Validates an optional flag. */
export const checkFlag = (option: string, value: unknown, refuse: Refuse): void => {
  if (value === undefined || typeof value === "boolean") return
  refuse(option, `this is ${kindOf(value)}; give true or false`, value)
}

/** Validates an optional callback. */
export const checkCallback = (option: string, value: unknown, refuse: Refuse): void => {
  if (value === undefined || typeof value === "function") return
  refuse(option, `this is ${kindOf(value)}; give a function`, value)
}

/** Validates an optional list of names. */
export const checkNameList = (option: string, value: unknown, refuse: Refuse): void => {
  if (value === undefined || (Array.isArray(value) && value.every((name) => typeof name === "string"))) return
  refuse(option, 'it is a list of names: ["a", "b"]', value)
}

/** Validates an optional object with any property names. */
export const checkRecord = (
  option: string,
  value: unknown,
  expected: string,
  isValid: (item: unknown) => boolean,
  refuse: Refuse,
): void => {
  if (value === undefined) return
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse(option, `this is ${kindOf(value)}; expected ${expected} by name`, value)
  }
  for (const [name, item] of Object.entries(value)) {
    if (!isValid(item)) refuse(option, `${name}: ${shownValue(item)} is invalid; expected ${expected}`, item)
  }
}

const OPTIONS: ReadonlyArray<string> = ["at", "start", "end", "key", "verifyChecksums"] satisfies Array<
  keyof OpenOptions
>

const check = (
  uri: string,
  options: OpenOptions,
  now: number,
  more: ReadonlyArray<string>,
  refuse: Refuse,
): Opening => {
  checkNames(options, [...OPTIONS, ...more], refuse)
  const { verifyChecksums } = options
  const at = millis("at", options.at, refuse)
  const start = millis("start", options.start, refuse)
  const end = millis("end", options.end, refuse)
  if (at !== undefined && end !== undefined) {
    refuse("at", "it means the same as end, which is set too; omit one of them", undefined, CONFLICTING_OPTIONS)
  }
  const until = end ?? at
  // a start in the future is valid and selects nothing yet: programs that poll for changes start after their last
  // result
  if (start !== undefined && until !== undefined && start > until) {
    refuse(
      "start",
      `${start} is later than ${end === undefined ? "at" : "end"}, ${until}; exchange them`,
      undefined,
      CONFLICTING_OPTIONS,
    )
  }
  const key = checkKey(options.key, refuse)
  checkFlag("verifyChecksums", verifyChecksums, refuse)
  return { uri, time: { start: start ?? 0, end: until ?? now }, key, verifyChecksums: verifyChecksums ?? true }
}

/** Runs a validation of options; `InvalidOption` becomes the error of the Effect. */
export const attemptOptions = <A>(run: () => A): Effect.Effect<A, InvalidOption> => attempt(run, failOn(InvalidOption))

/** Returns a function that rejects options for a URI. */
export const refuseFor = (uri: unknown): Refuse => (option, detail, value, details) => {
  throw invalidOption(typeof uri === "string" ? uri : "", option, detail, value, details)
}

/** Validates a URI and removes the trailing slash. */
export const placeOf = (uri: string): Effect.Effect<string, InvalidOption> =>
  attemptOptions(() => checkUri(uri, refuseFor(uri)))

/** Validates a URI and options. `more` lists the names of options that the caller validates. */
export const openingOf = (
  uri: string,
  options: OpenOptions,
  more: ReadonlyArray<string> = [],
): Effect.Effect<Opening, InvalidOption> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    attemptOptions(() => {
      const place = checkUri(uri, refuseFor(uri))
      return check(place, options, now, more, refuseFor(place))
    }))
