/** Aggregates that TileDB-Py's tests verify, with arrays of our own. */
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import {
  Aggregate,
  ArraySchema,
  Attr,
  Dense,
  Dim,
  layerDefault,
  SelectionError,
  Sparse,
  TileArray,
} from "../../../mod.ts"
import { arrayOf } from "../../../schema/array/datatype.ts"
import type { Services } from "../../support/run_query.ts"

const runtime = ManagedRuntime.make(layerDefault)
const run = <A, E>(effect: Effect.Effect<A, E, Services>): Promise<A> => runtime.runPromise(effect)

const dims = { d: Dim.int32([0, 9], { tile: 4 }) }
const d = Int32Array.from({ length: 10 }, (_, i) => i)

const integers = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"] as const
const floats = ["float32", "float64"] as const

const aggregates = {
  count: Aggregate.count(),
  sum: Aggregate.sum("a"),
  min: Aggregate.min("a"),
  max: Aggregate.max("a"),
  mean: Aggregate.mean("a"),
} as const

type Numbers = ReadonlyArray<number | bigint>

/**
 * Writes the same cells to a dense and a sparse array. Returns a function that aggregates both arrays and checks that
 * the results are equal.
 */
const both = (type: (typeof integers)[number] | (typeof floats)[number], cells: Numbers) =>
  Effect.gen(function* () {
    const a = new (arrayOf(type))(10)
    cells.forEach((cell, i) => a[i] = cell as never)
    const uri = `mem://${type}/${cells.join()}`
    const attrs = { a: Attr.of(type) }
    const dense = TileArray.undeclare(yield* TileArray.create(`${uri}/dense`, ArraySchema.dense({ dims, attrs })))
    yield* Dense.write(dense, {}, { a })
    const sparse = TileArray.undeclare(
      yield* TileArray.create(`${uri}/sparse`, ArraySchema.sparse({ dims, attrs, capacity: 3 })),
    )
    yield* Sparse.write(sparse, { d, a })
    const [denseNow, sparseNow] = [yield* TileArray.reopen(dense), yield* TileArray.reopen(sparse)]
    return (region: { readonly d?: readonly [number, number] }, where?: string) =>
      Effect.gen(function* () {
        const answer = { ...(yield* Sparse.aggregate(sparseNow, aggregates, { region, where })) }
        assertEquals({ ...(yield* Dense.aggregate(denseNow, aggregates, { region, where })) }, answer)
        return answer
      })
  })

/** Computes the same aggregates from a list. */
const naive = (cells: Numbers, isFloat: boolean) => {
  const numbers = cells.map(Number)
  const total = numbers.reduce((sum, cell) => sum + cell, 0)
  const pick = (of: (a: number, b: number) => boolean) =>
    cells.length === 0 ? null : cells.reduce((a, b) => of(Number(b), Number(a)) ? b : a)
  return {
    count: cells.length,
    sum: isFloat ? total : cells.reduce<bigint>((sum, cell) => sum + BigInt(cell), 0n),
    min: pick((a, b) => a < b),
    max: pick((a, b) => a > b),
    mean: cells.length === 0 ? null : total / cells.length,
  }
}

const some = [4, 1, 9, 3, 7, 7, 2, 8, 5, 6]
const of = (type: string, cells: ReadonlyArray<number>): Numbers =>
  /64/.test(type) && type !== "float64" ? cells.map(BigInt) : cells

