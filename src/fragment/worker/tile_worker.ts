/**
 * The module of the worker threads: filters and unfilters tiles.
 */
import { makeNativeCodecs } from "../../../platform/codecs/layers/native.ts"
import { serveJobs } from "../../../platform/workers/jobs.ts"
import { tileJobs } from "./tile_jobs.ts"

serveJobs(tileJobs, makeNativeCodecs())
