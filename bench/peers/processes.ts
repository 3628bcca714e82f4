/** The processes that are compared: each takes a JSON line and answers with one. */
import { type ChildProcess, spawn } from "node:child_process"
import process from "node:process"
import { createInterface, type Interface } from "node:readline"
import type { Case } from "./cases.ts"

/** What a process answers. */
export interface Answer {
  readonly ms?: ReadonlyArray<number>
  readonly check?: Readonly<Record<string, ReadonlyArray<number>>>
  readonly error?: string
}

/** What it is asked. `config` is for the peer. */
export interface Question {
  readonly case: Case
  readonly runs?: number
  readonly check?: boolean
  readonly config?: string
}

/** A process that answers one question after the other. */
export interface Worker {
  readonly name: string
  readonly ask: (question: Question) => Promise<Answer>
  readonly stop: () => void
}

/** Starts a worker, with more in its environment. A process that dies answers with an error, to this question and all after it. */
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
  let gone: string | undefined
  lines.on("line", (line) => waiting?.(JSON.parse(line) as Answer))
  const end = (reason: string): void => {
    gone = reason
    waiting?.({ error: gone })
  }
  child.on("error", (error) => end(`cannot run ${command[0]}: ${error.message}`))
  child.on("exit", (code, signal) => end(`${name} ended with ${signal ?? code}`))
  child.stdin!.on("error", () => {})
  return {
    name,
    ask: (question) =>
      gone !== undefined ? Promise.resolve({ error: gone }) : new Promise((resolve) => {
        waiting = resolve
        child.stdin!.write(JSON.stringify(question) + "\n")
      }),
    stop: () => child.stdin!.end(),
  }
}
