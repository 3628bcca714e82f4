/**
 * The protocol of jobs: a message names the kind of its job, and one module of a thread does the jobs of all kinds. So all
 * kinds share the threads of one pool.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import { takeJobs } from "./thread_entry.ts"
import type { WorkerLost, WorkerPool } from "./worker_pool.ts"

/** A kind of job. The buffers of a job are transferred to the thread, and those of its result back. */
export interface JobKind<Job, Answer, Tools> {
  /** Name of the kind. */
  readonly name: string
  /** Runs a job with the thread's tools. It does not throw: the result reports a failure and returns the buffers. */
  readonly run: (job: Job, tools: Tools) => Answer
  /** The buffers that move with a job. */
  readonly sent: (job: Job) => ReadonlyArray<ArrayBuffer>
  /** The buffers that move with an answer. */
  readonly returned: (answer: Answer) => ReadonlyArray<ArrayBuffer>
}

/** A kind of any job. */
// deno-lint-ignore no-explicit-any
export type AnyJobKind<Tools> = JobKind<any, any, Tools>

/** What is posted to a thread. */
export interface JobMessage {
  readonly kind: string
  readonly job: unknown
}

/** Offers a job to a pool, as `WorkerPool.offer` does: `undefined` if no worker is free, and then no job is made. */
export const offerJob = <Job, Answer, Tools>(
  pool: WorkerPool,
  { name, sent }: JobKind<Job, Answer, Tools>,
  make: () => Job,
): Effect.Effect<Answer, WorkerLost> | undefined => {
  const answer = pool.offer(() => {
    const job = make()
    const message: JobMessage = { kind: name, job }
    return [message, sent(job)]
  })
  return answer as Effect.Effect<Answer, WorkerLost> | undefined
}

/** Does the job of a message; returns the answer and the buffers that move with it. */
export const runMessage = <Tools>(
  kinds: ReadonlyArray<AnyJobKind<Tools>>,
  tools: Tools,
  { kind, job }: JobMessage,
): readonly [answer: unknown, transfer: ReadonlyArray<ArrayBuffer>] => {
  const jobKind = kinds.find(({ name }) => name === kind)
  if (jobKind === undefined) throw new TypeError(`unknown kind of job: ${kind}`)
  const answer = jobKind.run(job, tools)
  return [answer, jobKind.returned(answer)]
}

/** Takes jobs of these kinds from now on, in a thread. */
export const serveJobs = <Tools>(kinds: ReadonlyArray<AnyJobKind<Tools>>, tools: Tools): void =>
  takeJobs((message: JobMessage) => runMessage(kinds, tools, message))
