/**
 * One worker thread, seen from the thread that starts it. Deno, Bun and Node have threads that do not keep a program from
 * ending; where there are only Web Workers, those.
 *
 * @module
 */
import { builtin } from "./runtime_modules.ts"

const workerThreads = builtin("node:worker_threads")

/** A thread that runs a module. */
export interface Thread {
  readonly post: (message: unknown, transfer: ReadonlyArray<ArrayBuffer>) => void
  readonly end: () => void
  /** Whether the program goes on as long as the thread is there: it is waited for. */
  readonly hold: (held: boolean) => void
}

/** What is told of a thread. */
export interface OnThread {
  readonly message: (message: unknown) => void
  /** It broke down, or never started. */
  readonly broken: () => void
}

/** Starts a thread, which does not hold the program; throws where that cannot be done. */
export const startThread = (module: URL, on: OnThread): Thread => {
  let threads: ReturnType<typeof workerThreads>
  try {
    threads = workerThreads()
  } catch {
    return startWebWorker(module, on)
  }
  const worker = new threads.Worker(module)
  worker.on("message", on.message)
  worker.on("error", on.broken)
  worker.on("messageerror", on.broken)
  worker.unref()
  return {
    post: (message, transfer) => worker.postMessage(message, transfer as Array<ArrayBuffer>),
    end: () => {
      worker.removeAllListeners("error")
      void worker.terminate()
    },
    hold: (held) => void (held ? worker.ref() : worker.unref()),
  }
}

const startWebWorker = (module: URL, on: OnThread): Thread => {
  const worker = new Worker(module, { type: "module" })
  worker.onmessage = ({ data }) => on.message(data)
  worker.onmessageerror = on.broken
  worker.onerror = (event) => {
    event.preventDefault()
    on.broken()
  }
  return {
    post: (message, transfer) => worker.postMessage(message, transfer as Array<ArrayBuffer>),
    end: () => worker.terminate(),
    // pages end when they are left
    hold: () => {},
  }
}
