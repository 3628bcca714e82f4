/** A worker for tests: answers what it is sent, and breaks down if it is told to. */
import { takeJobs } from "../../../platform/workers/thread_entry.ts"

takeJobs((job: { readonly fail?: true; readonly bytes: ArrayBuffer }) => {
  if (job.fail === true) throw new Error("told to")
  return [job, [job.bytes]]
})
