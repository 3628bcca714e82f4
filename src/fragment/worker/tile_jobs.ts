/**
 * The kinds of jobs that worker threads run.
 */
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { AnyJobKind } from "../../../platform/workers/jobs.ts"
import { unfilterJobs } from "../../tile/unfilter_job.ts"
import { persistJobs } from "../store/filter_job.ts"

/** All kinds. */
export const tileJobs: ReadonlyArray<AnyJobKind<Codecs>> = [unfilterJobs, persistJobs]
