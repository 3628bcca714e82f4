/**
 * Runs one command: takes arguments, prints text and returns an exit code.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { parseArguments } from "./parse/arguments.ts"
import { runComplete } from "./commands/complete.ts"
import { commands } from "./command_table.ts"
import { DEBUG_VARIABLE, isDebug, stackLines } from "./debug.ts"
import { type ExitCode, exitCodeOf, isDefect, messageOf } from "./exit_code.ts"
import { help } from "./help.ts"
import { commandIn } from "./parse/specs.ts"
import { attemptUsage } from "./parse/settings.ts"
import { guardTerminal, print, say, type Terminal } from "./print/terminal.ts"

/**
 * The version of the package.
 *
 * ```ts
 * import { VERSION } from "@tessera/array/cli"
 * import { assertMatch } from "@std/assert"
 *
 * assertMatch(VERSION, /^\d+\.\d+\.\d+/)
 * ```
 */
export const VERSION = "0.1.0"

const invoke = (args: ReadonlyArray<string>, terminal: Terminal): Effect.Effect<void, unknown, Storage | Codecs> =>
  Effect.gen(function* () {
    const invocation = yield* attemptUsage(() => parseArguments(commands, args))
    switch (invocation.kind) {
      case "help":
        return yield* print(terminal, [help(invocation.command)])
      case "version":
        return yield* print(terminal, [`tessera ${VERSION}\n`])
      case "complete":
        return yield* runComplete(commands, invocation.args, terminal)
      case "run":
        return yield* commands[invocation.request.command].run(invocation.request, terminal)
    }
  })

/** Returns whether the command among the arguments has an option. */
const hasOption = (args: ReadonlyArray<string>, option: string): boolean =>
  Object.hasOwn(commandIn(commands, args)?.spec.options ?? {}, option)

/** warnings go to standard error: the default logger would mix them with the data */
const warningsTo = (terminal: Terminal) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => {
      const text = Array.isArray(message) ? message.map(String).join(" ") : String(message)
      // a closed standard error must not stop the command
      terminal.say(`tessera: ${text}`).catch(() => {})
    }),
  )

/**
 * Runs one command, as `tessera` does with its arguments. It never fails: errors are printed in one line and reported
 * by the {@link ExitCode}.
 *
 * ```ts
 * import { runCommand } from "@tessera/array/cli"
 * import { layerDefault } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const said: Array<string> = []
 * const terminal = {
 *   environment: () => undefined,
 *   columns: 80,
 *   write: () => Promise.resolve(),
 *   say: (line: string) => Promise.resolve(void said.push(line)),
 * }
 * const code = await Effect.runPromise(Effect.provide(runCommand(["schema", "mem://none"], terminal), layerDefault))
 * assertEquals([code, said.length, said[0].startsWith("tessera: mem://none: ")], [3, 1, true])
 * ```
 */
export const runCommand = (
  args: ReadonlyArray<string>,
  terminal: Terminal,
): Effect.Effect<ExitCode, never, Storage | Codecs> =>
  Effect.suspend(() => {
    const safe = guardTerminal(terminal)
    return Effect.matchCauseEffect(Effect.provide(invoke(args, safe), warningsTo(safe)), {
      onSuccess: () => Effect.succeed<ExitCode>(0),
      onFailure: (cause) => {
        const error = Cause.squash(cause)
        const message = messageOf(error, (option) => hasOption(args, option))
        const code = exitCodeOf(error)
        if (message === undefined) return Effect.succeed(code)
        if (!isDefect(error)) return Effect.as(say(safe, `tessera: ${message}`), code)
        const lines = isDebug(safe.environment)
          ? [`tessera: ${message}`, ...stackLines(cause)]
          : [`tessera: ${message}; set ${DEBUG_VARIABLE}=1 to print the stack`]
        return Effect.as(Effect.forEach(lines, (line) => say(safe, line), { discard: true }), code)
      },
    })
  })
