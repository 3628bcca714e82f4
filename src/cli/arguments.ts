/**
 * Arguments in one form for the parser: a command, its options as `--name value`, then `--` and the rest. The parser takes
 * what it does not know for a URI and any word after a switch for its value; here each word gets its place first.
 */
import { commands, isCommand, type OptionSpec } from "./commands.ts"
import { UsageError } from "./usage_error.ts"

/** What the user wants. */
export type Invocation =
  | { readonly kind: "help"; readonly command: string | undefined }
  | { readonly kind: "version" }
  | { readonly kind: "run"; readonly args: ReadonlyArray<string> }

const names = (list: Iterable<string>): string => [...list].join(", ")

/** How many letters must change to make one word of the other; 3 for all that is further. */
const distance = (a: string, b: string): number => {
  if (Math.abs(a.length - b.length) > 2) return 3
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return Math.min(row[b.length], 3)
}

const guess = (word: string, known: ReadonlyArray<string>, prefix = ""): string => {
  const near = known.filter((name) => distance(word, name) <= (word.length > 3 ? 2 : 1))
  return near.length === 0 ? "" : `; did you mean ${near.map((n) => prefix + n).join(" or ")}?`
}

/** Puts the arguments in order. Throws {@link UsageError}. */
export const arrange = (args: ReadonlyArray<string>): Invocation => {
  const [command, ...rest] = args
  if (command === undefined || command === "--help" || command === "-h" || command === "help") {
    return { kind: "help", command: rest.find(isCommand) }
  }
  if (command === "--version") return { kind: "version" }
  if (!isCommand(command)) {
    const known = Object.keys(commands)
    throw new UsageError({
      reason: `there is no command ${JSON.stringify(command)}${guess(command, known) || `; there are ${names(known)}`}`,
    })
  }
  const specs: Readonly<Record<string, OptionSpec>> = commands[command].options
  const options: Array<string> = []
  const operands: Array<string> = []
  const given = new Set<string>()
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i]
    if (word === "--") {
      operands.push(...rest.slice(i + 1))
      break
    }
    if (!word.startsWith("-") || word === "-") {
      operands.push(word)
      continue
    }
    if (word === "--help" || word === "-h") return { kind: "help", command }
    const equals = word.indexOf("=")
    const name = word.startsWith("--") ? word.slice(2, equals < 0 ? undefined : equals) : ""
    if (!Object.hasOwn(specs, name)) {
      const shown = equals < 0 ? word : word.slice(0, equals)
      throw new UsageError({
        reason: `${command}: there is no option ${shown}${
          guess(name, Object.keys(specs), "--") ||
          `; see tessera ${command} --help (a URI that starts with - goes after --)`
        }`,
      })
    }
    const spec = specs[name]
    if (given.has(name) && spec.repeated !== true) {
      throw new UsageError({ reason: `${command}: --${name} is given twice` })
    }
    given.add(name)
    options.push(`--${name}`)
    if (spec.value === undefined) {
      if (equals >= 0) throw new UsageError({ reason: `${command}: --${name} takes no value` })
      continue
    }
    const value = equals >= 0 ? word.slice(equals + 1) : rest[++i]
    if (value === undefined || value === "") {
      throw new UsageError({ reason: `${command}: --${name} needs a value: --${name} ${spec.value}` })
    }
    options.push(value)
  }
  if (operands.length !== 1 || operands[0] === "") {
    throw new UsageError({
      reason: operands.length === 0 || operands[0] === ""
        ? `${command}: name an array or group: tessera ${command} URI`
        : `${command}: takes one URI, not ${operands.length}: ${operands.map((o) => JSON.stringify(o)).join(", ")}`,
    })
  }
  return { kind: "run", args: [command, ...options, "--", ...operands] }
}
