/**
 * The module of the worker threads that filter tiles: takes a {@link PersistJob}, answers a `PersistAnswer`.
 */
import { nativeCodecs } from "../../../platform/codecs/layers/native.ts"
import { takeJobs } from "../../../platform/workers/thread_entry.ts"
import { buffersOf, type PersistJob, runPersistJob } from "./filter_job.ts"

takeJobs((job: PersistJob) => {
  const answer = runPersistJob(job, nativeCodecs)
  return [answer, buffersOf(answer)]
})
