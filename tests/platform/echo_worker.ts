/** A worker for tests: answers what it is sent, waits if it is told to, and breaks down if it is told to. */
import { READY } from "../../platform/workers.ts"

const scope = globalThis as unknown as {
  onmessage: (event: { readonly data: { readonly fail?: true; readonly bytes: ArrayBuffer } }) => void
  postMessage: (message: unknown, transfer?: ReadonlyArray<ArrayBuffer>) => void
}
scope.onmessage = ({ data }) => {
  if (data.fail === true) throw new Error("told to")
  scope.postMessage(data, [data.bytes])
}
scope.postMessage(READY)
