/**
 * Arguments of a program as words with a meaning, by the parser that Deno, Bun and Node bring: it costs a program that
 * starts nothing.
 *
 * @module
 */
import { parseArgs } from "node:util"

/** A word among the arguments; `index` is where it stands. */
export type ArgumentToken =
  | {
    readonly kind: "option"
    readonly index: number
    readonly name: string
    readonly value?: string
    /** Whether the value was given with `=`. */
    readonly inlineValue?: boolean
  }
  | { readonly kind: "positional"; readonly index: number; readonly value: string }
  | { readonly kind: "option-terminator"; readonly index: number }

/** An option that is known: with a value or a switch. */
export interface KnownOption {
  readonly type: "string" | "boolean"
  readonly short?: string
}

/** Takes arguments apart, known options and others. An option with a value takes the word behind it, whatever it is. */
export const tokensOf = (
  args: ReadonlyArray<string>,
  options: Readonly<Record<string, KnownOption>>,
): ReadonlyArray<ArgumentToken> =>
  parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true }).tokens
