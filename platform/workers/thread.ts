/**
 * One worker thread, seen from the thread that starts it. Deno, Bun and Node have threads that do not keep a program from
 * ending; where there are only Web Workers, those.
 *
 * @module
 */
import { isGranted } from "../host/permissions.ts"
import { builtin } from "../host/builtin_modules.ts"

const fs = builtin("node:fs")
const workerThreads = builtin("node:worker_threads")

/** Returns what a thread can run: threads take files and data URLs; modules from elsewhere are imported by one. */
const entry = (module: URL): URL => {
  if (module.protocol === "data:") return module
  if (module.protocol !== "file:") {
    return new URL(`data:text/javascript,${encodeURIComponent(`import ${JSON.stringify(module.href)}`)}`)
  }
  // `deno compile` leaves out modules that nothing imports; a thread for a missing module would print an error
  if (!isGranted({ name: "read", path: module }) || !fs().existsSync(module)) {
    throw new TypeError(`the module ${module.href} is missing or may not be read`)
  }
  return module
}

/**
 * A worker of the program: a Web Worker, or a `Worker` of `node:worker_threads`. {@link Thread}s are made of them.
 */
export interface ProgramWorker {
  /** Sends a message and transfers buffers. */
  readonly postMessage: (message: unknown, transfer: Array<ArrayBuffer>) => void
  /** Ends the worker. */
  readonly terminate: () => unknown
  /** Listens to events, in workers of `node:worker_threads`. */
  readonly on?: (event: string, listener: (value: unknown) => void) => unknown
  /** Listens to events, in Web Workers. */
  readonly addEventListener?: (event: string, listener: (event: unknown) => void) => unknown
  /** Keeps the program running while the worker runs. */
  readonly ref?: () => unknown
  /** Lets the program end while the worker runs. */
  readonly unref?: () => unknown
}

/** A thread that runs a module. */
export interface Thread {
  readonly post: (message: unknown, transfer: ReadonlyArray<ArrayBuffer>) => void
  readonly end: () => void
  /** Sets whether the thread keeps the program running. */
  readonly hold: (current: boolean) => void
}

/** Events of a thread. */
export interface OnThread {
  readonly message: (message: unknown) => void
  /** It broke down, or never started. */
  readonly broken: () => void
}

/** Starts a thread that runs a module and does not keep the program running; throws where that is impossible. */
export const startThread = (module: URL, on: OnThread): Thread => {
  let threads: ReturnType<typeof workerThreads>
  try {
    threads = workerThreads()
  } catch {
    return adoptWorker(new Worker(module, { type: "module" }) as ProgramWorker, on)
  }
  // without this, Deno would request permission for the environment, to copy variables that threads do not need
  return adoptWorker(new threads.Worker(entry(module), { env: {} }) as unknown as ProgramWorker, on)
}

/** Makes a thread of a worker that has just been started. */
export const adoptWorker = (worker: ProgramWorker, on: OnThread): Thread => {
  let ended = false
  const broken = (event?: unknown): void => {
    ;(event as { readonly preventDefault?: () => void } | undefined)?.preventDefault?.()
    if (!ended) on.broken()
  }
  if (worker.on !== undefined) {
    worker.on("message", on.message)
    worker.on("error", broken)
    worker.on("messageerror", broken)
  } else {
    worker.addEventListener?.("message", (event) => on.message((event as { readonly data: unknown }).data))
    worker.addEventListener?.("error", broken)
    worker.addEventListener?.("messageerror", broken)
  }
  worker.unref?.()
  return {
    post: (message, transfer) => worker.postMessage(message, transfer as Array<ArrayBuffer>),
    end: () => {
      ended = true
      void worker.terminate()
    },
    // Web Workers of pages end with the page
    hold: (current) => void (current ? worker.ref?.() : worker.unref?.()),
  }
}
