/**
 * Streams an array under a budget: `read.ts URI ORDER MEMORY [WHERE]`. Prints one line of JSON: the number of cells and
 * bytes, a sum of the cells, and the increase of peak resident memory since before the array was opened.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import process from "node:process"
import { type Cells, Dense, layerDefault, Sparse, TileArray } from "../../../mod.ts"

/** Returns the peak resident memory of the process, in bytes. */
const peak = (): number => 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))![1])

const [uri, order, memory, where] = process.argv.slice(2)
const totals = { batches: 0, cells: 0, bytes: 0, sum: 0 }

const add = (columns: Readonly<Record<string, Cells.Column>>): void => {
  totals.batches++
  totals.cells += columns.a.length
  for (const { values } of Object.values(columns)) totals.bytes += values.byteLength
  // cells that do not match the condition are NaN, the fill value
  for (const value of columns.a.values as Float64Array) if (value === value) totals.sum += value
}

const program = Effect.gen(function* () {
  const array = yield* TileArray.open(uri)
  const options = { order: order as "row", memory: Number(memory), ...(where === undefined ? {} : { where }) }
  yield* array.schema.arrayType === "dense"
    ? Stream.runForEach(Dense.stream(array, options), (batch) => Effect.sync(() => add(batch.fields)))
    : Stream.runForEach(Sparse.stream(array, options), (batch) => Effect.sync(() => add(batch.fields)))
})

const before = peak()
await Effect.runPromise(Effect.provide(program, layerDefault))
console.log(JSON.stringify({ ...totals, peak: peak() - before }))
