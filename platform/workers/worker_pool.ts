/**
 * Worker threads, for what keeps one thread busy for long: whole tiles of large reads. Web Workers, which Deno, Bun and
 * browsers have; where they cannot be started, callers do all the work themselves.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Runtime from "effect/Runtime"
import * as metrics from "../observability/metrics.ts"
import { faultIn } from "./prefault.ts"
import { startThread, type Thread } from "./thread.ts"
import { READY } from "./thread_entry.ts"
import { redactText } from "../../schema/errors/redact.ts"

/** Threads that run the jobs of one module. */
export interface WorkerPool {
  /** How many jobs are worth being under way at once, those that the caller does itself among them. */
  readonly concurrency: number
  /**
   * Hands a job to a worker, and the buffers in it with it: `undefined` if none is ready and free, and then none is made.
   * The Effect waits for the answer; it fails if the worker broke down, and the job, its buffers too, are lost then.
   */
  readonly offer: (
    make: () => readonly [job: unknown, transfer: ReadonlyArray<ArrayBuffer>],
  ) => Effect.Effect<unknown, WorkerLost> | undefined
}

/** A worker ended before it responded. */
export interface WorkerLost {
  /** Tag of the error. */
  readonly _tag: "WorkerLost"
}

/** Creates worker pools. */
export interface Workers {
  /**
   * Returns the pool of a module, which responds to each message with one. Threads start one by one when jobs are
   * offered and no thread is free, and take jobs as soon as they are ready; they end with the layer, or after half a
   * minute without work, and do not keep the program running.
   */
  readonly pool: (module: URL) => WorkerPool
  /**
   * Prefaults new memory: a thread of the runtime writes zeros to it, starting with the call. The Effect waits for its
   * end; until then nothing else may be written there.
   */
  readonly faultIn: (bytes: Uint8Array) => Effect.Effect<void>
}

/** Jobs that wait at a worker, with the one it is at: enough for it while its caller does one itself. */
const QUEUE = 3
/** More threads than these are fed by one thread no longer. */
const MAX_THREADS = 8
/** Milliseconds without a job after which threads end. */
const IDLE = 30_000

/** One thread, with the jobs that it was given, oldest first. */
interface Busy {
  readonly thread: Thread
  readonly waiting: Array<(answer: Effect.Effect<unknown, WorkerLost>) => void>
  ready: boolean
}

const lost: WorkerLost = { _tag: "WorkerLost" }

const NO_TAGS: ReadonlyArray<never> = []

/** Logs from outside of fibers. */
type Log = (message: Effect.Effect<void>) => void

const startPool = (module: URL, count: number, rest: number, log: Log): WorkerPool & { readonly stop: () => void } => {
  const threads: Array<Busy> = []
  let broken = false
  /** Whether a thread was started in this turn of the event loop: another has to wait, as each start takes some 30 ms. */
  let started = false
  let idle: ReturnType<typeof setTimeout> | undefined
  const end = (worker: Busy): void => {
    const at = threads.indexOf(worker)
    if (at >= 0) threads.splice(at, 1)
    worker.thread.end()
    for (const resume of worker.waiting.splice(0)) resume(Effect.fail(lost))
  }
  const stop = (): void => {
    clearTimeout(idle)
    for (const worker of [...threads]) end(worker)
  }
  const start = (): void => {
    started = true
    setTimeout(() => started = false, 0)
    const worker: Busy = {
      thread: startThread(module, {
        message: (answer) => {
          if (answer === READY) worker.ready = true
          else worker.waiting.shift()?.(Effect.succeed(answer))
          if (worker.waiting.length === 0) worker.thread.hold(false)
          if (threads.every(({ waiting }) => waiting.length === 0)) restFrom()
        },
        broken: () => {
          broken = true
          metrics.workersLost.unsafeUpdate(1, NO_TAGS)
          log(Effect.logWarning("a worker thread ended with an error; its work is done on the calling thread"))
          end(worker)
        },
      }),
      waiting: [],
      ready: false,
    }
    threads.push(worker)
  }
  /** starts the idle timeout */
  const restFrom = (): void => {
    clearTimeout(idle)
    idle = setTimeout(stop, rest)
    withoutHold(idle)
  }

  return {
    concurrency: count * QUEUE + 1,
    offer: (make) => {
      let free: Busy | undefined
      for (const worker of threads) {
        if (worker.ready && worker.waiting.length < (free?.waiting.length ?? QUEUE)) free = worker
      }
      if (free === undefined) {
        if (threads.length === count || started || broken) return undefined
        try {
          start()
        } catch (error) {
          broken = true
          const reason = redactText(error instanceof Error ? error.message : String(error))
          log(Effect.annotateLogs(Effect.logDebug("no worker threads: they cannot be started"), { reason }))
        }
        return undefined
      }
      clearTimeout(idle)
      const { thread, waiting } = free
      thread.hold(true)
      thread.post(...make())
      metrics.workerJobs.unsafeUpdate(1, NO_TAGS)
      let answer: Effect.Effect<unknown, WorkerLost> | undefined
      let resume: ((answer: Effect.Effect<unknown, WorkerLost>) => void) | undefined
      waiting.push((input) => {
        answer = input
        resume?.(input)
      })
      return Effect.async<unknown, WorkerLost>((wake) => {
        if (answer === undefined) resume = wake
        else wake(answer)
      })
    },
    stop,
  }
}

/** Number of threads that, with the caller's, use all cores. */
const spareThreads = (): number =>
  typeof Worker === "undefined" ? 0 : Math.min(MAX_THREADS, (navigator.hardwareConcurrency ?? 1) - 1)

/**
 * Workers that end with the scope: one fewer than there are cores. `undefined` where there is only one core, or no workers.
 * Threads end after `rest` milliseconds without a job.
 */
export const makeWorkers = (
  threads: number = spareThreads(),
  rest: number = IDLE,
): Effect.Effect<Workers | undefined, never, Scope.Scope> => {
  if (threads < 1) {
    const reason = typeof Worker === "undefined" ? "the runtime has no Worker" : "there is only one core"
    return Effect.as(Effect.annotateLogs(Effect.logDebug("no worker threads"), { reason }), undefined)
  }
  return Effect.acquireRelease(
    Effect.map(Effect.runtime<never>(), (runtime) => {
      const log: Log = (message) => void Runtime.runFork(runtime)(message)
      const pools = new Map<string, ReturnType<typeof startPool>>()
      return {
        pool: (module: URL): WorkerPool => {
          const existing = pools.get(module.href)
          if (existing !== undefined) return existing
          const pool = startPool(module, threads, rest, log)
          pools.set(module.href, pool)
          return pool
        },
        faultIn,
        stop: () => {
          for (const pool of pools.values()) pool.stop()
          pools.clear()
        },
      }
    }),
    ({ stop }) => Effect.sync(stop),
  )
}

/** A timer that keeps no program from ending; browsers have only numbers. */
const withoutHold = (timer: unknown): void => (timer as { readonly unref?: () => void }).unref?.()

/**
 * Lets the event loop run, so that answers of workers come in between two pieces of work. A timer, though it waits a
 * millisecond: between two of `setImmediate` Deno may take none for a long while.
 */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async<void>((resume) => {
  setTimeout(() => resume(Effect.void), 0)
})
