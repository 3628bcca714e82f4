/**
 * The job protocol: a message contains the kind of the job, and a thread's module runs the jobs of all kinds. All kinds
 * therefore share the threads of one pool.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import { takeJobs } from "./thread_entry.ts"
import type { WorkerLost, WorkerPool } from "./worker_pool.ts"

/**
 * A kind of job. The buffers of a job are transferred to the thread, and the buffers of the result are transferred
 * back.
 */
export interface JobKind<Job, Answer, Tools> {
  /** Unique name. */
  readonly name: string
  /** Runs a job with the thread's tools. It does not throw: the result reports a failure and returns the buffers. */
  readonly run: (job: Job, tools: Tools) => Answer
  /** Returns the buffers to transfer with a job. */
  readonly sent: (job: Job) => ReadonlyArray<ArrayBuffer>
  /** Returns the buffers to transfer with a result. */
  readonly returned: (answer: Answer) => ReadonlyArray<ArrayBuffer>
}

/** A job kind with any job and result types. */
// deno-lint-ignore no-explicit-any
export type AnyJobKind<Tools> = JobKind<any, any, Tools>

/** A message to a thread. */
export interface JobMessage {
  readonly kind: string
  readonly job: unknown
}

/**
 * Offers a job to a pool, as `WorkerPool.offer` does: returns `undefined`, without creating the job, if no worker is
 * free.
 */
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

/** Runs the job of a message; returns the result and the buffers to transfer with it. */
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

/** Starts to accept jobs of these kinds; runs in a thread. */
export const serveJobs = <Tools>(kinds: ReadonlyArray<AnyJobKind<Tools>>, tools: Tools): void =>
  takeJobs((message: JobMessage) => runMessage(kinds, tools, message))
