/**
 * What the command line says of itself.
 */
import { type CommandName, commands, operandsOf, type OptionSpec } from "./parse/specs.ts"

const WIDTH = 80

/** Words in lines, behind a first column. */
const entry = (head: string, indent: number, text: string): string => {
  const lines = [`  ${head}`.padEnd(indent)]
  if (lines[0].length > indent) lines.push(" ".repeat(indent))
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1]
    const glue = last.length > indent ? " " : ""
    if (last.length + glue.length + word.length > WIDTH && last.length > indent) lines.push(" ".repeat(indent) + word)
    else lines[lines.length - 1] = last + glue + word
  }
  return lines.join("\n")
}

const ofOption = (name: string, spec: OptionSpec): string =>
  entry(
    spec.value === undefined ? `--${name}` : `--${name} ${spec.value}`,
    22,
    spec.description + (spec.choices === undefined ? "" : `: ${spec.choices.join(", ")} (${spec.choices[0]})`) +
      (spec.repeated === true ? "; may be repeated" : ""),
  )

/** The help of a command, or of all. */
export const help = (command: CommandName | undefined): string => {
  if (command === undefined) {
    return [
      "tessera – reads, writes and copies TileDB arrays",
      "",
      "  tessera COMMAND URI [OPTION…]",
      "",
      ...Object.entries(commands).map(([name, { description }]) => entry(name, 14, description)),
      "",
      "tessera COMMAND --help shows the options of a command.",
      "tessera complete SHELL prints a completion script: bash, zsh, fish, powershell.",
      "Exit codes: 0 done, 1 other, 2 usage, 3 not there, 4 permission or key,",
      "5 bad bytes or cells, 6 unsupported.",
      "",
    ].join("\n")
  }
  const { description, options } = commands[command]
  return [
    `tessera ${command} ${operandsOf(command).join(" ")} [OPTION…] – ${description}`,
    "",
    ...Object.entries(options).map(([name, spec]) => ofOption(name, spec)),
    "",
  ].join("\n")
}
