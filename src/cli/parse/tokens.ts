/**
 * Splits arguments into tokens as `parseArgs` of `node:util` does. In Deno, loading that module takes longer than
 * splitting the arguments.
 */

/** A token of an argument; `index` is the position of the argument. */
export type ArgumentToken =
  | { readonly kind: "option"; readonly index: number; readonly name: string; readonly value?: string }
  | { readonly kind: "positional"; readonly index: number; readonly value: string }

/**
 * Splits arguments into tokens. The next argument is the value of an option that expects one. In a group of letters
 * after one dash, the first letter is the name.
 */
export function* argumentTokens(
  args: ReadonlyArray<string>,
  takesValue: (option: string) => boolean,
): Generator<ArgumentToken> {
  for (let index = 0; index < args.length; index++) {
    const word = args[index]
    if (word === "--") {
      for (let at = index + 1; at < args.length; at++) yield { kind: "positional", index: at, value: args[at] }
      return
    }
    // a name has at least one letter
    const equals = word.indexOf("=", 3)
    if (word === "-" || !word.startsWith("-")) yield { kind: "positional", index, value: word }
    else if (!word.startsWith("--")) yield { kind: "option", index, name: word[1] }
    else if (equals > 0) yield { kind: "option", index, name: word.slice(2, equals), value: word.slice(equals + 1) }
    else {
      const name = word.slice(2)
      if (takesValue(name) && index + 1 < args.length) yield { kind: "option", index, name, value: args[++index] }
      else yield { kind: "option", index, name }
    }
  }
}
