/** The timestamps of cells, as a column. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import {
  ArraySchema,
  Attr,
  Cells,
  Dense,
  Dim,
  Filter,
  layerNative,
  SelectionError,
  Sparse,
  TileArray,
} from "../../../mod.ts"
import { makeCounters, makeMemoryStorage, StorageService, withCounters } from "../../../platform/mod.ts"
import { packedCases } from "../../cli/packed_files.ts"
import { exactly } from "../../types/equal.ts"
import { run } from "../../support/run_query.ts"

const Points = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 999], { tile: 100, filters: [Filter.gzip()] }) },
  attrs: { a: Attr.int32({ filters: [Filter.zstd()] }) },
  capacity: 10,
})

/**
 * Writes 100 cells at time 10, every third cell again at 20 and every fifth at 30, and deletes the cells with a = 0.
 */
const points = (schema: typeof Points = Points) =>
  Effect.gen(function* () {
    const made = yield* TileArray.create("mem://points", schema)
    for (const [step, at] of [[1, 10], [3, 20], [5, 30]] as const) {
      const x = Int32Array.from({ length: Math.ceil(100 / step) }, (_, i) => i * step)
      yield* Sparse.write(made, { x, a: x.map((v) => v % 7) }, { at })
    }
    yield* Sparse.delete(yield* TileArray.reopen(made), "a == 0", { at: 40 })
    return yield* TileArray.reopen(made)
  })

describe("timestamps of cells", () => {
  it("are a column of sparse reads and streams in every order, if selected", () =>
    run(Effect.gen(function* () {
      const array = yield* points()
      const timeOf = (x: number) => x % 5 === 0 ? 30n : x % 3 === 0 ? 20n : 10n
      const expected = Array.from({ length: 100 }, (_, x) => x).filter((x) => x % 7 !== 0)
      for (const order of ["row", "col", "global", "unordered"] as const) {
        const { columns } = yield* Sparse.read(array, { select: ["x", "__timestamps"], order })
        exactly<BigUint64Array>()(columns.__timestamps)
        assertEquals([...columns.x].sort((a, b) => a - b), expected)
        assertEquals([...columns.__timestamps], Array.from(columns.x, timeOf))
        const options = { select: ["__timestamps", "a", "x"], order, memory: 20_000, where: "a > 3" } as const
        let cells = 0
        yield* Stream.runForEach(Sparse.stream(array, options), ({ columns, length }) =>
          Effect.sync(() => {
            cells += length
            assertEquals([...columns.__timestamps], Array.from(columns.x, timeOf))
          }))
        assertEquals(cells, expected.filter((x) => x % 7 > 3).length)
      }
      const whole = yield* Sparse.read(array)
      // @ts-expect-error not selected
      assertEquals(whole.columns.__timestamps, undefined)
      const early = yield* Sparse.read(array, { select: ["__timestamps"], at: 15 })
      assertEquals(new Set(early.columns.__timestamps), new Set([10n]))
      const untyped = yield* Sparse.read(TileArray.undeclare(array), { select: ["__timestamps"] })
      const { type, cellValNum, length } = untyped.columns.__timestamps
      assertEquals([type, cellValNum, length], ["uint64", 1, expected.length])
    })))

  it("are returned for all cells if duplicates are allowed", () =>
    run(Effect.gen(function* () {
      const array = yield* points({ ...Points, allowsDuplicates: true })
      const { columns } = yield* Sparse.read(array, { select: ["x", "__timestamps"], region: { x: [15, 16] } })
      const cellTimes = Array.from(columns.x, (x, i) => `${x} ${columns.__timestamps[i]}`).sort()
      assertEquals(cellTimes, ["15 10", "15 20", "15 30", "16 10"])
    })))

  it("require no reads for fragments with a single timestamp", () =>
    run(Effect.gen(function* () {
      const array = yield* points()
      const bytes = (select: ReadonlyArray<"x" | "__timestamps">) =>
        Effect.gen(function* () {
          const trace = makeCounters()
          const read = Sparse.read(array, { select })
          yield* Effect.updateService(read, StorageService, (storage) => withCounters(storage, trace))
          return trace.bytesRead
        })
      yield* bytes(["x"])
      assertEquals(yield* bytes(["x", "__timestamps"]), yield* bytes(["x"]))
    })))

  it("are read from fragments that were consolidated with timestamps", async () => {
    const { folder, files } = packedCases("v22").find(({ folder }) => folder === "v22/timestamps_consolidated")!
    const memory = makeMemoryStorage()
    for (const [path, bytes] of files) Effect.runSync(memory.write(`mem://${path}`, bytes))
    const layer = Layer.merge(Layer.succeed(StorageService, memory), layerNative)
    const cellsIn = (options: { readonly start?: number; readonly end?: number }) =>
      Effect.gen(function* () {
        const array = yield* TileArray.open(`mem://${folder}/array`, options)
        const { fields } = yield* Sparse.read(array, { select: ["x", "__timestamps"] })
        const x = Cells.values(fields.x)
        return x.map((value, i) => `${value} ${fields.__timestamps.values[i]}`)
      })
    await Effect.runPromise(Effect.provide(
      Effect.gen(function* () {
        const all = yield* cellsIn({})
        const times = new Set(all.map((cell) => Number(cell.split(" ")[1])))
        assert(times.size > 2, [...times].join())
        for (const time of times) {
          const then = new Set(yield* cellsIn({ start: time, end: time }))
          assertEquals(all.filter((cell) => cell.endsWith(` ${time}`) && !then.has(cell)), [])
          assert([...then].every((cell) => cell.endsWith(` ${time}`)), [...then].join())
        }
      }),
      layer,
    ))
  })

  it("are rejected for dense arrays", () =>
    run(Effect.gen(function* () {
      const made = yield* TileArray.create(
        "mem://dense",
        ArraySchema.dense({ dims: { r: Dim.int32([0, 9], { tile: 5 }) }, attrs: { a: Attr.int32() } }),
      )
      // @ts-expect-error dense arrays have no timestamps
      const error = yield* Effect.flip(Dense.read(made, { select: ["__timestamps"] }))
      assert(error instanceof SelectionError)
      assertStringIncludes(error.message, "__timestamps: only the cells of sparse arrays have write times")
    })))
})
