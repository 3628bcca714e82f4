/**
 * Text in a terminal: what is safe to show, and how many places it takes.
 */
import { eastAsianWidth } from "get-east-asian-width"

/** Characters of no place. */
const marks = /[\p{Mn}\p{Me}\u200b-\u200d\ufe00-\ufe0f]/u
/** What would move the cursor, or turn the direction of writing. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

const ascii = /^[\x20-\x7e]*$/
const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" }

/** Text without control characters. */
export const printable = (text: string): string =>
  ascii.test(text) ? text : text.replace(unsafe, (c) => escapes[c] ?? `\\u{${c.codePointAt(0)!.toString(16)}}`)

const placesOf = (character: string): number => marks.test(character) ? 0 : eastAsianWidth(character.codePointAt(0)!)

/** How many places a text takes. */
export const textWidth = (text: string): number => {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const character of text) width += placesOf(character)
  return width
}

/** Text that takes no more than `width` places; what was cut ends with `…`. */
export const cut = (text: string, width: number): string => {
  if (textWidth(text) <= width) return text
  let out = ""
  let places = 0
  for (const character of text) {
    const next = places + placesOf(character)
    if (next > width - 1) break
    out += character
    places = next
  }
  return out + "…"
}
