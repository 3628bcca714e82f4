/**
 * `tessera complete`: completes commands, options, their values and the names of fields in bash, zsh, fish and
 * PowerShell. Uses the package `@bomb.sh/tab`, which only this command loads.
 */
import * as Effect from "effect/Effect"
import { completeNames } from "./complete_names.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { CommandSpecs } from "../parse/specs.ts"
import { UsageError } from "../parse/usage_error.ts"
import { type OutputError, print, type Terminal } from "../print/terminal.ts"

/** The shells that have a completion script. */
const SHELLS = ["bash", "zsh", "fish", "powershell"]

const PROGRAM = "tessera"

/** Tells the shell to complete file names. */
const FILE_NAMES = ":0"
/** Tells the shell to complete no file names. */
const NO_FILE_NAMES = ":4"
/** Tells the shell to complete no file names, and to add no space. */
const NO_SPACE = ":6"

type Tab = typeof import("@bomb.sh/tab")

/**
 * Returns the text that `run` prints, since the package has no other way to return its result. `run` is synchronous.
 */
const printedBy = (run: () => void): Array<string> => {
  const lines: Array<string> = []
  const { log } = console
  console.log = (line: string) => void lines.push(line)
  try {
    run()
  } finally {
    console.log = log
  }
  return lines
}

/** Returns the commands and their options in the form of the package. */
const rootCommand = ({ RootCommand }: Tab, commands: CommandSpecs): InstanceType<Tab["RootCommand"]> => {
  const root = new RootCommand()
  for (const [name, spec] of Object.entries(commands)) {
    const [first] = name.split(" ")
    // the package completes names of two words only if the first word is a command
    if (!root.commands.has(first)) root.command(first, spec.description)
    const command = root.command(name, spec.description)
    for (const [option, { value, choices, description }] of Object.entries(spec.options)) {
      // the package treats an option without a function as a flag
      if (value === undefined) command.option(option, description)
      else command.option(option, description, (complete) => choices?.forEach((choice) => complete(choice, "")))
    }
    command.option("help", "show the options of the command")
  }
  const complete = root.command("complete", "print the completion script of a shell")
  complete.argument("shell", (add) => SHELLS.forEach((shell) => add(shell, "")))
  root.command("help", "show the commands")
  return root
}

/** Returns the lines that a completion script reads: candidates, then a directive. The last word is completed. */
const candidates = (
  tab: Tab,
  commands: CommandSpecs,
  words: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const lines = printedBy(() => rootCommand(tab, commands).parse([...words]))
  // let the shell complete file names, which the package never does: URIs and values are often files
  return lines.length === 1 && !words[words.length - 1]?.startsWith("-") ? [FILE_NAMES] : lines
}

/**
 * Prints the completion script of a shell, or, after `--`, the completions of the last word.
 */
export const runComplete = (
  commands: CommandSpecs,
  args: ReadonlyArray<string>,
  terminal: Terminal,
): Effect.Effect<void, UsageError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const [shell, ...words] = args
    if (shell !== "--" && (!SHELLS.includes(shell) || words.length > 0)) {
      return yield* new UsageError({
        detail: `complete: give one of ${SHELLS.join(", ")}: ${PROGRAM} complete ${SHELLS[0]}`,
      })
    }
    const names = shell === "--" ? yield* completeNames(commands, words, terminal) : undefined
    if (names !== undefined) {
      const lines = [...names.words, names.isOpen ? NO_SPACE : NO_FILE_NAMES]
      return yield* print(terminal, [lines.join("\n") + "\n"])
    }
    const tab = yield* Effect.promise(() => import("@bomb.sh/tab"))
    const lines = shell === "--"
      ? candidates(tab, commands, words)
      : printedBy(() => tab.script(shell, PROGRAM, PROGRAM))
    yield* print(terminal, [lines.join("\n") + "\n"])
  })
