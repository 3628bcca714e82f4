/** The program that `run.ts` runs in each form of the package. Prints one line of JSON. */
import { ArraySchema, Attr, Dense, Dim, Filter, Sparse, TileArray } from "@tessera/array"
import { layerDefault, Metrics } from "@tessera/array/platform"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Stream from "effect/Stream"

const side = 2048
const Grid = ArraySchema.dense({
  dims: { row: Dim.int32([0, 4 * side - 1], { tile: side / 4 }), column: Dim.int32([0, side - 1], { tile: side / 4 }) },
  attrs: { height: Attr.float64({ filters: [Filter.zstd({ level: 1 })] }) },
})
const Points = ArraySchema.sparse({
  dims: { x: Dim.float64([0, 100]) },
  attrs: { name: Attr.utf8() },
})

const program = Effect.gen(function* () {
  const grid = yield* TileArray.create("mem://grid", Grid)
  const height = Float64Array.from({ length: 4 * side * side }, (_, i) => i % 1000)
  yield* Dense.write(grid, {}, { height })
  const sizes: Array<number> = []
  // threads start one by one, so that only several reads give jobs to all of them
  for (let i = 0; i < 4; i++) {
    const { columns } = yield* Dense.read(yield* TileArray.open("mem://grid", Grid))
    const typed: Float64Array = columns.height
    sizes.push(typed.length)
  }
  const streamed = yield* Stream.runFold(
    Dense.stream(yield* TileArray.open("mem://grid", Grid), { memory: 2 ** 24 }),
    0,
    (sum, { columns }) => sum + columns.height.length,
  )
  const points = yield* TileArray.create("mem://points", Points)
  yield* Sparse.write(points, { x: [2.5, 1.5], name: ["b", "a"] })
  const { columns: { x } } = yield* Sparse.read(yield* TileArray.open("mem://points", Points))
  const jobs = (yield* Metric.value(Metrics.workerJobs)).count
  return { sizes, streamed, x: [...x], threads: jobs > 0 }
})

console.log(JSON.stringify(await Effect.runPromise(Effect.provide(program, layerDefault))))
