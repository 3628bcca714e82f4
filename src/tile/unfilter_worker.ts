/**
 * The module of the worker threads that unfilter tiles: takes an {@link UnfilterJob}, answers an
 * {@link UnfilterAnswer}.
 */
import { nativeCodecs } from "../../platform/codecs/layers/native.ts"
import { takeJobs } from "../../platform/workers/thread_entry.ts"
import { runUnfilterJob, type UnfilterJob } from "./unfilter_job.ts"

takeJobs((job: UnfilterJob) => {
  const answer = runUnfilterJob(job, nativeCodecs)
  return [answer, [answer.bytes, answer.cells]]
})
