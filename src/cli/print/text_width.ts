/**
 * Makes text safe to print in a terminal, and measures its width.
 */
import { eastAsianWidth } from "get-east-asian-width"

/** Characters of width 0. */
const marks = /[\p{Mn}\p{Me}\u200b-\u200d\ufe00-\ufe0f]/u
/** Characters that move the cursor or change the direction of text. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

const ascii = /^[\x20-\x7e]*$/
const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" }

/** Returns text without control characters. */
export const printable = (text: string): string =>
  ascii.test(text) ? text : text.replace(unsafe, (c) => escapes[c] ?? `\\u{${c.codePointAt(0)!.toString(16)}}`)

const placesOf = (character: string): number => marks.test(character) ? 0 : eastAsianWidth(character.codePointAt(0)!)

/** Returns the width of a text in columns of a terminal. */
export const textWidth = (text: string): number => {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const character of text) width += placesOf(character)
  return width
}

/** Shortens text to a width of at most `width`; shortened text ends with `…`. */
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
