/**
 * Writes an array in batches under a budget: `write.ts URI dense|global|unordered MEMORY BATCHES`. Prints one line of
 * JSON: the number of cells and bytes, and the increase of peak resident memory.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import process from "node:process"
import { ArraySchema, Attr, Dense, Dim, Filter, layerDefault, Sparse, TileArray } from "../../../mod.ts"

const [uri, kind, budget, count] = process.argv.slice(2)

/** Cells per batch, and number of batches. A batch has three columns and 1.5 MiB, in dense and in sparse arrays. */
const BATCH = 1 << 16
const BATCHES = Number(count)

const Grid = ArraySchema.dense({
  dims: { row: Dim.uint32([0, 64 * BATCHES - 1], { tile: 64 }), column: Dim.uint32([0, 1023], { tile: 1024 }) },
  attrs: {
    n: Attr.float64({ filters: [Filter.zstd({ level: 1 })] }),
    m: Attr.float64(),
    s: Attr.ascii({ filters: [Filter.zstd({ level: 1 })] }),
  },
})
const Points = ArraySchema.sparse({
  dims: { x: Dim.uint64([0n, 2n ** 40n]) },
  attrs: {
    n: Attr.float64({ filters: [Filter.zstd({ level: 1 })] }),
    s: Attr.ascii({ filters: [Filter.zstd({ level: 1 })] }),
  },
})

const numbers = (batch: number, step: number): Float64Array =>
  Float64Array.from({ length: BATCH }, (_, i) => (batch * BATCH + i) * step)

/** Texts of eight bytes. */
const texts = (batch: number) => ({
  values: new Uint8Array(8 * BATCH).fill(0x61 + batch % 26),
  offsets: Uint32Array.from({ length: BATCH + 1 }, (_, i) => 8 * i),
})

/** Returns coordinates: ascending, or scattered over the whole range. */
const coordinates = (batch: number): BigUint64Array =>
  BigUint64Array.from({ length: BATCH }, (_, i) => {
    const at = batch * BATCH + i
    return BigInt(kind === "global" ? at : (at * 7919) % (BATCH * BATCHES))
  })

// chunks of one element: Stream.map maps whole chunks
const batches = Stream.range(0, BATCHES - 1, 1)

const program = kind === "dense"
  ? Effect.flatMap(TileArray.create(uri, Grid), (array) =>
    Stream.run(
      Stream.map(batches, (b) => ({ n: numbers(b, 1), m: numbers(b, 0.5), s: texts(b) })),
      Dense.sink(array, {}),
    ))
  : Effect.flatMap(TileArray.create(uri, Points), (array) =>
    Stream.run(
      Stream.map(batches, (b) => ({ x: coordinates(b), n: numbers(b, 1), s: texts(b) })),
      Sparse.sink(array, { order: kind === "global" ? "global" : "unordered", memory: Number(budget) }),
    ))

/** Returns the peak resident memory of the process, in bytes. */
const peak = (): number => 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))![1])

const before = peak()
const { cells } = await Effect.runPromise(Effect.provide(program, layerDefault))
console.log(JSON.stringify({ cells, bytes: 24 * cells, batches: BATCHES, sum: 0, peak: peak() - before }))
