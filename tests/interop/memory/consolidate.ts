/**
 * Consolidates overlapping fragments under a budget: `consolidate.ts write|run URI dense|sparse MEMORY BATCHES`. `write`
 * creates the array in a process of its own, because the peak of a process never decreases. `run` prints one line of
 * JSON: the number of cells and bytes of the result, and the increase of peak resident memory.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import process from "node:process"
import { ArraySchema, Attr, Dense, Dim, Filter, layerDefault, Sparse, TileArray } from "../../../mod.ts"

const [action, uri, kind, budget, count] = process.argv.slice(2)

/** Cells per batch, and number of batches of the result. */
const BATCH_SIZE = 1 << 16
const BATCHES = Number(count)

/** Number of sparse fragments. It does not depend on the size of the array, and their cells alternate. */
const FRAGMENTS = 4

const Grid = ArraySchema.dense({
  dims: { row: Dim.uint32([0, 64 * BATCHES - 1], { tile: 64 }), column: Dim.uint32([0, 1023], { tile: 1024 }) },
  attrs: { n: Attr.float64({ filters: [Filter.zstd({ level: 1 })] }), m: Attr.float64() },
})
const Points = ArraySchema.sparse({
  dims: { x: Dim.uint64([0n, 2n ** 40n]) },
  attrs: { n: Attr.float64({ filters: [Filter.zstd({ level: 1 })] }) },
})

const numbers = (batch: number, step: number): Float64Array =>
  Float64Array.from({ length: BATCH_SIZE }, (_, i) => (batch * BATCH_SIZE + i) * step)

// chunks of one element: Stream.map maps whole chunks
const range = (from: number, to: number) => Stream.range(from, to - 1, 1)

/** Writes all rows, and then the middle half of them again. */
const writeDense = Effect.gen(function* () {
  const array = yield* TileArray.create(uri, Grid, { at: 1 })
  const quarter = BATCHES / 4
  for (const [from, to, at] of [[0, BATCHES, 2], [quarter, 3 * quarter, 3]]) {
    const batches = Stream.map(range(from, to), (b) => ({ n: numbers(b, at), m: numbers(b, at / 2) }))
    yield* Stream.run(batches, Dense.sink(array, { row: [64 * from, 64 * to - 1] }, { at }))
  }
})

/** Writes fragments whose cells alternate in global order. */
const writeSparse = Effect.gen(function* () {
  const array = yield* TileArray.create(uri, Points, { at: 1 })
  for (let fragment = 0; fragment < FRAGMENTS; fragment++) {
    const batches = Stream.map(range(0, BATCHES / FRAGMENTS), (b) => ({
      x: BigUint64Array.from(
        { length: BATCH_SIZE },
        (_, i) => BigInt((b * BATCH_SIZE + i) * FRAGMENTS + fragment),
      ),
      n: numbers(b, 1),
    }))
    yield* Stream.run(batches, Sparse.sink(array, { order: "global", at: 2 + fragment }))
  }
})

/** Returns the peak resident memory of the process, in bytes. */
const peak = (): number => 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))![1])

if (action === "write") {
  await Effect.runPromise(Effect.provide(kind === "dense" ? writeDense : writeSparse, layerDefault))
} else {
  const before = peak()
  let cells = 0
  const onProgress = (progress: number) => void (cells = progress)
  const consolidation = TileArray.consolidate(uri, { memory: Number(budget), onProgress })
  const { written } = await Effect.runPromise(Effect.provide(consolidation, layerDefault))
  console.log(JSON.stringify({ cells, bytes: 16 * cells, batches: written.length, sum: 0, peak: peak() - before }))
}
