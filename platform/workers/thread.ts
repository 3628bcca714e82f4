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

/** What threads run: they take files, but no modules from elsewhere, unless those are imported. */
const entry = (module: URL): URL => {
  if (module.protocol !== "file:") {
    return new URL(`data:text/javascript,${encodeURIComponent(`import ${JSON.stringify(module.href)}`)}`)
  }
  // a program that was put into one file has no other; to start a thread all the same would print that
  if (!isGranted({ name: "read", path: module }) || !fs().existsSync(module)) {
    throw new TypeError(`there is no module ${module.href}`)
  }
  return module
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

/** Starts a thread, which does not hold the program; throws where that cannot be done. */
export const startThread = (module: URL, on: OnThread): Thread => {
  let threads: ReturnType<typeof workerThreads>
  try {
    threads = workerThreads()
  } catch {
    return startWebWorker(module, on)
  }
  // without this, Deno would request permission for the environment, to copy variables that threads do not need
  const worker = new threads.Worker(entry(module), { env: {} })
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
    hold: (current) => void (current ? worker.ref() : worker.unref()),
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
