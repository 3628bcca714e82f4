/**
 * The module `@tessera/array/worker`, for worker threads that a program starts: filters and unfilters tiles. Threads of
 * Deno, Bun and Node use the native codecs, Web Workers of a page the portable ones.
 *
 * Both are imported statically: bundlers write the workers of a page into one script, without modules to load later.
 */
import { makeNativeCodecs } from "../../../platform/codecs/layers/native.ts"
import { portableCodecs } from "../../../platform/codecs/layers/portable.ts"
import { hasBuiltins } from "../../../platform/host/builtin_modules.ts"
import { serveJobs } from "../../../platform/workers/jobs.ts"
import { tileJobs } from "./tile_jobs.ts"

serveJobs(tileJobs, hasBuiltins() ? makeNativeCodecs() : portableCodecs)
