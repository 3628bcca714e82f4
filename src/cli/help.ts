/**
 * The help text, printed from the table of commands.
 */
import { commands } from "./command_table.ts"
import { operandsOf, type OptionSpec } from "./parse/specs.ts"

const HELP_WIDTH = 80

/** Wraps a text that starts in the second column. */
const entry = (head: string, indent: number, text: string): string => {
  const lines = [`  ${head}`.padEnd(indent)]
  if (`  ${head}`.length >= indent) lines.push(" ".repeat(indent))
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1]
    const separator = last.length > indent ? " " : ""
    if (last.length + separator.length + word.length > HELP_WIDTH && last.length > indent) {
      lines.push(" ".repeat(indent) + word)
    } else lines[lines.length - 1] = last + separator + word
  }
  return lines.join("\n")
}

const optionEntry = (name: string, spec: OptionSpec): string =>
  entry(
    spec.value === undefined ? `--${name}` : `--${name} ${spec.value}`,
    22,
    spec.description +
      (spec.choices === undefined
        ? ""
        : `: ${spec.choices.join(", ")}${spec.hasDefault === false ? "" : ` (${spec.choices[0]})`}`) +
      (spec.repeated === true ? "; may be repeated" : ""),
  )

/** Returns the help of a command, or the list of commands. */
export const help = (command: string | undefined): string => {
  if (command === undefined) {
    return [
      "tessera – reads, writes and copies TileDB arrays",
      "",
      "  tessera COMMAND URI [OPTION…]",
      "",
      ...Object.entries(commands).map(([name, { description }]) => entry(name, 18, description)),
      "",
      "tessera COMMAND --help lists the options of a command.",
      "tessera complete SHELL prints a completion script: bash, zsh, fish, powershell.",
      "Exit codes: 0 success, 1 other error, 2 usage, 3 not found, 4 permission or key,",
      "5 invalid file or cell data, 6 unsupported.",
      "",
    ].join("\n")
  }
  const { description, options, variadic, optionalOperand } = commands[command]
  const operands = operandsOf(commands[command]).join(" ") +
    (optionalOperand === undefined ? "" : ` [${optionalOperand}]`)
  const usage = `tessera ${command} ${operands}${variadic ? "…" : ""} [OPTION…]`
  const line = `${usage} – ${description}`
  return [
    ...(line.length > HELP_WIDTH ? [usage, "", description] : [line]),
    "",
    ...Object.entries(options).map(([name, spec]) => optionEntry(name, spec)),
    "",
  ].join("\n")
}
