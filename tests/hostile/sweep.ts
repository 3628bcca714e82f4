/**
 * Runs a sweep in a child process and supervises it: a case that hangs is terminated and reported, a case that crashes the
 * process is reported, and the sweep continues with the next case.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Runtime } from "../interop/processes.ts"

/** The options of a sweep. */
export interface SweepOptions {
  readonly runtime: Runtime
  readonly seed: string
  /** The packed fixtures, or all available ones. */
  readonly fixtures: "packed" | "all"
  readonly count: number
  /** The minimum number of cases per subject, so that fewer subjects are read unchanged. */
  readonly rounds: number
  /** Runs only this case, such as `v22/dense_fill/array#3`. */
  readonly only?: string
  readonly print: (line: string) => void
  /** For tests of this file: another script for the child, and its timeout without output. */
  readonly worker?: string
  readonly hangs?: number
}

/** The result of a sweep. */
export interface Sweep {
  readonly cases: number
  readonly subjects: number
  readonly failed: number
  /** The number of cases in which an operation was rejected. */
  readonly noticed: number
  readonly slowest: number
  /** The largest allocation of a case, in bytes. */
  readonly largest: number
  /** The maximum resident memory, in bytes. */
  readonly resident: number
}

/** The maximum time in milliseconds in which a case prints nothing; it includes the start of the runtime. */
const MAX_SILENCE_MS = 30_000
/** The maximum resident memory in bytes, for the runtime, the fixtures and the reads together. */
export const MAX_RESIDENT_BYTES = 2 ** 30

/** Returns the peak resident memory of a process; 0 if the system does not report it. */
const residentOf = (child: ChildProcess): number => {
  try {
    return 1024 * Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0)
  } catch {
    return 0
  }
}

interface Message {
  readonly at?: number
  readonly id?: string
  readonly description?: string
  readonly done?: number
  readonly noticed?: boolean
  readonly took?: number
  readonly largest?: number
  readonly faults?: ReadonlyArray<string>
  readonly end?: boolean
  readonly cases?: number
  readonly subjects?: number
  readonly late?: ReadonlyArray<string>
}

/** Runs a sweep. */
export const sweep = async (options: SweepOptions): Promise<Sweep> => {
  const { runtime, seed, fixtures, print, hangs: timeout = MAX_SILENCE_MS } = options
  const worker = options.worker ?? join(import.meta.dirname!, "worker.ts")
  const out = { cases: 0, subjects: 0, failed: 0, noticed: 0, slowest: 0, largest: 0, resident: 0 }
  let at: Message = {}
  const fail = (why: string): void => {
    out.failed++
    const again = `deno task hostile --runtime ${runtime.name.toLowerCase()} --seed ${seed} --only '${at.id}'`
    print(`FAILED ${runtime.name}: ${at.id ?? "the start"}: ${at.description ?? ""}\n    ${why}\n    again: ${again}`)
  }
  const hear = (message: Message): void => {
    if (message.at !== undefined) at = message
    else if (message.done !== undefined) {
      out.cases++
      if (message.noticed) out.noticed++
      out.slowest = Math.max(out.slowest, message.took ?? 0)
      out.largest = Math.max(out.largest, message.largest ?? 0)
      if (message.faults!.length > 0) fail(message.faults!.join("\n    "))
    } else if (message.end === true) {
      out.subjects = message.subjects!
      for (const late of message.late!) fail(late)
    }
  }
  const run = (skip: number): Promise<string | undefined> =>
    new Promise((resolve) => {
      const args = [
        seed,
        fixtures,
        options.count,
        options.rounds,
        skip,
        ...(options.only === undefined ? [] : [options.only]),
      ]
      const command = [...runtime.command, worker, ...args.map(String)]
      const child = spawn(command[0], command.slice(1), { stdio: ["ignore", "pipe", "pipe"] })
      let [rest, errors, ended, hangs] = ["", "", false, false]
      let timer: ReturnType<typeof setTimeout>
      const watch = (): void => {
        clearTimeout(timer)
        timer = setTimeout(() => {
          hangs = true
          child.kill("SIGKILL")
        }, timeout)
      }
      watch()
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        watch()
        const lines = (rest + chunk).split("\n")
        rest = lines.pop()!
        for (const line of lines) {
          const message = JSON.parse(line) as Message
          // only available while the process is alive
          if ((message.done ?? 1) % 16 === 0) out.resident = Math.max(out.resident, residentOf(child))
          if (message.end === true) ended = true
          hear(message)
        }
      })
      child.stderr.setEncoding("utf8").on("data", (chunk: string) => errors = (errors + chunk).slice(-4000))
      child.on("error", (error) => errors += error.message)
      child.on("close", (code, signal) => {
        clearTimeout(timer)
        if (hangs) resolve(`hangs: no output for ${timeout / 1000} s`)
        else if (!ended || code !== 0) resolve(`the process died (${signal ?? code}): ${errors.trim().slice(-2000)}`)
        else resolve(undefined)
      })
    })
  for (let skip = 0; skip < options.count;) {
    const died = await run(skip)
    if (died === undefined) break
    fail(died)
    // no case ran: another attempt would fail in the same way
    if (at.at === undefined || at.at < skip) break
    skip = at.at + 1
  }
  if (out.resident > MAX_RESIDENT_BYTES) fail(`${out.resident} bytes of resident memory`)
  return out
}

/** Formats the result of a sweep as one line. */
export const shown = (name: string, result: Sweep, seconds: number): string =>
  `${name}: ${result.cases} mutations of ${result.subjects} arrays and groups, ${result.noticed} refused, ${result.failed} failed; ` +
  `slowest ${Math.round(result.slowest)} ms, largest allocation ${(result.largest / 2 ** 20).toFixed(1)} MiB, ` +
  `resident ${Math.round(result.resident / 2 ** 20)} MiB; ${Math.round(seconds)} s`
