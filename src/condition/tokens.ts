/**
 * The tokens of a condition in text: names, numbers, strings and signs, with their positions.
 */
import { namedCharacter } from "./character_names.ts"
import { ConditionError, type ConditionReason } from "./condition_error.ts"

/** A token of a text. */
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

// comments and line continuations are as in Python
const SPACE = /(?:[ \t\r\n\f]|#[^\r\n]*|\\\r?\n)*/y
const NAME = /[\p{XIDS}_]\p{XIDC}*/uy
const INTEGER = /0(?:[xX](?:_?[0-9a-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)/y
const NUMBER = /(?:\d(?:_?\d)*)?\.?\d(?:_?\d)*\.?(?:[eE][+-]?\d(?:_?\d)*)?/y
const STRING =
  /([bB][rR]?|[rR][bB]?|[uU]?)("""(?:[^"\\]|\\[^]|"(?!""))*"""|'''(?:[^'\\]|\\[^]|'(?!''))*'''|"(?!"")(?:[^"\\\r\n]|\\(?:\r\n|[^]))*"|""(?!")|'(?!'')(?:[^'\\\r\n]|\\(?:\r\n|[^]))*'|''(?!'))/y
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

/** Returns a string without quotes, with Python's escapes decoded; unknown escapes are kept. */
const unescaped = (text: string, at: number, inner: string, isBytes: boolean): string =>
  inner.replace(
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^{}]*)\}|([^]))/g,
    (whole, octal, x, u, U, name, one, i) => {
      const isText = u !== undefined || U !== undefined || name !== undefined || one === "u" || one === "U" ||
        one === "N"
      if (isBytes && isText) return whole
      if (name !== undefined) {
        const character = namedCharacter(name)
        if (character !== undefined) return character
        const detail = `${whole} is not in the table of character names; write the character itself or \\uXXXX`
        throw unreadable(text, at + i, detail)
      }
      const code = octal ?? x ?? u ?? U
      if (code !== undefined) {
        const point = parseInt(code, octal === undefined ? 16 : 8)
        if (point > 0x10ffff) throw unreadable(text, at + i, `${whole} is not a valid character`)
        return String.fromCodePoint(point)
      }
      if (one === "x" || isText) {
        throw unreadable(text, at + i, `${whole} is an incomplete escape; write a backslash as \\\\`)
      }
      return plain[one] ?? whole
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

/** Joins adjacent strings. */
const joined = (
  text: string,
  at: number,
  left: string | Uint8Array,
  right: string | Uint8Array,
): string | Uint8Array => {
  if (typeof left === "string" && typeof right === "string") return left + right
  if (typeof left === "string" || typeof right === "string") {
    throw unreadable(text, at, "adjacent strings are joined, but bytes and text cannot be joined")
  }
  return Uint8Array.of(...left, ...right)
}

/** Returns the tokens of a text, followed by an end token. Throws {@link ConditionError}. */
export const conditionTokens = (text: string): ReadonlyArray<ConditionToken> => {
  const tokens: Array<ConditionToken> = []
  for (let at = 0;;) {
    at += match(SPACE, text, at)![0].length
    if (at >= text.length) return [...tokens, { kind: "end", word: "", at: text.length }]
    const string = match(STRING, text, at)
    if (string !== null) {
      const [word, prefix, quoted] = string
      const quotes = quoted.length >= 6 && quoted[0] === quoted[1] ? 3 : 1
      const start = at + prefix.length + quotes
      const raw = quoted.slice(quotes, -quotes).replace(/\r\n?/g, "\n")
      const isBytes = /[bB]/.test(prefix)
      const inner = /[rR]/.test(prefix) ? raw : unescaped(text, start, raw, isBytes)
      const value = isBytes ? bytesOf(text, start, inner) : inner
      const previous = tokens.at(-1)
      const before = previous?.kind === "value" ? previous.value : undefined
      if (typeof before === "string" || before instanceof Uint8Array) {
        // join adjacent strings
        tokens.pop()
        tokens.push({ ...previous!, kind: "value", value: joined(text, at, before, value) })
      } else tokens.push({ kind: "value", word, value, at })
      at += word.length
      continue
    }
    const name = match(NAME, text, at)
    if (name !== null) {
      // normalise compatibility characters in names, as Python does
      tokens.push({ kind: "name", word: name[0].normalize("NFKC"), at })
      at += name[0].length
      continue
    }
    const number = match(INTEGER, text, at) ?? match(NUMBER, text, at)
    if (number !== null && number[0].length > 0) {
      const after = match(NAME, text, at + number[0].length)
      if (after !== null && !/^(and|or|in|not|is)$/.test(after[0])) {
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
