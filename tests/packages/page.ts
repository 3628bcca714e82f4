/**
 * The program that `run.ts` runs in a browser page: worker threads that the page starts, with the portable codecs. Sends
 * one line of JSON to the server of the page.
 */
import { ArraySchema, Attr, Dense, Dim, Filter, TileArray } from "@tessera/array"
import { layerDefault, layerWorkers, Metrics } from "@tessera/array/platform"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"

const side = 2048
const Grid = ArraySchema.dense({
  dims: { row: Dim.int32([0, side - 1], { tile: side / 4 }), column: Dim.int32([0, side - 1], { tile: side / 4 }) },
  // the native codecs of a thread would need node:zlib and node:crypto for these
  attrs: { height: Attr.float64({ filters: [Filter.gzip({ level: 1 }), Filter.checksum_sha256()] }) },
})

let started = 0
let errors = 0
/** The number of jobs that the threads finished, and of jobs that the page had to repeat. */
const jobs = { finished: 0, repeated: 0 }
const start = (): Worker => {
  started++
  const worker = new Worker(new URL("@tessera/array/worker", import.meta.url), { type: "module" })
  worker.addEventListener("error", () => errors++)
  worker.addEventListener("message", ({ data }) => {
    if (typeof data !== "object") return
    jobs[data.done === true || data.persisted !== undefined ? "finished" : "repeated"]++
  })
  return worker
}
const layer = Layer.provideMerge(layerWorkers(start, { threads: 2 }), layerDefault)

const program = Effect.gen(function* () {
  const grid = yield* TileArray.create("mem://grid", Grid)
  const height = Float64Array.from({ length: side * side }, (_, i) => i % 1000)
  yield* Dense.write(grid, {}, { height })
  let equal = true
  for (let i = 0; i < 4; i++) {
    const { columns } = yield* Dense.read(yield* TileArray.open("mem://grid", Grid))
    equal = equal && columns.height.length === height.length &&
      columns.height.every((value, at) => value === height[at])
    // threads start between two reads
    yield* Effect.sleep("200 millis")
  }
  const lost = (yield* Metric.value(Metrics.workersLost)).count
  return { equal, started, errors, lost, repeated: jobs.repeated, threads: jobs.finished > 0 }
})

const report = (result: unknown): Promise<Response> =>
  fetch("/result", { method: "POST", body: JSON.stringify(result) })

Effect.runPromise(Effect.provide(program, layer)).then(report, (error) => report({ error: String(error) }))
