/**
 * The module of the worker threads in Deno, Bun and Node, `@tessera/array/worker/native`: filters and unfilters tiles with
 * the native codecs.
 */
import { makeNativeCodecs } from "../../../platform/codecs/layers/native.ts"
import { serveJobs } from "../../../platform/workers/jobs.ts"
import { tileJobs } from "./tile_jobs.ts"

serveJobs(tileJobs, makeNativeCodecs())
