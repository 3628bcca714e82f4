/**
 * Specifications of commands and options. The parser, the help and the completion read them.
 */

/** An option. Without `value` it is a flag. */
export interface OptionSpec {
  /** Name of the value in the help. */
  readonly value?: string
  readonly description: string
  readonly choices?: ReadonlyArray<string>
  /** Whether the first of the choices is the default. Default: true. */
  readonly hasDefault?: boolean
  readonly integer?: boolean
  readonly repeated?: boolean
  /** The names of the array that complete the value. */
  readonly completes?: CompletedNames
}

/** Names of an array: lists of fields or attributes, dimensions with their labels, or the first field of a condition. */
export type CompletedNames = "fields" | "attributes" | "dimensions" | "condition"

/** A command. */
export interface CommandSpec {
  readonly description: string
  /** Names of the operands. Default: one URI. */
  readonly operands?: ReadonlyArray<string>
  /** Name of an operand that may be omitted, after the others. */
  readonly optionalOperand?: string
  /** Whether the last operand may be repeated. */
  readonly variadic?: boolean
  /** Whether operands after the first one may be empty. */
  readonly emptyOperands?: boolean
  readonly options: Readonly<Record<string, OptionSpec>>
}

/** Commands by name. A name may consist of two words, such as `meta put`. */
export type CommandSpecs = Readonly<Record<string, CommandSpec>>

/** Returns the names of a command's operands. */
export const operandsOf = ({ operands }: CommandSpec): ReadonlyArray<string> => operands ?? ["URI"]

/** A command among the arguments. */
export interface NamedCommand {
  readonly name: string
  readonly spec: CommandSpec
  /** The arguments after the name. */
  readonly rest: ReadonlyArray<string>
}

/** Returns the command that the arguments start with: the longest name that matches. */
export const commandIn = (commands: CommandSpecs, args: ReadonlyArray<string>): NamedCommand | undefined => {
  for (const words of [2, 1]) {
    const name = args.slice(0, words).join(" ")
    if (args.length >= words && Object.hasOwn(commands, name)) {
      return { name, spec: commands[name], rest: args.slice(words) }
    }
  }
  return undefined
}
