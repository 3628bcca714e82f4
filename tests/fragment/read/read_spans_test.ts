/** Spans of many tiles, decoded by many threads. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ArraySchema, Attr, Dense, Dim, Filter, layerDefault, TileArray } from "../../../mod.ts"
import { Codecs } from "../../../platform/codecs/service.ts"
import { nativeCodecs } from "../../../platform/codecs/layers/native.ts"
import { type Workers, yieldToEventLoop } from "../../../platform/workers/worker_pool.ts"
import { type JobMessage, runMessage } from "../../../platform/workers/jobs.ts"
import type { UnfilterJob } from "../../../src/tile/unfilter_job.ts"
import { tileJobs } from "../../../src/fragment/worker/tile_jobs.ts"
import { tileWorker } from "../../../src/tile/tile_workers.ts"

const SIDE = 2048
const Grid = ArraySchema.dense({
  dims: { row: Dim.int32([0, SIDE - 1], { tile: SIDE }), col: Dim.int32([0, 8 * SIDE - 1], { tile: SIDE }) },
  attrs: { a: Attr.int32({ filters: [Filter.zstd({ level: 1 })] }) },
})

/** A pool of hundreds of workers that run jobs later in this thread; counts the bytes of concurrent jobs. */
const countedWorkers = () => {
  let bytes = 0
  const seen = { jobs: 0, maxBytes: 0 }
  const workers: Workers = {
    faultIn: () => Effect.void,
    pool: (module) => ({
      concurrency: 400,
      offer: (make) => {
        if (module !== tileWorker) return undefined
        const message = make()[0] as JobMessage
        const run = () => runMessage(tileJobs, nativeCodecs, message)[0]
        if (message.kind !== "unfilter") return Effect.sync(run)
        const job = message.job as UnfilterJob
        const size = job.bytes.byteLength + job.cells.byteLength
        seen.jobs++
        bytes += size
        seen.maxBytes = Math.max(seen.maxBytes, bytes)
        return Effect.map(yieldToEventLoop, () => {
          bytes -= size
          return run()
        })
      },
    }),
  }
  return { workers, seen }
}

describe("reading spans with threads", () => {
  it("limits the bytes of concurrent jobs for any number of threads", async () => {
    const { workers, seen } = countedWorkers()
    const layer = Layer.merge(layerDefault, Layer.succeed(Codecs, Codecs.of({ ...nativeCodecs, workers })))
    const cells = Int32Array.from({ length: 8 * SIDE * SIDE }, (_, i) => i % 251)
    const folder = mkdtempSync(join(tmpdir(), "tessera-spans-"))
    const values = await Effect.runPromise(Effect.provide(
      Effect.gen(function* () {
        // files are read into transferable memory
        const grid = yield* TileArray.create(join(folder, "grid"), Grid)
        yield* Dense.write(grid, {}, { a: cells })
        return (yield* Dense.read(yield* TileArray.reopen(grid))).columns.a
      }),
      layer,
    )).finally(() => rmSync(folder, { recursive: true }))
    for (let i = 0; i < cells.length; i++) if (values[i] !== cells[i]) assertEquals([i, values[i]], [i, cells[i]])
    assert(seen.jobs >= 4, `${seen.jobs} jobs`)
    // four tiles of 16 MiB, filtered and as cells, but not all eight
    assert(seen.maxBytes < 80 * 2 ** 20, `${seen.maxBytes} bytes`)
  })
})
