/**
 * The inner side of a worker thread: reports that it is ready, and responds to each job with one message.
 *
 * @module
 */
import { builtin } from "../host/builtin_modules.ts"

/** Message that a thread posts when it is ready for jobs. */
export const READY = "ready"

/** The global scope of a Web Worker. */
interface Scope {
  onmessage: (event: { readonly data: unknown }) => void
  readonly postMessage: (message: unknown, transfer?: ReadonlyArray<ArrayBuffer>) => void
}

/** Returns the message port to the parent, in a thread that Deno, Bun or Node started. */
const portOfThread = () => {
  try {
    return builtin("node:worker_threads")().parentPort
  } catch {
    return null
  }
}

/** Starts to accept jobs: `run` returns the result, and the buffers to transfer with it. */
export const takeJobs = <Job, Answer>(
  run: (job: Job) => readonly [answer: Answer, transfer: ReadonlyArray<ArrayBuffer>],
): void => {
  const port = portOfThread()
  if (port !== null) {
    port.on("message", (job: Job) => {
      const [answer, transfer] = run(job)
      port.postMessage(answer, transfer as Array<ArrayBuffer>)
    })
    port.postMessage(READY)
    return
  }
  const scope = globalThis as unknown as Scope
  scope.onmessage = ({ data }) => scope.postMessage(...run(data as Job))
  scope.postMessage(READY)
}
