/**
 * The module of the worker threads that unfilter tiles: takes an {@link UnfilterJob}, answers an {@link UnfilterAnswer}.
 */
import { nativeCodecs } from "../../platform/codecs_native.ts"
import { READY } from "../../platform/workers.ts"
import { runUnfilterJob, type UnfilterJob } from "./unfilter_job.ts"

const scope = globalThis as unknown as {
  onmessage: (event: { readonly data: UnfilterJob }) => void
  postMessage: (message: unknown, transfer?: ReadonlyArray<ArrayBuffer>) => void
}

scope.onmessage = ({ data }) => {
  const answer = runUnfilterJob(data, nativeCodecs)
  scope.postMessage(answer, [answer.bytes, answer.cells])
}
scope.postMessage(READY)
