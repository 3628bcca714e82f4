/**
 * How to open an array, a group or their metadata, checked: what is asked is either understood or refused.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { attempt, failOn } from "../../../platform/attempt.ts"
import type { TimeRange } from "./directory.ts"
import { InvalidOption } from "./errors.ts"
import { withoutSlash } from "./listing.ts"

/** How to open an array, a group or their metadata. */
export interface OpenOptions {
  /** The moment to see, in whole milliseconds since 1970 (number or bigint) or as a Date; the same as `end`. Default: now. */
  readonly at?: number | bigint | Date
  /** Sees only what was written from here on. Default: the beginning. */
  readonly start?: number | bigint | Date
  /** Sees only what was written until here, inclusive. Default: now. */
  readonly end?: number | bigint | Date
  /** The AES-256-GCM key of an encrypted array: 32 bytes. */
  readonly key?: Uint8Array
  /** Whether MD5 and SHA-256 filters are checked. Default: true. */
  readonly verifyChecksums?: boolean
}

/** What options mean. */
export interface Opening {
  /** Where, without a slash at the end. */
  readonly uri: string
  readonly time: TimeRange
  readonly key: Uint8Array | undefined
  readonly verifyChecksums: boolean
}

/** Ends a check: the option means nothing, and why. */
export type Refuse = (option: string, reason: string) => never

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

/** A URI that leads somewhere, without a slash at the end. */
export const checkUri = (uri: unknown, refuse: Refuse): string => {
  if (typeof uri !== "string") {
    const advice = uri instanceof URL ? "; for a file take fileURLToPath(url) of node:url" : ""
    return refuse("uri", `this is ${kindOf(uri)}; give the path or URI as a string${advice}`)
  }
  if (uri === "") return refuse("uri", 'the path is empty; give the path or URI of what to open, "." for this folder')
  return withoutSlash(uri)
}

/** The milliseconds since 1970 of a time that may not be given. */
export const millis = (option: string, time: unknown, refuse: Refuse): number | undefined => {
  if (time === undefined) return undefined
  const date = time instanceof Date
  // what a number does not hold is no time either: names of files could not say it
  const given = date ? time.getTime() : typeof time === "bigint" ? Number(time) : time
  if (typeof given !== "number") {
    return refuse(option, `this is ${kindOf(time)}; give milliseconds since 1970 as a number or bigint, or a Date`)
  }
  if (date && Number.isNaN(given)) return refuse(option, "this Date is invalid; check what it was made from")
  if (!Number.isSafeInteger(given)) return refuse(option, `${given} is no time; give whole milliseconds since 1970`)
  if (given < 0) return refuse(option, `${date ? time.toISOString() : given} is before 1970; nothing was written then`)
  return given
}

/** A key that may not be given; no message holds anything of it. */
export const checkKey = (key: unknown, refuse: Refuse): Uint8Array | undefined => {
  if (key === undefined) return undefined
  if (!(key instanceof Uint8Array)) {
    return refuse("key", `this is ${kindOf(key)}; give the 32 bytes as a Uint8Array, which parseKey makes of text`)
  }
  if (key.byteLength !== 32) {
    const reason =
      `an AES-256 key has 32 bytes, this one has ${key.byteLength}; parseKey reads keys as people keep them`
    return refuse("key", reason)
  }
  return key
}

/** Options are an object with no other names than these. */
export const checkNames = (options: unknown, names: ReadonlyArray<string>, refuse: Refuse): void => {
  if (typeof options !== "object" || options === null) {
    return refuse("options", `this is ${kindOf(options)}; give an object, { at: 1709539200000 } for one`)
  }
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) refuse(name, `there is no such option; there are ${names.join(", ")}`)
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
    refuse("at", "it is the same as end, which is given too; leave one of them out")
  }
  const until = end ?? at
  // a start in the future sees nothing yet, which is no mistake: who looks for news starts behind the last they saw
  if (start !== undefined && until !== undefined && start > until) {
    refuse("start", `${start} is later than ${end === undefined ? "at" : "end"}, ${until}; exchange them`)
  }
  const key = checkKey(options.key, refuse)
  if (verifyChecksums !== undefined && typeof verifyChecksums !== "boolean") {
    refuse("verifyChecksums", `this is ${kindOf(verifyChecksums)}; give true or false`)
  }
  return { uri, time: { start: start ?? 0, end: until ?? now }, key, verifyChecksums: verifyChecksums ?? true }
}

/** Runs a check of options; what it refuses becomes the Effect's failure. */
export const attemptOptions = <A>(run: () => A): Effect.Effect<A, InvalidOption> => attempt(run, failOn(InvalidOption))

/** Refuses with the URI that options are for. */
export const refusing = (uri: unknown): Refuse => (option, reason) => {
  throw new InvalidOption({ uri: typeof uri === "string" ? uri : "", option, reason })
}

/** Where a URI leads, without a slash at the end. */
export const placeOf = (uri: string): Effect.Effect<string, InvalidOption> =>
  attemptOptions(() => checkUri(uri, refusing(uri)))

/** What a URI and options mean; `more` are the names of options that the caller checks. */
export const openingOf = (
  uri: string,
  options: OpenOptions,
  more: ReadonlyArray<string> = [],
): Effect.Effect<Opening, InvalidOption> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    attemptOptions(() => {
      const place = checkUri(uri, refusing(uri))
      return check(place, options, now, more, refusing(place))
    }))
