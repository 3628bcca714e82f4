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
import { builtin, isBuiltin } from "../host/builtin_modules.ts"
import { faultIn } from "./prefault.ts"
import { adoptWorker, type OnThread, type ProgramWorker, startThread, type Thread } from "./thread.ts"
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

/** What the threads of a pool run. */
export interface WorkerModule {
  /** The module; `undefined` in programs that a bundler put into one file. */
  readonly url: URL | undefined
  /** The code of the module with everything that it imports, for when the module is missing. */
  readonly code?: () => Promise<string>
}

/** Creates worker pools. */
export interface Workers {
  /**
   * Returns the pool of a module, which responds to each message with one. Threads start one by one when jobs are
   * offered and no thread is free, and take jobs as soon as they are ready; they end with the layer, or after half a
   * minute without work, and do not keep the program running.
   */
  readonly pool: (module: WorkerModule) => WorkerPool
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

/** Starts a thread; throws where that is impossible. */
type StartThread = (on: OnThread) => Thread

/** Starts threads that run the module, or the code of the module once that is loaded. */
const startModule = (
  { url, code }: WorkerModule,
): { readonly start: StartThread; readonly load?: () => Promise<StartThread> } => ({
  start: (on) => {
    if (url === undefined) throw new TypeError("the module of the threads is part of a bundle")
    return startThread(url, on)
  },
  load: code && (async () => {
    // a data URL: Deno, Bun, Node and browsers start threads from those
    const source = new URL(`data:text/javascript,${encodeURIComponent(await code())}`)
    return (on) => startThread(source, on)
  }),
})

const startPool = (
  source: ReturnType<typeof startModule>,
  count: number,
  rest: number,
  log: Log,
): WorkerPool & { readonly stop: () => void } => {
  const threads: Array<Busy> = []
  let startOne = source.start
  let { load } = source
  /** Whether threads cannot be started, or not yet. */
  let broken = false
  /** Starts threads from the code of the module from now on; without code, the calling thread does all work. */
  const fallBack = (failed: (reason: string) => void, error: unknown): void => {
    const reasonOf = (error: unknown): string => redactText(error instanceof Error ? error.message : String(error))
    broken = true
    if (load === undefined) return failed(reasonOf(error))
    const loading = load()
    load = undefined
    loading.then((start) => {
      startOne = start
      broken = false
    }, (error) => failed(reasonOf(error)))
  }
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
      thread: startOne({
        message: (answer) => {
          if (answer === READY) worker.ready = true
          else worker.waiting.shift()?.(Effect.succeed(answer))
          if (worker.waiting.length === 0) worker.thread.hold(false)
          if (threads.every(({ waiting }) => waiting.length === 0)) restFrom()
        },
        broken: () => {
          const failed = (): void => {
            metrics.workersLost.unsafeUpdate(1, NO_TAGS)
            log(Effect.logWarning("a worker thread ended with an error; its work is done on the calling thread"))
          }
          end(worker)
          if (worker.ready) {
            broken = true
            failed()
          } else fallBack(failed, undefined)
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
          fallBack((reason) => {
            log(Effect.annotateLogs(Effect.logDebug("no worker threads: they cannot be started"), { reason }))
          }, error)
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

/** Whether threads can be started: Node has no `Worker`, but the module. */
const hasThreads = (): boolean => typeof Worker !== "undefined" || isBuiltin("node:worker_threads")

/** Number of threads that, with the caller's, use all cores. Node 20 has no `navigator`. */
const spareThreads = (): number => {
  if (!hasThreads()) return 0
  const cores = globalThis.navigator?.hardwareConcurrency ??
    (isBuiltin("node:os") ? builtin("node:os")().availableParallelism() : 1)
  return Math.min(MAX_THREADS, cores - 1)
}

/**
 * Workers that end with the scope: one fewer than there are cores. `undefined` where there is only one core, or no workers.
 * Threads end after `rest` milliseconds without a job. `start` starts workers of the program; without it, threads run the
 * modules of this package.
 */
export const makeWorkers = (
  threads: number = spareThreads(),
  rest: number = IDLE,
  start?: () => ProgramWorker,
): Effect.Effect<Workers | undefined, never, Scope.Scope> => {
  if (threads < 1) {
    const reason = hasThreads() ? "there is only one core" : "the runtime has no worker threads"
    return Effect.as(Effect.annotateLogs(Effect.logDebug("no worker threads"), { reason }), undefined)
  }
  return Effect.map(Effect.runtime<Scope.Scope>(), (runtime) => {
    const log: Log = (message) => void Runtime.runFork(runtime)(message)
    const pools = new Map<WorkerModule | undefined, ReturnType<typeof startPool>>()
    return {
      pool: (module: WorkerModule): WorkerPool => {
        // the program's own workers run one module
        const key = start === undefined ? module : undefined
        const existing = pools.get(key)
        if (existing !== undefined) return existing
        const source = start === undefined ? startModule(module) : { start: (on: OnThread) => adoptWorker(start(), on) }
        const pool = startPool(source, threads, rest, log)
        pools.set(key, pool)
        // programs that use no pool, which are most short ones, have nothing to stop
        Runtime.runSync(runtime)(Effect.addFinalizer(() => Effect.sync(pool.stop)))
        return pool
      },
      faultIn,
    }
  })
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
