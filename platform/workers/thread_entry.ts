/**
 * The side of a worker thread inside the thread: it reports that it is ready, and responds to each job with one
 * message.
 *
 * @module
 */
import { builtin } from "../host/builtin_modules.ts"

/** What a thread posts once it takes jobs. */
export const READY = "ready"

/** The side of a Web Worker. */
interface Scope {
  onmessage: (event: { readonly data: unknown }) => void
  readonly postMessage: (message: unknown, transfer?: ReadonlyArray<ArrayBuffer>) => void
}

/** Where messages go, in a thread that Deno, Bun or Node started. */
const portOfThread = () => {
  try {
    return builtin("node:worker_threads")().parentPort
  } catch {
    return null
  }
}

/** Takes jobs from now on: `run` gives the answer, and the buffers in it that go with it. */
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
