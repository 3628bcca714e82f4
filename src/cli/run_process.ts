/**
 * Runs the command line of this process: connects arguments, streams, signals and the exit code.
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

/** Default table width, if the output is not a terminal. */
const DEFAULT_COLUMNS = 80
/** Minimum table width. */
const MIN_COLUMNS = 40

/** Duration of a clean-up, in milliseconds, after which a line explains how to skip it. */
const CLEANUP_NOTICE_DELAY = 1000

/** Runs the command with which this process was started, until it ends or a signal stops it. */
export const runProcess = (layer: Layer.Layer<Storage | Codecs>): void => {
  const { args, columns, setExitCode, exit, onStopSignal, ...streams } = thisProcess()
  let changed = false
  const onChanged = () => void (changed = true)
  const terminal = { ...streams, onChanged, columns: Math.max(columns ?? DEFAULT_COLUMNS, MIN_COLUMNS) }
  const running = Effect.runFork(Effect.provide(runCommand(args, terminal), layer))

  let stopping = false
  onStopSignal((signal) => {
    const code = STOP_SIGNALS[signal]
    // on a second signal, do not wait for the clean-up
    if (stopping) return exit(code)
    stopping = true
    const advice = () => Effect.runFork(say(terminal, "tessera: cleaning up; repeat the signal to exit at once"))
    setTimeout(advice, CLEANUP_NOTICE_DELAY)
    // once a command has made its changes, it is complete
    const interrupted = Effect.flatMap(
      Fiber.interrupt(running),
      (ended) =>
        !changed
          ? say(terminal, "tessera: interrupted")
          : Exit.isSuccess(ended)
          ? Effect.void
          : say(terminal, "tessera: the command was complete before the interruption"),
    )
    // exit explicitly, since a pending read of standard input would keep the process alive
    Effect.runPromise(interrupted).then(() => exit(changed ? 0 : code))
  })
  Effect.runPromise(Fiber.await(running)).then((ended) => {
    if (Exit.isSuccess(ended)) setExitCode(ended.value)
  })
}