describe("aggregates as in TileDB-Py", () => {
  for (const type of [...integers, ...floats]) {
    it(`of ${type} cover the whole array, a region, or the cells that match a condition`, () =>
      run(Effect.gen(function* () {
        const isFloat = type.startsWith("float")
        const cells = of(type, some)
        const aggregate = yield* both(type, cells)
        assertEquals(yield* aggregate({}), naive(cells, isFloat))
        assertEquals(yield* aggregate({ d: [4, 6] }), naive(cells.slice(4, 7), isFloat))
        assertEquals(yield* aggregate({}, "a < 5"), naive(cells.filter((cell) => cell < 5), isFloat))
        assertEquals(
          yield* aggregate({ d: [4, 6] }, "a < 5"),
          naive(cells.slice(4, 7).filter((cell) => cell < 5), isFloat),
        )
        // without cells, the minimum, maximum and mean are null
        assertEquals(yield* aggregate({}, "a > 10"), naive([], isFloat))
      })))
  }

  it("sum the largest and the smallest integers", () =>
    run(Effect.gen(function* () {
      for (
        const [type, cell] of [["uint8", 255], ["int8", -128], ["uint32", 2 ** 32 - 1], ["int32", -(2 ** 31)]] as const
      ) {
        const cells = Array(10).fill(cell)
        assertEquals(yield* (yield* both(type, cells))({}), naive(cells, false))
      }
      // sums saturate at 64 bits, means do not
      const largest = yield* (yield* both("int64", Array(10).fill(2n ** 63n - 1n)))({})
      assertEquals([largest.sum, largest.mean], [2n ** 63n - 1n, 2 ** 63])
      const smallest = yield* (yield* both("int64", Array(10).fill(-(2n ** 63n))))({ d: [1, 2] })
      assertEquals([smallest.sum, smallest.mean], [-(2n ** 63n), -(2 ** 63)])
      const unsigned = yield* (yield* both("uint64", Array(10).fill(2n ** 64n - 1n)))({})
      assertEquals([unsigned.sum, unsigned.mean], [2n ** 64n - 1n, 2 ** 64])
    })))

  it("ignore nulls, and count them", () =>
    run(Effect.gen(function* () {
      const attrs = { i: Attr.nullable(Attr.int64()), f: Attr.nullable(Attr.float64()) }
      const validity = Uint8Array.from(d, (i) => i === 5 || i === 7 ? 0 : 1)
      const cells = {
        i: { values: BigInt64Array.from(d, (k) => BigInt(k * k)), validity },
        f: { values: Float64Array.from(d, (k) => k / 2), validity },
      }
      const dense = yield* TileArray.create("mem://nulls/dense", ArraySchema.dense({ dims, attrs }))
      yield* Dense.write(dense, {}, cells)
      const sparse = yield* TileArray.create("mem://nulls/sparse", ArraySchema.sparse({ dims, attrs, capacity: 3 }))
      yield* Sparse.write(sparse, { d, ...cells })
      const [denseNow, sparseNow] = [yield* TileArray.reopen(dense), yield* TileArray.reopen(sparse)]
      const nullableAggregates = {
        count: Aggregate.count(),
        sum: Aggregate.sum("i"),
        min: Aggregate.min("f"),
        max: Aggregate.max("i"),
        mean: Aggregate.mean("f"),
        nulls: Aggregate.nullCount("i"),
      }
      for (const [low, high] of [[0, 0], [0, 5], [5, 7], [5, 5], [6, 9], [7, 7], [0, 9]] as const) {
        const ranges = { d: [low, high] } as const
        const inRange = [...d].filter((i) => i >= low && i <= high)
        const valid = inRange.filter((i) => validity[i] === 1)
        const expected = {
          count: inRange.length,
          sum: BigInt(valid.reduce((sum, k) => sum + k * k, 0)),
          min: valid.length === 0 ? null : valid[0] / 2,
          max: valid.length === 0 ? null : BigInt(valid[valid.length - 1] ** 2),
          mean: valid.length === 0 ? null : valid.reduce((sum, k) => sum + k / 2, 0) / valid.length,
          nulls: inRange.length - valid.length,
        }
        assertEquals({ ...(yield* Dense.aggregate(denseNow, nullableAggregates, { region: ranges })) }, expected)
        assertEquals({ ...(yield* Sparse.aggregate(sparseNow, nullableAggregates, { region: ranges })) }, expected)
      }
    })))

  it("of unwritten regions are aggregates of no cells", () =>
    run(Effect.gen(function* () {
      const attrs = { a: Attr.float64() }
      const dense = yield* TileArray.create("mem://empty/dense", ArraySchema.dense({ dims, attrs }))
      yield* Dense.write(dense, { d: [0, 4] }, { a: Float64Array.of(1, 2, 3, 4, 5) })
      const sparse = yield* TileArray.create("mem://empty/sparse", ArraySchema.sparse({ dims, attrs }))
      yield* Sparse.write(sparse, { d: Int32Array.of(0, 1), a: Float64Array.of(1, 2) })
      const ofNoCells = { sum: 0, min: null, max: null, mean: null }
      const { count: _, ...withoutCount } = aggregates
      const ranges = { d: [6, 9] } as const
      assertEquals(
        { ...(yield* Dense.aggregate(yield* TileArray.reopen(dense), withoutCount, { region: ranges })) },
        ofNoCells,
      )
      assertEquals(
        { ...(yield* Sparse.aggregate(yield* TileArray.reopen(sparse), withoutCount, { region: ranges })) },
        ofNoCells,
      )
    })))

  it("may combine several attributes", () =>
    run(Effect.gen(function* () {
      const attrs = { i: Attr.int64(), f: Attr.float64(), s: Attr.utf8() }
      const array = yield* TileArray.create("mem://several", ArraySchema.sparse({ dims, attrs }))
      const [i, f, s] = [BigInt64Array.from(some, BigInt), Float64Array.from(some), some.map(String)]
      yield* Sparse.write(array, { d, i, f, s })
      const now = TileArray.undeclare(yield* TileArray.reopen(array))
      const several = {
        count: Aggregate.count(),
        sum: Aggregate.sum("i"),
        high: Aggregate.max("f"),
        low: Aggregate.min("f"),
        mean: Aggregate.mean("f"),
        // the engine does not support minima and maxima of UTF-8
        first: Aggregate.min("s"),
      }
      assertEquals({ ...(yield* Sparse.aggregate(now, several)) }, {
        count: 10,
        sum: 52n,
        high: 9,
        low: 1,
        mean: 5.2,
        first: "1",
      })
      for (const make of [Aggregate.sum, Aggregate.mean]) {
        const error = yield* Effect.flip(Sparse.aggregate(now, { it: make("s") }))
        assert(error instanceof SelectionError && error.message.includes("string_utf8"), String(error))
      }
    })))
})
