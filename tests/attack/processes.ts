/** Child processes that are stopped by signals. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import type { ChildRuntime } from "./input.ts"

const root = join(import.meta.dirname!, "..", "..")

/** The exit codes of programs that clean up after a signal, by signal. */
export const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
export type Signal = keyof typeof EXIT_CODES | "SIGKILL"

/** The time at which a signal is sent; optionally a second signal, and its delay in milliseconds. */
export interface Plan {
  readonly signal: Signal
  /** Milliseconds after the start, or after a file appears. */
  readonly delay: number
  readonly file?: string
  readonly second?: { readonly signal: Signal; readonly delay: number }
  /** Called as soon as this path exists. */
  readonly intrude?: { readonly at: string; readonly act: () => void }
}

/** The outcome of a process. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly output: string
  readonly error: string
  readonly milliseconds: number
  /** The signals that were sent before it ended. */
  readonly sent: ReadonlyArray<Signal>
  /** Whether the process did not end, and was killed by the test. */
  readonly isHanging: boolean
}

/** The maximum duration of a command in milliseconds, also on a busy machine. */
const MAX_RUN_TIME = 60_000
/** The maximum time in milliseconds in which a process must stop after a signal. */
const MAX_WAIT_MS = 20_000

/** Returns the executables of the runtimes: if they were started with npx, npx would receive the signals. */
export const findRuntimes = (requested: string): ReadonlyArray<ChildRuntime> => {
  const pathOf = (command: ReadonlyArray<string>): string => {
    const [first, ...rest] = command
    const spawned = spawnSync(first, rest, { encoding: "utf8" })
    if (spawned.status !== 0) throw new Error(`cannot run ${command.join(" ")}: ${spawned.stderr}`)
    return spawned.stdout.trim().split("\n").at(-1)!
  }
  const isDeno = "Deno" in globalThis
  const runtimes: Array<ChildRuntime> = []
  if (requested !== "bun") {
    const print = "console.log(Deno.execPath())"
    const path = isDeno ? process.execPath : pathOf(["npx", "-y", "deno@2.9.6", "eval", print])
    runtimes.push({ name: "deno", command: [path, "run", "-A", "--no-check"] })
  }
  if (requested !== "deno") {
    const own = spawnSync("bun", ["--version"], { encoding: "utf8" }).status === 0
    const print = "console.log(process.execPath)"
    const path = !isDeno ? process.execPath : pathOf([...(own ? ["bun"] : ["npx", "-y", "bun@1.4.5"]), "-e", print])
    runtimes.push({ name: "bun", command: [path] })
  }
  return runtimes
}

/** Writes lines to standard input until the process closes it. */
const feed = (child: ChildProcess): void => {
  const input = child.stdin!
  input.on("error", () => {})
  let row = 0
  const more = (): void => {
    if (input.destroyed || child.exitCode !== null) return
    const lines = Array.from({ length: 500 }, () => `${row},name ${row % 97},${row++}\n`).join("")
    if (input.write(lines)) setTimeout(more, 2)
    else input.once("drain", more)
  }
  input.write("x,name,n\n")
  more()
}

/** Starts a script of this project and sends the signals of the plan; without a plan, the script runs to its end. */
export const runChild = (
  { command }: ChildRuntime,
  script: string,
  args: ReadonlyArray<string>,
  plan?: Plan,
  endlessInput = false,
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const start = performance.now()
    const child = spawn(command[0], [...command.slice(1), join(root, script), ...args], {
      cwd: root,
      stdio: [endlessInput ? "pipe" : "ignore", "pipe", "pipe"],
    })
    let [output, error, ended, isHanging] = ["", "", false, false]
    const sent: Array<Signal> = []
    const timers: Array<ReturnType<typeof setTimeout>> = []
    const after = (milliseconds: number, act: () => void) => void timers.push(setTimeout(act, milliseconds))
    const hang = (): void => {
      isHanging = true
      if (child.pid !== undefined && !ended) process.kill(child.pid, "SIGKILL")
    }
    const send = (signal: Signal): void => {
      if (ended || child.pid === undefined) return
      try {
        // in Deno, `child.kill` would also close standard input and hide the exit code
        process.kill(child.pid, signal)
      } catch {
        return
      }
      sent.push(signal)
      after(MAX_WAIT_MS, hang)
    }
    const strike = (): void => {
      send(plan!.signal)
      const { second } = plan!
      if (second !== undefined) after(second.delay, () => send(second.signal))
    }
    /** Waits for a file to appear, or for the process to end. */
    const watch = (file: string, act: () => void): void => {
      const look = (): void => {
        if (ended) return
        if (existsSync(file)) return act()
        after(1, look)
      }
      look()
    }
    child.stdout!.setEncoding("utf8").on("data", (text: string) => output += text)
    child.stderr!.setEncoding("utf8").on("data", (text: string) => error += text)
    child.on("error", reject)
    child.on("spawn", () => {
      if (endlessInput) feed(child)
      after(MAX_RUN_TIME, hang)
      if (plan === undefined) return
      if (plan.intrude !== undefined) watch(plan.intrude.at, plan.intrude.act)
      if (plan.file === undefined) after(plan.delay, strike)
      else watch(plan.file, () => after(plan.delay, strike))
      // if the file never appears, a process with endless input would run forever
      if (plan.file !== undefined && endlessInput) after(10_000, () => sent.length === 0 && strike())
    })
    child.on("close", (code, signal) => {
      ended = true
      for (const timer of timers) clearTimeout(timer)
      resolve({ code, signal, output, error, milliseconds: performance.now() - start, sent, isHanging })
    })
  })
