/**
 * Worker threads for long computations, such as decoding whole tiles of large reads. They use Web Workers in Deno, Bun
 * and browsers; where threads cannot be started, callers do all the work themselves.
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
  /** Maximum useful number of concurrent jobs, including those that the caller runs itself. */
  readonly concurrency: number
  /**
   * Sends a job to a worker and transfers the job's buffers. Returns `undefined`, without creating the job, if no
   * worker is ready and free. The Effect waits for the result; it fails if the worker ends, and the job and its buffers
   * are then lost.
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

/** The module that the threads of a pool run. */
export interface WorkerModule {
  /** URL of the module; `undefined` in programs that are bundled into one file. */
  readonly url: URL | undefined
  /** Loads the code of the module with all dependencies, for use if the module is missing. */
  readonly code?: () => Promise<string>
}

/** Creates worker pools. */
export interface Workers {
  /**
   * Returns the pool of a module, which responds to each message with one message. Threads start one at a time, when
   * jobs are offered and no thread is free, and accept jobs as soon as they are ready. They end with the layer, or
   * after half a minute without work, and do not keep the program running.
   */
  readonly pool: (module: WorkerModule) => WorkerPool
  /**
   * Prefaults new memory: a thread of the runtime writes zeros to it, starting with this call. The Effect waits until
   * that is done; nothing else may write to the memory before.
   */
  readonly faultIn: (bytes: Uint8Array) => Effect.Effect<void>
}

/**
 * Maximum number of pending jobs per worker, including the running one: enough to keep it busy while the caller runs a
 * job.
 */
const MAX_PENDING_JOBS = 3
/** Maximum number of threads: one calling thread cannot keep more of them busy. */
const MAX_THREADS = 8
/** Idle timeout of threads, in milliseconds. */
const IDLE_TIMEOUT = 30_000

/** A thread and its pending jobs, oldest first. */
interface PoolThread {
  readonly thread: Thread
  readonly waiting: Array<(answer: Effect.Effect<unknown, WorkerLost>) => void>
  ready: boolean
}

const lost: WorkerLost = { _tag: "WorkerLost" }

const NO_TAGS: ReadonlyArray<never> = []

/** Logs a message from outside of fibers. */
type Log = (message: Effect.Effect<void>) => void

/** Starts a thread. Throws if that is impossible. */
type StartThread = (on: OnThread) => Thread

/** Returns functions that start threads with the module, or with the code of the module after it is loaded. */
const startModule = (
  { url, code }: WorkerModule,
): { readonly start: StartThread; readonly load?: () => Promise<StartThread> } => ({
  start: (on) => {
    if (url === undefined) throw new TypeError("the worker module is part of a bundle")
    return startThread(url, on)
  },
  load: code && (async () => {
    // Deno, Bun, Node and browsers can all start threads from a data URL
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
  const threads: Array<PoolThread> = []
  let startOne = source.start
  let { load } = source
  /** Whether threads cannot be started, at least for now. */
  let broken = false
  /**
   * Switches to threads that run the loaded code of the module; without such code, the calling thread does all work.
   */
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
  /** Whether a thread was started in this turn of the event loop. Only one is, since each start takes about 30 ms. */
  let started = false
  let idle: ReturnType<typeof setTimeout> | undefined
  const end = (worker: PoolThread): void => {
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
    const worker: PoolThread = {
      thread: startOne({
        message: (answer) => {
          if (answer === READY) worker.ready = true
          else worker.waiting.shift()?.(Effect.succeed(answer))
          if (worker.waiting.length === 0) worker.thread.hold(false)
          if (threads.every(({ waiting }) => waiting.length === 0)) startIdleTimeout()
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
  /** Starts the idle timeout. */
  const startIdleTimeout = (): void => {
    clearTimeout(idle)
    idle = setTimeout(stop, rest)
    unrefTimer(idle)
  }

  return {
    concurrency: count * MAX_PENDING_JOBS + 1,
    offer: (make) => {
      let free: PoolThread | undefined
      for (const worker of threads) {
        if (worker.ready && worker.waiting.length < (free?.waiting.length ?? MAX_PENDING_JOBS)) free = worker
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

/** Whether threads can be started: Node has no global `Worker`, but has `node:worker_threads`. */
const hasThreads = (): boolean => typeof Worker !== "undefined" || isBuiltin("node:worker_threads")

/** Returns the number of threads that use all cores together with the calling thread. Node 20 has no `navigator`. */
const spareThreads = (): number => {
  if (!hasThreads()) return 0
  const cores = globalThis.navigator?.hardwareConcurrency ??
    (isBuiltin("node:os") ? builtin("node:os")().availableParallelism() : 1)
  return Math.min(MAX_THREADS, cores - 1)
}

/**
 * Creates workers that end with the scope, by default one per core except one. Returns `undefined` if there is only one
 * core, or if threads cannot be started. Threads end after `rest` milliseconds without a job. `start` creates workers
 * of the program; without it, threads run the modules of this package.
 */
export const makeWorkers = (
  threads: number = spareThreads(),
  rest: number = IDLE_TIMEOUT,
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
        // all of the program's own workers run the same module
        const key = start === undefined ? module : undefined
        const existing = pools.get(key)
        if (existing !== undefined) return existing
        const source = start === undefined ? startModule(module) : { start: (on: OnThread) => adoptWorker(start(), on) }
        const pool = startPool(source, threads, rest, log)
        pools.set(key, pool)
        // added on first use: most short programs use no pool, and have nothing to stop
        Runtime.runSync(runtime)(Effect.addFinalizer(() => Effect.sync(pool.stop)))
        return pool
      },
      faultIn,
    }
  })
}

/** Lets the program end while a timer is pending. In browsers timers are numbers, and this does nothing. */
const unrefTimer = (timer: unknown): void => (timer as { readonly unref?: () => void }).unref?.()

/**
 * Yields to the event loop, so that results of workers arrive between two pieces of work. Uses a timer although it
 * waits a millisecond: between two `setImmediate` callbacks, Deno may deliver no messages for a long time.
 */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async<void>((resume) => {
  setTimeout(() => resume(Effect.void), 0)
})
