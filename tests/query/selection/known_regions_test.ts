/** Regions that TileDB-Py's tests of multi_index and of current domains verify, with arrays of our own. */
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { ArraySchema, Attr, Dense, Dim, layerDefault, SelectionError, Sparse, TileArray } from "../../../mod.ts"
import type { Services } from "../../support/run_query.ts"

const runtime = ManagedRuntime.make(layerDefault)
const run = <A, E>(effect: Effect.Effect<A, E, Services>): Promise<A> => runtime.runPromise(effect)

const count = (length: number, from = 0) => Array.from({ length }, (_, i) => from + i)

describe("regions as in TileDB-Py", () => {
  it("of one dense dimension include both ends, and may have several ranges", () =>
    run(Effect.gen(function* () {
      const schema = ArraySchema.dense({ dims: { x: Dim.uint64([0, 35], { tile: 35 }) }, attrs: { a: Attr.int64() } })
      const made = yield* TileArray.create("mem://line", schema)
      yield* Dense.write(made, { x: [0, 34] }, { a: BigInt64Array.from(count(35), BigInt) })
      yield* Dense.write(made, { x: 35 }, { a: BigInt64Array.of(35n) })
      const array = yield* TileArray.reopen(made)
      for (
        const [ranges, expected] of [
          [{ x: [0, 0] }, [0]],
          [{ x: [[1, 1], [5, 8]] }, [1, 5, 6, 7, 8]],
          [{ x: 35 }, [35]],
          [{ x: [30, 35] }, [30, 31, 32, 33, 34, 35]],
          [{ x: { points: [17, 3, 3, 21] } }, [3, 17, 21]],
          [{ x: { points: [] } }, []],
          [{}, count(36)],
        ] as const
      ) {
        const { columns } = yield* Dense.read(array, { region: ranges })
        assertEquals([...columns.a].map(Number), [...expected])
      }
    })))

  it("of two dense dimensions select rows and columns", () =>
    run(Effect.gen(function* () {
      const schema = ArraySchema.dense({
        dims: { y: Dim.uint64([0, 8], { tile: 8 }), x: Dim.uint64([0, 3], { tile: 4 }) },
        attrs: { a: Attr.int32() },
      })
      const made = yield* TileArray.create("mem://table", schema)
      yield* Dense.write(made, {}, { a: Int32Array.from(count(36, 1)) })
      const array = yield* TileArray.reopen(made)
      for (
        const [ranges, shape, expected] of [
          [{ y: [[0, 0], [5, 8]] }, [5, 4], [...count(4, 1), ...count(16, 21)]],
          [{ y: [0, 4], x: [0, 3] }, [5, 4], count(20, 1)],
          [{ y: [0, 0] }, [1, 4], [1, 2, 3, 4]],
          [{ x: [0, 0] }, [9, 1], count(9).map((i) => 1 + 4 * i)],
          [{ y: 1 }, [1, 4], [5, 6, 7, 8]],
          [{ x: [1, 1] }, [9, 1], count(9).map((i) => 2 + 4 * i)],
          [{ y: 8 }, [1, 4], [33, 34, 35, 36]],
          [{ x: 3 }, [9, 1], count(9).map((i) => 4 + 4 * i)],
          [{ y: [[0, 3]], x: [[2, 3]] }, [4, 2], count(4).flatMap((i) => [3 + 4 * i, 4 + 4 * i])],
        ] as const
      ) {
        const read = yield* Dense.read(array, { region: ranges })
        assertEquals([read.shape, [...read.columns.a]], [[...shape], [...expected]])
      }
    })))

  it("of floats include the cells at both ends", () =>
    run(Effect.gen(function* () {
      const schema = ArraySchema.sparse({
        dims: { y: Dim.float32([0, 10], { tile: 1 }), x: Dim.float64([-1, 0.7999999999999996], { tile: 1.5 }) },
        attrs: { a: Attr.float64() },
      })
      const steps = [-1, -0.8, -0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6, 0.7999999999999996]
      const cells = count(11).flatMap((y) => steps.map((x, i) => ({ y, x, a: 10 * y + i })))
      const made = yield* TileArray.create("mem://floats", schema)
      yield* Sparse.write(made, {
        y: Float32Array.from(cells, ({ y }) => y),
        x: Float64Array.from(cells, ({ x }) => x),
        a: Float64Array.from(cells, ({ a }) => a),
      })
      const array = yield* TileArray.reopen(made)
      const cellsIn = (
        ranges: Parameters<typeof Sparse.read<typeof schema>>[1] extends infer O ? NonNullable<O> : never,
      ) => Effect.map(Sparse.read(array, ranges), ({ columns }) => [...columns.a])
      assertEquals(yield* cellsIn({ region: { y: 0 } }), count(10))
      assertEquals(yield* cellsIn({ region: { y: [0, 2], x: [-0.6, 0] } }), [
        2,
        3,
        4,
        5,
        12,
        13,
        14,
        15,
        22,
        23,
        24,
        25,
      ])
      assertEquals(yield* cellsIn({ region: { y: [[0, 2], [5, 5]], x: 0.7999999999999996 } }), [9, 19, 29, 59])
      assertEquals((yield* cellsIn({})).length, 110)
    })))

  for (
    const [type, top] of [["uint8", 255n], ["uint16", 65535n], ["uint32", 2n ** 32n - 1n], [
      "uint64",
      2n ** 64n - 1n,
    ]] as const
  ) {
    it(`reach the end of ${type}`, () =>
      run(Effect.gen(function* () {
        const schema = ArraySchema.sparse({
          dims: { x: Dim.of(type, [0n, top - 1n] as never, { tile: 1n as never }) },
          attrs: { a: Attr.uint64() },
        })
        const made = TileArray.undeclare(yield* TileArray.create(`mem://${type}`, schema))
        const places = count(100).map((i) => BigInt(i) * (top - 1n) / 99n)
        const asIs = type === "uint64" ? places : places.map(Number)
        yield* Sparse.write(made, { x: asIs, a: BigUint64Array.from(places) })
        const array = yield* TileArray.reopen(made)
        const cellsIn = (from: number, to: number) =>
          Effect.map(
            Sparse.read(array, { region: { x: [asIs[from], asIs[to]] } }),
            ({ columns }) => [...columns.a.values],
          )
        for (const [from, to] of [[0, 99], [0, 0], [99, 99], [30, 70]] as const) {
          assertEquals(yield* cellsIn(from, to), places.slice(from, to + 1))
        }
      })))
  }

  it("of dates include both dates", () =>
    run(Effect.gen(function* () {
      const days = [5, 17, 100, 101, 400, 4000]
      const schema = ArraySchema.sparse({ dims: { t: Dim.datetime("day", [5n, 4000n]) }, attrs: { a: Attr.int32() } })
      const made = yield* TileArray.create("mem://dates", schema)
      yield* Sparse.write(made, { t: BigInt64Array.from(days, BigInt), a: Int32Array.from(days) })
      const array = yield* TileArray.reopen(made)
      for (let i = 0; i + 1 < days.length; i++) {
        const [from, to] = [days[i], days[i + 1]].map((day) => new Date(day * 86_400_000))
        assertEquals([...(yield* Sparse.read(array, { region: { t: [from, to] } })).columns.a], days.slice(i, i + 2))
      }
    })))

  it("of some dimensions select the whole domain of the others, also with strings", () =>
    run(Effect.gen(function* () {
      const schema = ArraySchema.sparse({
        dims: { i: Dim.int32([0, 4], { tile: 5 }), s: Dim.ascii() },
        attrs: { a: Attr.int32() },
      })
      const made = yield* TileArray.create("mem://mixed", schema)
      const s = ["a", "b", "ab", "ab", "c", "c", "c", "c", "d", "e"]
      yield* Sparse.write(made, { i: Int32Array.from(count(10), (k) => k % 5), s, a: Int32Array.from(count(10)) })
      const array = yield* TileArray.reopen(made)
      const cellsIn = (
        region: { readonly i?: number | readonly [number, number]; readonly s?: readonly [string, string] },
      ) => Effect.map(Sparse.read(array, { region }), ({ columns }) => [...columns.a].sort((x, y) => x - y))
      assertEquals(yield* cellsIn({}), count(10))
      assertEquals(yield* cellsIn({ i: [1, 3] }), [1, 2, 3, 6, 7, 8])
      assertEquals(yield* cellsIn({ i: 0 }), [0, 5])
      assertEquals(yield* cellsIn({ i: [1, 3], s: ["b", "c"] }), [1, 6, 7])
    })))

  it("without written cells are empty", () =>
    run(Effect.gen(function* () {
      const schema = ArraySchema.sparse({
        dims: { x: Dim.uint64([0n, 2n ** 64n - 2n], { tile: 1n }) },
        attrs: { a: Attr.uint64() },
      })
      const made = yield* TileArray.create("mem://few", schema)
      assertEquals((yield* Sparse.read(made, { region: { x: [0, 4] } })).length, 0)
      assertEquals((yield* Sparse.read(made)).length, 0)
      yield* Sparse.write(made, { x: BigUint64Array.of(10n), a: BigUint64Array.of(10n) }, { at: 2 })
      const now = yield* TileArray.reopen(made)
      const countIn = (x: readonly [number, number]) =>
        Effect.map(Sparse.read(now, { region: { x } }), ({ length }) => length)
      assertEquals([yield* countIn([0, 4]), yield* countIn([0, 9]), yield* countIn([1, 10]), yield* countIn([0, 11])], [
        0,
        0,
        1,
        1,
      ])
      const before = yield* TileArray.open("mem://few", { at: 1 })
      assertEquals([TileArray.nonEmptyDomain(before), (yield* Sparse.read(before)).length], [undefined, 0])
    })))
})

