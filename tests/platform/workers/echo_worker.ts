/** A worker for tests: returns each message, and fails on request. */
import { takeJobs } from "../../../platform/workers/thread_entry.ts"

takeJobs((job: { readonly fail?: true; readonly bytes: ArrayBuffer }) => {
  if (job.fail === true) throw new Error("told to")
  return [job, [job.bytes]]
})
