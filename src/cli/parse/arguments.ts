/**
 * Parses the command line into a request. Error messages are one line.
 */
import { nearestNames } from "../../../schema/errors/nearest.ts"
import { redactUri } from "../../../schema/errors/redact.ts"
import { commandIn, type CommandSpecs, type NamedCommand, operandsOf, type OptionSpec } from "./specs.ts"
import { argumentTokens } from "./tokens.ts"
import { UsageError } from "./usage_error.ts"

/** A command with its options by name. Options that were not given are absent. */
export interface Request {
  readonly command: string
  /** The first operand. */
  readonly uri: string
  /** All operands, as many as the command expects. */
  readonly operands: ReadonlyArray<string>
  readonly text: (name: string) => string | undefined
  readonly texts: (name: string) => ReadonlyArray<string>
  readonly integer: (name: string) => number | undefined
  readonly on: (name: string) => boolean
}

/** The parsed arguments. */
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

/** Rejects a value that the option does not accept. */
const check = (name: string, spec: OptionSpec, value: string): void => {
  if (spec.choices !== undefined && !spec.choices.includes(value)) {
    fail(`--${name}: give one of ${names(spec.choices)}`)
  }
  if (spec.integer === true && !/^\d{1,15}$/.test(value)) fail(`--${name}: give a whole number, 0 or more`)
}

/** Rejects missing and surplus operands. */
const checkOperands = (
  commands: CommandSpecs,
  { name: command, spec }: NamedCommand,
  operands: ReadonlyArray<string>,
): void => {
  const expected = operandsOf(spec)
  if (operands.length < expected.length || (spec.emptyOperands ? operands[0] === "" : operands.includes(""))) {
    const advice = expected.length === 1 ? "name an array or group" : `give ${expected.length} operands`
    fail(`${command}: ${advice}: tessera ${command} ${expected.join(" ")}`)
  }
  const { optionalOperand } = spec
  if (operands.length > expected.length + (optionalOperand === undefined ? 0 : 1) && !spec.variadic) {
    const takes = optionalOperand !== undefined
      ? `${expected.join(", ")} and one ${optionalOperand}`
      : expected.length === 1
      ? `one ${expected[0]}`
      : expected.join(" and ")
    const input = names(operands.map((operand) => JSON.stringify(redactUri(operand))))
    const longer = Object.keys(commands).filter((name) => name.startsWith(`${command} `))
    fail(`${command}: takes ${takes}, not ${operands.length}: ${input}${guess(`${command} ${operands[0]}`, longer)}`)
  }
}

/** Rejects words that are not a command, and suggests the nearest ones. */
const failUnknown = (commands: CommandSpecs, [word, next]: ReadonlyArray<string>): never => {
  const all = Object.keys(commands)
  const beginning = all.filter((name) => name.startsWith(`${word} `))
  if (beginning.length > 0) {
    const hint = (next !== undefined && guess(`${word} ${next}`, beginning)) || `; give one of ${names(beginning)}`
    return fail(`${word}: there is no command ${JSON.stringify(next === undefined ? word : `${word} ${next}`)}${hint}`)
  }
  return fail(`there is no command ${JSON.stringify(word)}${guess(word, all) || `; there are ${names(all)}`}`)
}

/** Parses the arguments. Throws {@link UsageError}. */
export const parseArguments = (commands: CommandSpecs, args: ReadonlyArray<string>): Invocation => {
  const [first, ...others] = args
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    const subject = others.map((_, i) => commandIn(commands, others.slice(i))).find((named) => named !== undefined)
    return { kind: "help", command: subject?.name }
  }
  if (first === "--version" || first === "-V") return { kind: "version" }
  if (first === "complete" && others[0] !== "--help" && others[0] !== "-h") return { kind: "complete", args: others }
  if (first === "complete") return { kind: "help", command: undefined }
  const named = commandIn(commands, args)
  if (named === undefined) return failUnknown(commands, args)
  const { name: command, rest } = named
  const specs: Readonly<Record<string, OptionSpec>> = named.spec.options
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
  checkOperands(commands, named, operands)
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
