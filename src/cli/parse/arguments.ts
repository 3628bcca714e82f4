/**
 * Parses the command line to a request; errors are one line.
 */
import { nearestNames } from "../../../schema/errors/nearest.ts"
import { redactUri } from "../../../schema/errors/redact.ts"
import { type CommandName, commands, isCommand, operandsOf, type OptionSpec } from "./specs.ts"
import { argumentTokens } from "./tokens.ts"
import { UsageError } from "./usage_error.ts"

/** A command with its options, all of them by their names; those that were not given are absent. */
export interface Request {
  readonly command: CommandName
  /** The first operand. */
  readonly uri: string
  /** All operands, as many as the command takes. */
  readonly operands: ReadonlyArray<string>
  readonly text: (name: string) => string | undefined
  readonly texts: (name: string) => ReadonlyArray<string>
  readonly integer: (name: string) => number | undefined
  readonly on: (name: string) => boolean
}

/** What the user wants. */
export type Invocation =
  | { readonly kind: "help"; readonly command: string | undefined }
  | { readonly kind: "version" }
  | { readonly kind: "complete"; readonly args: ReadonlyArray<string> }
  | { readonly kind: "run"; readonly request: Request }

const names = (list: Iterable<string>): string => [...list].join(", ")

const guess = (word: string, existing: ReadonlyArray<string>, prefix = ""): string => {
  const near = nearestNames(word, existing)
  return near.length === 0 ? "" : `; did you mean ${near.map((n) => prefix + n).join(" or ")}?`
}

const fail = (reason: string): never => {
  throw new UsageError({ detail: reason })
}

/** Refuses a value that the option does not take. */
const check = (name: string, spec: OptionSpec, value: string): void => {
  if (spec.choices !== undefined && !spec.choices.includes(value)) {
    fail(`--${name}: give one of ${names(spec.choices)}`)
  }
  if (spec.integer === true && !/^\d{1,15}$/.test(value)) fail(`--${name}: give a whole number, 0 or more`)
}

/** Rejects missing or surplus operands. */
const checkOperands = (command: CommandName, operands: ReadonlyArray<string>): void => {
  const requested = operandsOf(command)
  if (operands.length < requested.length || operands.includes("")) {
    const what = requested.length === 1 ? "name an array or group" : `give ${requested.length} operands`
    fail(`${command}: ${what}: tessera ${command} ${requested.join(" ")}`)
  }
  if (operands.length > requested.length) {
    const takes = requested.length === 1 ? "one URI" : requested.join(" and ")
    fail(
      `${command}: takes ${takes}, not ${operands.length}: ${names(operands.map((o) => JSON.stringify(redactUri(o))))}`,
    )
  }
}

/** Parses the arguments. Throws {@link UsageError}. */
export const parseArguments = (args: ReadonlyArray<string>): Invocation => {
  const [command, ...rest] = args
  if (command === undefined || command === "--help" || command === "-h" || command === "help") {
    return { kind: "help", command: rest.find(isCommand) }
  }
  if (command === "--version") return { kind: "version" }
  if (command === "complete" && rest[0] !== "--help" && rest[0] !== "-h") return { kind: "complete", args: rest }
  if (command === "complete") return { kind: "help", command: undefined }
  if (!isCommand(command)) {
    const all = Object.keys(commands)
    const hint = guess(command, all) || `; there are ${names(all)}`
    throw new UsageError({ detail: `there is no command ${JSON.stringify(command)}${hint}` })
  }
  const specs: Readonly<Record<string, OptionSpec>> = commands[command].options
  const input = new Map<string, Array<string>>()
  const operands: Array<string> = []
  const takesValue = (name: string): boolean => Object.hasOwn(specs, name) && specs[name].value !== undefined
  for (const token of argumentTokens(rest, takesValue)) {
    if (token.kind === "positional") {
      operands.push(token.value)
      continue
    }
    const { name, value } = token
    const [word] = rest[token.index].split("=", 1)
    if ((name === "help" && value === undefined) || word.startsWith("-h")) return { kind: "help", command }
    if (!word.startsWith("--") || !Object.hasOwn(specs, name)) {
      const hint = guess(word.startsWith("--") ? name : "", Object.keys(specs), "--") ||
        `; see tessera ${command} --help (a URI that starts with - goes after --)`
      fail(`${command}: there is no option ${word}${hint}`)
    }
    const spec = specs[name]
    if (input.has(name) && spec.repeated !== true) fail(`${command}: --${name} is given twice`)
    const values = input.get(name) ?? []
    input.set(name, values)
    if (spec.value === undefined) {
      if (value !== undefined) fail(`${command}: --${name} takes no value`)
    } else if (value === undefined || value === "") {
      fail(`${command}: --${name} needs a value: --${name} ${spec.value}`)
    } else values.push(value)
  }
  checkOperands(command, operands)
  for (const [name, values] of input) {
    for (const value of values) check(name, specs[name], value)
  }
  const text = (name: string): string | undefined => input.get(name)?.[0]
  return {
    kind: "run",
    request: {
      command,
      uri: operands[0],
      operands,
      text,
      texts: (name) => input.get(name) ?? [],
      integer: (name) => text(name) === undefined ? undefined : Number(text(name)),
      on: (name) => input.has(name),
    },
  }
}
