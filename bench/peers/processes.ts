/** The compared processes: each reads a JSON line and responds with a JSON line. */
import { type ChildProcess, spawn } from "node:child_process"
import process from "node:process"
import { createInterface, type Interface } from "node:readline"
import type { Case } from "./cases.ts"

/** A process's response. */
export interface Answer {
  readonly ms?: ReadonlyArray<number>
  readonly check?: Readonly<Record<string, ReadonlyArray<number>>>
  readonly error?: string
}

/** A request to a process. Only the peer uses `config`. */
export interface Question {
  readonly case: Case
  readonly runs?: number
  readonly check?: boolean
  readonly config?: string
}

/** A process that handles requests sequentially. */
export interface Worker {
  readonly name: string
  readonly ask: (question: Question) => Promise<Answer>
  readonly stop: () => void
}

/**
 * Starts a worker with additional environment variables. If the process dies, this request and all later ones return an
 * error.
 */
export const startWorker = (
  name: string,
  command: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
): Worker => {
  const child: ChildProcess = spawn(command[0], command.slice(1), {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  })
  const lines: Interface = createInterface({ input: child.stdout! })
  let waiting: ((answer: Answer) => void) | undefined
  let failure: string | undefined
  lines.on("line", (line) => waiting?.(JSON.parse(line) as Answer))
  const end = (reason: string): void => {
    failure = reason
    waiting?.({ error: failure })
  }
  child.on("error", (error) => end(`cannot run ${command[0]}: ${error.message}`))
  child.on("exit", (code, signal) => end(`${name} ended with ${signal ?? code}`))
  child.stdin!.on("error", () => {})
  return {
    name,
    ask: (question) =>
      failure !== undefined ? Promise.resolve({ error: failure }) : new Promise((resolve) => {
        waiting = resolve
        child.stdin!.write(JSON.stringify(question) + "\n")
      }),
    stop: () => child.stdin!.end(),
  }
}
