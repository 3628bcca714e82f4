/**
 * Formats the text of error messages: one line of limited length, without credentials and control characters, for any
 * names and values in it.
 *
 * @module
 */
import { redactText } from "./redact.ts"

/** Maximum length of a message in characters. */
export const MAX_MESSAGE_LENGTH = 2000

/** Length of the note about omitted characters, rounded up. */
const MAX_NOTE_LENGTH = 50

/** Control characters, line separators, marks that change the direction of writing, and lone surrogates. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

const escaped = (text: string): string =>
  text.replace(unsafe, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Returns the beginning of a text, without an incomplete escape or surrogate pair at its end. */
const headOf = (text: string, length: number): string =>
  text.slice(0, length).replace(/(?:\\(?:u[0-9a-f]{0,3})?|[\ud800-\udbff])$/, "")

/** Returns the end of a text, without an incomplete surrogate pair at its beginning. */
const tailOf = (text: string, length: number): string =>
  text.slice(text.length - length).replace(/^[\udc00-\udfff]/, "")

/**
 * Returns text that is safe in a message. Text longer than `longest` is shortened in the middle, with a note of the
 * omitted length: the beginning contains the location, the end the remedy.
 */
export const messageText = (text: string, longest = MAX_MESSAGE_LENGTH): string => {
  const shown = redactText(text)
  // escape only the parts that are not omitted
  const long = shown.length > 4 * longest
  const [first, last] = long
    ? [escaped(headOf(shown, 2 * longest)), escaped(tailOf(shown, 2 * longest))]
    : [escaped(shown), ""]
  if (!long && first.length <= longest) return first
  const part = Math.floor((longest - MAX_NOTE_LENGTH) / 2)
  const [head, tail] = [headOf(first, part), tailOf(long ? last : first, part)]
  const leftOut = (long ? shown.length : first.length) - head.length - tail.length
  return `${head} … (${leftOut} characters left out) … ${tail}`
}