describe("current domains as in TileDB-Py", () => {
  it("bound reads of dense arrays, and can be expanded", () =>
    run(Effect.gen(function* () {
      const schema = ArraySchema.dense({
        dims: { y: Dim.int64([0, 99], { tile: 20 }), x: Dim.int64([0, 99], { tile: 20 }) },
        attrs: { a: Attr.int32() },
        currentDomain: { y: [10, 20], x: [30, 35] },
      })
      const made = yield* TileArray.create("mem://current", schema)
      const cells = count(11, 10).flatMap((y) => count(6, 30).map((x) => 100 * y + x))
      yield* Dense.write(made, { y: [10, 20], x: [30, 35] }, { a: Int32Array.from(cells) })
      const array = yield* TileArray.reopen(made)
      assertEquals([...(yield* Dense.read(array)).columns.a], cells)
      const inner = yield* Dense.read(array, { region: { y: [11, 13], x: [33, 34] } })
      assertEquals([...inner.columns.a], [1133, 1134, 1233, 1234, 1333, 1334])
      const error = yield* Effect.flip(Dense.read(array, { region: { y: [11, 55], x: [33, 34] } }))
      assert(error instanceof SelectionError && error.message.includes("current domain"), String(error))
      yield* TileArray.evolve(array, { currentDomain: { y: [5, 60], x: [30, 40] } })
      const grown = yield* TileArray.reopen(TileArray.undeclare(array))
      const wide = yield* Dense.read(grown, { region: { y: [20, 55], x: [33, 34] } })
      assertEquals([wide.shape, [...wide.columns.a.values].slice(0, 3)], [[36, 2], [2033, 2034, -(2 ** 31)]])
    })))

  it("bound writes of sparse arrays", () =>
    run(Effect.gen(function* () {
      const schema = ArraySchema.sparse({
        dims: { x: Dim.int64([1, 999], { tile: 2 }), s: Dim.ascii() },
        attrs: { a: Attr.int64() },
        currentDomain: { x: [10, 20], s: ["a", "c"] },
      })
      const made = TileArray.undeclare(yield* TileArray.create("mem://bound", schema))
      const cell = (x: number, s: string) => ({ x: [x], s: [s], a: [1] })
      yield* Sparse.write(made, cell(10, "b"))
      for (const [x, s] of [[21, "b"], [9, "b"], [15, "d"]] as const) {
        const error = yield* Effect.flip(Sparse.write(made, cell(x, s)))
        assert(error.message.includes("current domain"), String(error))
      }
      yield* TileArray.evolve(made, { currentDomain: { x: [5, 30], s: ["a", "e"] } })
      const grown = yield* TileArray.reopen(made)
      yield* Sparse.write(grown, cell(21, "d"))
      assertEquals((yield* Sparse.read(yield* TileArray.reopen(grown))).length, 2)
    })))
})
