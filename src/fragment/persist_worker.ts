/**
 * The module of the worker threads that filter tiles: takes a {@link PersistJob}, answers a `PersistAnswer`.
 */
import { nativeCodecs } from "../../platform/codecs_native.ts"
import { takeJobs } from "../../platform/thread_jobs.ts"
import { buffersOf, type PersistJob, runPersistJob } from "./persist_job.ts"

takeJobs((job: PersistJob) => {
  const answer = runPersistJob(job, nativeCodecs)
  return [answer, buffersOf(answer)]
})
