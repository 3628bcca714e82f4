/**
 * A worker thread, as the thread that starts it uses it. Threads of Deno, Bun and Node do not keep the program running;
 * Web Workers are used where no other threads are available.
 *
 * @module
 */
import { isGranted } from "../host/permissions.ts"
import { builtin } from "../host/builtin_modules.ts"

const fs = builtin("node:fs")
const workerThreads = builtin("node:worker_threads")

/**
 * Returns the URL to start a thread with: threads accept files and data URLs; other modules are imported by a data URL.
 */
const entry = (module: URL): URL => {
  if (module.protocol === "data:") return module
  if (module.protocol !== "file:") {
    return new URL(`data:text/javascript,${encodeURIComponent(`import ${JSON.stringify(module.href)}`)}`)
  }
  // `deno compile` omits modules that nothing imports; starting a thread with a missing module would print an error
  if (!isGranted({ name: "read", path: module }) || !fs().existsSync(module)) {
    throw new TypeError(`the module ${module.href} is missing or may not be read`)
  }
  return module
}

/** A worker that the program created: a Web Worker, or a `Worker` of `node:worker_threads`. */
export interface ProgramWorker {
  /** Sends a message and transfers buffers. */
  readonly postMessage: (message: unknown, transfer: Array<ArrayBuffer>) => void
  /** Ends the worker. */
  readonly terminate: () => unknown
  /** Adds an event listener, in workers of `node:worker_threads`. */
  readonly on?: (event: string, listener: (value: unknown) => void) => unknown
  /** Adds an event listener, in Web Workers. */
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

/** Event handlers of a thread. */
export interface OnThread {
  readonly message: (message: unknown) => void
  /** Called when the thread fails, or cannot start. */
  readonly broken: () => void
}

/** Starts a thread that runs a module and does not keep the program running. Throws if that is impossible. */
export const startThread = (module: URL, on: OnThread): Thread => {
  let threads: ReturnType<typeof workerThreads>
  try {
    threads = workerThreads()
  } catch {
    return adoptWorker(new Worker(module, { type: "module" }) as ProgramWorker, on)
  }
  // with the default `env`, Deno would request permission to copy environment variables, which threads do not need
  return adoptWorker(new threads.Worker(entry(module), { env: {} }) as unknown as ProgramWorker, on)
}

/** Wraps a worker that was just started. */
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
    // Web Workers of a page have no `ref` and `unref`; they end with the page
    hold: (current) => void (current ? worker.ref?.() : worker.unref?.()),
  }
}
