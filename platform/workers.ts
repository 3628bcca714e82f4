/**
 * Worker threads, for what keeps one thread busy for long: whole tiles of large reads. Web Workers, which Deno, Bun and
 * browsers have; where they cannot be started, callers do all the work themselves.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Threads that run the jobs of one module. */
export interface WorkerPool {
  /** How many jobs are worth being under way at once, those that the caller does itself among them. */
  readonly concurrency: number
  /**
   * Hands a job to a worker, and the buffers in it with it: `undefined` if none is ready and free, and then nothing is moved.
   * The Effect waits for the answer; it fails if the worker broke down, and the job, its buffers too, are lost then.
   */
  readonly offer: (
    job: unknown,
    transfer: ReadonlyArray<ArrayBuffer>,
  ) => Effect.Effect<unknown, WorkerLost> | undefined
}

/** A worker ended before it answered. */
export interface WorkerLost {
  /** What it is told by. */
  readonly _tag: "WorkerLost"
}

/** Where pools come from. */
export interface Workers {
  /**
   * The pool of a module, which answers each message with one. Its threads start when a job is offered, and take jobs as soon as
   * they are ready; they end when there was nothing to do for a second, so that they do not keep a program from ending, and
   * with the layer.
   */
  readonly pool: (module: URL) => WorkerPool
}

/** Jobs that wait at a worker, with the one it is at: the next is there when one is done. */
const QUEUE = 2
/** More threads than these are fed by one thread no longer. */
const MOST_THREADS = 8
/** Milliseconds without a job after which threads end. */
const IDLE = 1000

/** One thread, with the jobs that it was given, oldest first. */
interface Thread {
  readonly worker: Worker
  readonly waiting: Array<(answer: Effect.Effect<unknown, WorkerLost>) => void>
  ready: boolean
}

const lost: WorkerLost = { _tag: "WorkerLost" }

/** What a module posts once it takes jobs. */
export const READY = "ready"

const startPool = (module: URL, count: number): WorkerPool & { readonly stop: () => void } => {
  const threads: Array<Thread> = []
  let broken = false
  let idle: ReturnType<typeof setTimeout> | undefined
  const end = (thread: Thread): void => {
    const at = threads.indexOf(thread)
    if (at >= 0) threads.splice(at, 1)
    thread.worker.terminate()
    for (const resume of thread.waiting.splice(0)) resume(Effect.fail(lost))
  }
  const stop = (): void => {
    clearTimeout(idle)
    for (const thread of [...threads]) end(thread)
  }
  const start = (): void => {
    let worker: Worker
    try {
      worker = new Worker(module, { type: "module" })
    } catch {
      broken = true
      return
    }
    const thread: Thread = { worker, waiting: [], ready: false }
    worker.onmessage = ({ data }) => {
      if (data === READY) thread.ready = true
      else thread.waiting.shift()?.(Effect.succeed(data))
      if (threads.every(({ waiting }) => waiting.length === 0)) rest()
    }
    worker.onerror = (event) => {
      event.preventDefault()
      broken = true
      end(thread)
    }
    threads.push(thread)
  }
  /** From now on there is nothing to do. */
  const rest = (): void => {
    clearTimeout(idle)
    idle = setTimeout(stop, IDLE)
  }

  return {
    concurrency: count * QUEUE + 1,
    offer: (job, transfer) => {
      if (threads.length === 0) {
        for (let i = 0; i < count && !broken; i++) start()
        return undefined
      }
      let free: Thread | undefined
      for (const thread of threads) {
        if (thread.ready && thread.waiting.length < (free?.waiting.length ?? QUEUE)) free = thread
      }
      if (free === undefined) return undefined
      clearTimeout(idle)
      const thread = free
      thread.worker.postMessage(job, transfer as Array<ArrayBuffer>)
      let answer: Effect.Effect<unknown, WorkerLost> | undefined
      let resume: ((answer: Effect.Effect<unknown, WorkerLost>) => void) | undefined
      thread.waiting.push((given) => {
        answer = given
        resume?.(given)
      })
      return Effect.async<unknown, WorkerLost>((wake) => {
        if (answer === undefined) resume = wake
        else wake(answer)
      })
    },
    stop,
  }
}

/** Threads beside the caller's that keep all cores busy. */
const spareThreads = (): number =>
  typeof Worker === "undefined" ? 0 : Math.min(MOST_THREADS, (navigator.hardwareConcurrency ?? 1) - 1)

/** Workers that end with the scope: one fewer than there are cores. `undefined` where there is only one core, or no workers. */
export const makeWorkers = (
  threads: number = spareThreads(),
): Effect.Effect<Workers | undefined, never, Scope.Scope> => {
  if (threads < 1) return Effect.succeed(undefined)
  return Effect.acquireRelease(
    Effect.sync(() => {
      const pools = new Map<string, ReturnType<typeof startPool>>()
      return {
        pool: (module: URL): WorkerPool => {
          const known = pools.get(module.href)
          if (known !== undefined) return known
          const pool = startPool(module, threads)
          pools.set(module.href, pool)
          return pool
        },
        stop: () => {
          for (const pool of pools.values()) pool.stop()
          pools.clear()
        },
      }
    }),
    ({ stop }) => Effect.sync(stop),
  )
}

/** Lets the event loop run, so that answers of workers come in between two pieces of work. */
export const breath: Effect.Effect<void> = Effect.async<void>((resume) => {
  const go = (): void => resume(Effect.void)
  // not a timer: those wait a millisecond at least
  if (typeof setImmediate === "function") setImmediate(go)
  else setTimeout(go, 0)
})
