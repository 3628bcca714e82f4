/**
 * Validates the options of layers, storages and storage middleware. All functions throw `InvalidOption`.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { invalidOption, shownValue, unknownOption } from "./errors.ts"

/** Checks that `options` is an object without unknown keys. */
export const checkOptionNames = (options: unknown, names: ReadonlyArray<string>, option = "options"): void => {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw invalidOption("", option, `${shownValue(options)} is invalid; expected an object`, options)
  }
  for (const name of Object.keys(options)) if (!names.includes(name)) throw unknownOption("", name, names)
}

/** Returns a number of at least `min`, or the default. */
export const numberOption = (option: string, value: unknown, fallback: number, min = 0): number => {
  if (value === undefined) return fallback
  if (typeof value === "number" && value >= min) return value
  throw invalidOption("", option, `${shownValue(value)} is invalid; expected a number of at least ${min}`, value)
}

/** Returns a duration, or the default. */
export const durationOption = (option: string, value: unknown, fallback: Duration.DurationInput): Duration.Duration => {
  if (value === undefined) return Duration.decode(fallback)
  // Effect decodes NaN and negative numbers as zero
  const decoded = typeof value === "number" && !(value >= 0) ? Option.none() : Duration.decodeUnknown(value)
  if (Option.isSome(decoded)) return decoded.value
  const detail = `${shownValue(value)} is invalid; expected a duration, such as 500 (milliseconds) or "5 seconds"`
  throw invalidOption("", option, detail, value)
}

/** Returns one of the accepted words; the first one is the default. */
export const wordOption = <const A extends string>(
  option: string,
  value: unknown,
  words: readonly [A, ...ReadonlyArray<A>],
): A => {
  if (value === undefined) return words[0]
  const match = words.find((word) => word === value)
  if (match !== undefined) return match
  const expected = words.map((word) => JSON.stringify(word)).join(", ")
  const detail = `${shownValue(value)} is invalid; expected one of ${expected}`
  throw invalidOption("", option, detail, value, { accepted: words })
}

/** Checks the JavaScript type of an optional option. */
export const checkType = (option: string, value: unknown, type: "boolean" | "function"): void => {
  if (value === undefined || typeof value === type) return
  const expected = type === "boolean" ? "true or false" : "a function"
  throw invalidOption("", option, `${shownValue(value)} is invalid; expected ${expected}`, value)
}
