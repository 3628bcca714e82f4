/** Starts the command line as a process of the runtime that runs the test. */
import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:os"
import process from "node:process"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url))

/** A process that ended. */
export interface Ended {
  /** The exit code; 128 and the number of a signal for a process that it ended, which Deno does not tell from that code. */
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A running process. */
export interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Waits for text in the output. */
  readonly until: (text: string) => Promise<void>
}

/** Starts a script, by default the command line. */
export const start = (
  args: ReadonlyArray<string>,
  { script = main, environment = {} }: { script?: string; environment?: Record<string, string> } = {},
): Started => {
  const before = "Deno" in globalThis ? ["run", "-A", script] : [script]
  const child = spawn(process.execPath, [...before, ...args], {
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    env: { ...process.env, ...environment },
  })
  let [out, err] = ["", ""]
  child.stdout!.setEncoding("utf8").on("data", (text: string) => out += text)
  child.stderr!.setEncoding("utf8").on("data", (text: string) => err += text)
  child.stdin!.on("error", () => {})
  const ended = new Promise<Ended>((resolve) =>
    child.on(
      "close",
      (code, signal) => resolve({ code: signal === null ? code ?? -1 : 128 + constants.signals[signal], out, err }),
    )
  )
  const until = async (text: string): Promise<void> => {
    for (let tries = 0; !out.includes(text) && !err.includes(text); tries++) {
      if (tries > 1500) throw new Error(`${JSON.stringify(text)} was not printed: ${out}${err}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return { child, ended, until }
}
