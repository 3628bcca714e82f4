/**
 * The command line of this process: arguments, streams, signals and the exit code.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { STOP_SIGNALS, thisProcess } from "../../platform/host/process.ts"
import { runCommand } from "./run_command.ts"
import { say } from "./print/terminal.ts"

/** Table width without a terminal. */
const COLUMNS = 80
/** Minimum table width. */
const FEWEST_COLUMNS = 40

/** Time of a clean-up after which a line explains how to skip it, in milliseconds. */
const PATIENCE = 1000

/** Runs the command that this process was started with, until it ends or a signal stops it. */
export const runProcess = (layer: Layer.Layer<Storage | Codecs>): void => {
  const { args, columns, setExitCode, exit, onStopSignal, ...streams } = thisProcess()
  let changed = false
  const onChanged = () => void (changed = true)
  const terminal = { ...streams, onChanged, columns: Math.max(columns ?? COLUMNS, FEWEST_COLUMNS) }
  const running = Effect.runFork(Effect.provide(runCommand(args, terminal), layer))

  let stopping = false
  onStopSignal((signal) => {
    const code = STOP_SIGNALS[signal]
    // a second signal does not wait for the clean-up
    if (stopping) return exit(code)
    stopping = true
    const advice = () => Effect.runFork(say(terminal, "tessera: cleaning up; repeat the signal to exit at once"))
    setTimeout(advice, PATIENCE)
    // a command that has made its changes is complete
    const interrupted = Effect.flatMap(
      Fiber.interrupt(running),
      (ended) =>
        !changed
          ? say(terminal, "tessera: interrupted")
          : Exit.isSuccess(ended)
          ? Effect.void
          : say(terminal, "tessera: the command was complete before the interruption"),
    )
    // standard input may still be waited for: the process ends all the same
    Effect.runPromise(interrupted).then(() => exit(changed ? 0 : code))
  })
  Effect.runPromise(Fiber.await(running)).then((ended) => {
    if (Exit.isSuccess(ended)) setExitCode(ended.value)
  })
}
