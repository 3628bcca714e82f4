/**
 * The module of the worker threads that unfilter tiles: takes an {@link UnfilterJob}, answers an {@link UnfilterAnswer}.
 */
import { nativeCodecs } from "../../platform/codecs_native.ts"
import { takeJobs } from "../../platform/thread_jobs.ts"
import { runUnfilterJob, type UnfilterJob } from "./unfilter_job.ts"

takeJobs((job: UnfilterJob) => {
  const answer = runUnfilterJob(job, nativeCodecs)
  return [answer, [answer.bytes, answer.cells]]
})
