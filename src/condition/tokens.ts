/**
 * The tokens of a condition in text: names, numbers, strings and signs, with their positions.
 */
import { ConditionError, type ConditionReason } from "./condition_error.ts"

/** A word of a text. */
export type ConditionToken =
  | { readonly kind: "name" | "sign" | "end"; readonly word: string; readonly at: number }
  | {
    readonly kind: "value"
    readonly word: string
    readonly value: number | bigint | string | Uint8Array
    readonly at: number
  }

/** Returns the error of invalid text at a position. */
export const unreadable = (
  text: string,
  at: number,
  detail: string,
  reason: ConditionReason = "Syntax",
): ConditionError => new ConditionError({ text, at, path: "", field: "", reason, detail })

const SPACE = /[ \t\r\n]*/y
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy
const INTEGER = /0(?:[xX](?:_?[0-9a-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)/y
const NUMBER = /(?:\d(?:_?\d)*)?\.?\d(?:_?\d)*\.?(?:[eE][+-]?\d+)?/y
const STRING = /([bBrRuU]?)("(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*')/y
const SIGN = /==|!=|<=|>=|[<>()[\],&|^+\-.=~]/y

const match = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const plain: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "\n": "",
}

/** Returns a string without quotes, with Python's escapes decoded. */
const unescaped = (text: string, at: number, inner: string): string =>
  inner.replace(
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^]))/g,
    (whole, octal, x, u, U, one, i) => {
      const code = octal ?? x ?? u ?? U
      if (code !== undefined) {
        const point = parseInt(code, octal === undefined ? 16 : 8)
        if (point > 0x10ffff) throw unreadable(text, at + i, `${whole} is not a valid character`)
        return String.fromCodePoint(point)
      }
      const character = plain[one]
      if (character === undefined) {
        throw unreadable(text, at + i, `${whole} is not an escape; write a backslash as \\\\`)
      }
      return character
    },
  )

const bytesOf = (text: string, at: number, inner: string): Uint8Array =>
  Uint8Array.from(inner, (character, i) => {
    const code = character.codePointAt(0)!
    if (code > 0xff) {
      throw unreadable(text, at + i, `${JSON.stringify(character)} is not a byte; write bytes as \\x00 to \\xff`)
    }
    return code
  })

const numberOf = (text: string, at: number, word: string): number | bigint => {
  const digits = word.replaceAll("_", "")
  if (/^(0[xXoObB][0-9a-fA-F]+|\d+)$/.test(digits)) {
    const integer = BigInt(digits)
    return integer <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(integer) : integer
  }
  const number = Number(digits)
  if (Number.isNaN(number)) throw unreadable(text, at, `${word} is not a number`)
  return number
}

/** The words of a text, and its end. Throws {@link ConditionError}. */
export const conditionTokens = (text: string): ReadonlyArray<ConditionToken> => {
  const tokens: Array<ConditionToken> = []
  for (let at = 0;;) {
    at += match(SPACE, text, at)![0].length
    if (at >= text.length) return [...tokens, { kind: "end", word: "", at: text.length }]
    const string = match(STRING, text, at)
    if (string !== null) {
      const [word, prefix, quoted] = string
      const start = at + prefix.length + 1
      const raw = quoted.slice(1, -1)
      const inner = /[rR]/.test(prefix) ? raw : unescaped(text, start, raw)
      tokens.push({ kind: "value", word, value: /[bB]/.test(prefix) ? bytesOf(text, start, inner) : inner, at })
      at += word.length
      continue
    }
    const name = match(NAME, text, at)
    if (name !== null) {
      tokens.push({ kind: "name", word: name[0], at })
      at += name[0].length
      continue
    }
    const number = match(INTEGER, text, at) ?? match(NUMBER, text, at)
    if (number !== null && number[0].length > 0) {
      const after = match(NAME, text, at + number[0].length)
      if (after !== null) {
        throw unreadable(
          text,
          at,
          `${number[0]}${
            after[0]
          } is neither a number nor a name; write names that do not start with a letter as attr("…")`,
        )
      }
      tokens.push({ kind: "value", word: number[0], value: numberOf(text, at, number[0]), at })
      at += number[0].length
      continue
    }
    const sign = match(SIGN, text, at)
    if (sign === null) {
      const character = String.fromCodePoint(text.codePointAt(at)!)
      throw unreadable(
        text,
        at,
        /["']/.test(character) ? "the string is not closed" : `${JSON.stringify(character)} is not expected here`,
      )
    }
    tokens.push({ kind: "sign", word: sign[0], at })
    at += sign[0].length
  }
}
