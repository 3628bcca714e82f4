/** The options of a query: the effect of `limit`, `memory` and `at` on every operation, and rejected options. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import {
  Aggregate,
  ArraySchema,
  Attr,
  Cells,
  Dense,
  Dim,
  Filter,
  InvalidOption,
  ResultTooLarge,
  SelectionError,
  Sparse,
  TileArray,
} from "../../../mod.ts"
import { counted, run, type Services } from "../../support/run_query.ts"

const Points = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 9999], { tile: 500, filters: [Filter.gzip()] }), y: Dim.int32([0, 99], { tile: 25 }) },
  attrs: {
    n: Attr.nullable(Attr.int16({ filters: [Filter.zstd()] })),
    s: Attr.ascii({ filters: [Filter.zstd()] }),
    v: Attr.multiValue(Attr.uint8(), 3),
  },
  capacity: 100,
})

/** Two fragments; the second overwrites some cells of the first. */
const points = Effect.gen(function* () {
  const made = yield* TileArray.create("mem://points", Points)
  const cells = (count: number, step: number, at: number) => {
    const x = Int32Array.from({ length: count }, (_, i) => (i * step) % 10_000)
    return Sparse.write(made, {
      x,
      y: x.map((v) => v % 100),
      n: { values: Int16Array.from(x, (v) => v + at), validity: Uint8Array.from(x, (v) => v % 3 === 0 ? 0 : 1) },
      s: Array.from(x, (v) => "s".repeat(v % 7) + at),
      v: Uint8Array.from({ length: 3 * count }, (_, i) => i),
    }, { at })
  }
  yield* cells(3000, 3, 10)
  yield* cells(1000, 5, 20)
  return yield* TileArray.reopen(made)
})

const Grid = ArraySchema.dense({
  dims: { r: Dim.int32([0, 39], { tile: 8 }), c: Dim.int32([0, 49], { tile: 10 }) },
  attrs: { a: Attr.int32({ filters: [Filter.zstd()] }), s: Attr.ascii({ filters: [Filter.zstd()] }) },
})
const grid = Effect.gen(function* () {
  const made = yield* TileArray.create("mem://grid", Grid)
  const write = (rows: readonly [number, number], base: number) => {
    const count = 50 * (rows[1] - rows[0] + 1)
    return Dense.write(made, { r: rows }, {
      a: Int32Array.from({ length: count }, (_, i) => base + i),
      s: Array.from({ length: count }, (_, i) => "abc".slice(i % 4)),
    }, { at: base })
  }
  yield* write([0, 39], 1000)
  yield* write([3, 5], 9000)
  return yield* TileArray.reopen(made)
})

/** Returns the cells of columns as JSON values. */
const valuesOf = (fields: Readonly<Record<string, Cells.Column>>): Record<string, ReadonlyArray<unknown>> =>
  Object.fromEntries(Object.entries(fields).map(([name, column]) => [name, Cells.columnJson(column)]))

const firstOf = (all: Record<string, ReadonlyArray<unknown>>, count: number): Record<string, ReadonlyArray<unknown>> =>
  Object.fromEntries(Object.entries(all).map(([name, values]) => [name, values.slice(0, count)]))

const orders = ["row", "col", "global"] as const

describe("limit", () => {
  it("returns the first cells of sparse reads, in the requested order", () =>
    run(Effect.gen(function* () {
      const array = yield* points
      for (const order of orders) {
        for (const options of [{}, { region: { x: [100, 3000] } }, { where: "n > 500" }] as const) {
          const whole = yield* Sparse.read(array, { ...options, order })
          const all = valuesOf(whole.fields)
          for (const limit of [0, 1, 99, 1000, whole.length, whole.length + 1]) {
            for (const memory of [undefined, 400_000]) {
              const { fields, length } = yield* Sparse.read(array, { ...options, order, limit, memory })
              assertEquals([length, valuesOf(fields)], [Math.min(limit, whole.length), firstOf(all, limit)])
            }
          }
        }
      }
      const some = yield* Sparse.read(array, { order: "unordered", limit: 10, select: ["x"] })
      assertEquals(some.columns.x.length, 10)
    })))

  it("limits the length of sparse reads without selected fields", () =>
    run(Effect.gen(function* () {
      const array = yield* points
      const { length: all } = yield* Sparse.read(array)
      for (const order of [...orders, "unordered"] as const) {
        for (const limit of [0, 1, 99, all, all + 1]) {
          const { length, columns } = yield* Sparse.read(array, { order, limit, select: [] })
          assertEquals([length, columns], [Math.min(limit, all), {}])
        }
      }
    })))

  it("returns the first cells of dense reads, as a list if the result is incomplete", () =>
    run(Effect.gen(function* () {
      const array = yield* grid
      for (const order of orders) {
        for (const ranges of [{}, { r: [2, 20], c: [[3, 9], [12, 30]] }] as const) {
          const whole = yield* Dense.read(array, { region: ranges, order, select: ["r", "c", "a", "s"] })
          const all = valuesOf(whole.fields)
          const cells = all.a.length
          for (const limit of [0, 1, 26, 27, 100, cells - 1, cells, cells + 5]) {
            const { fields, shape } = yield* Dense.read(array, {
              region: ranges,
              order,
              limit,
              select: ["r", "c", "a", "s"],
            })
            assertEquals([limit, shape], [limit, limit < cells ? [limit] : whole.shape])
            assertEquals(valuesOf(fields), firstOf(all, limit))
          }
        }
      }
    })))

  it("ends streams, with a shorter last batch", () =>
    run(Effect.gen(function* () {
      const sparse = yield* points
      const dense = yield* grid
      const memory = 200_000
      const all = valuesOf((yield* Sparse.read(sparse, { select: ["x", "y"] })).fields)
      const batches = [...(yield* Stream.runCollect(Sparse.stream(sparse, { order: "row", limit: 1500, memory })))]
      assert(batches.length > 1)
      assertEquals(batches.flatMap(({ columns }) => [...columns.x]), all.x.slice(0, 1500) as Array<number>)
      const boxes = [...(yield* Stream.runCollect(Dense.stream(dense, { limit: 333, memory: 20_000, order: "col" })))]
      assert(boxes.length > 1)
      assertEquals(boxes.reduce((sum, { columns }) => sum + columns.a.length, 0), 333)
      for (const { shape, columns } of boxes) assertEquals(shape.reduce((n, length) => n * length), columns.a.length)
      assertEquals([...(yield* Stream.runCollect(Sparse.stream(sparse, { limit: 0 })))], [])
    })))

  it("avoids reading later cells", () =>
    run(Effect.gen(function* () {
      const many = yield* TileArray.create(
        "mem://many",
        ArraySchema.sparse({ dims: { x: Dim.int32([0, 1_999_999], { tile: 1000 }) }, attrs: { a: Attr.float64() } }),
      )
      const x = Int32Array.from({ length: 1_500_000 }, (_, i) => i)
      yield* Sparse.write(many, { x, a: Float64Array.from(x) })
      const array = yield* TileArray.reopen(many)
      for (const order of ["row", "unordered"] as const) {
        const whole = yield* counted(Sparse.read(array, { order }))
        const first = yield* counted(Sparse.read(array, { order, limit: 10 }))
        assertEquals(first.answer.length, 10)
        assert(first.bytes < whole.bytes / 3, `${order}: ${first.bytes} of ${whole.bytes} bytes`)
      }
      const dense = yield* grid
      const rows = yield* counted(Dense.read(dense, { select: ["a"], limit: 40, region: { r: [8, 39] } }))
      const box = yield* counted(Dense.read(dense, { select: ["a"], region: { r: 8, c: [0, 39] } }))
      assertEquals(rows.bytes, box.bytes)
      const plan = yield* Dense.explain(dense, { select: ["a"], limit: 40, region: { r: [8, 39] } })
      assertEquals(plan.bytes, box.bytes)
    })))

  it("is a non-negative integer, and cannot be combined with out", () =>
    run(Effect.gen(function* () {
      const array = yield* points
      for (const limit of [-1, 1.5, NaN, "5"]) {
        const error = yield* Effect.flip(Sparse.read(array, { limit: limit as number }))
        assert(error instanceof InvalidOption && error.option === "limit", String(error))
      }
      const error = yield* Effect.flip(Dense.read(yield* grid, { limit: 5, out: { a: new Int32Array(2000) } }))
      assert(error instanceof InvalidOption && error.option === "limit", String(error))
    })))
})

describe("memory", () => {
  it("limits the size of a whole result", () =>
    run(Effect.gen(function* () {
      const array = yield* points
      const read = (memory: number, limit?: number) => Sparse.read(array, { select: ["x"], memory, limit })
      const error = yield* Effect.flip(read(10_000))
      assert(error instanceof ResultTooLarge && error.limit === 10_000, String(error))
      assertEquals((yield* read(1_000_000)).length, 3666)
      assert((yield* Effect.flip(read(5_000, 3000))) instanceof ResultTooLarge)
    })))
})

describe("at", () => {
  it("sets the timestamp of every operation", () =>
    run(Effect.gen(function* () {
      const array = yield* points
      const old = yield* TileArray.reopen(array, { at: 15 })
      const before = valuesOf((yield* Sparse.read(old)).fields)
      for (const at of [15, new Date(15)]) {
        const { fields, array: seen } = yield* Sparse.read(array, { at })
        assertEquals(valuesOf(fields), before)
        assertEquals([seen.time.end, seen.declared], [15, Points])
        assertEquals(yield* Sparse.aggregate(array, { n: Aggregate.count() }, { at }), { n: 3000 })
        assertEquals((yield* Sparse.explain(array, { at })).fragments.length, 1)
        const batches = yield* Stream.runCollect(Sparse.stream(array, { at }))
        assertEquals([...batches].reduce((sum, { length }) => sum + length, 0), 3000)
      }
      const dense = yield* grid
      const cell = { region: { r: 3, c: 0 }, select: ["a"] } as const
      assertEquals((yield* Dense.read(dense, cell)).columns.a, Int32Array.of(9000))
      assertEquals((yield* Dense.read(dense, { ...cell, at: 1000 })).columns.a, Int32Array.of(1150))
      assertEquals((yield* Effect.flip(Dense.read(dense, { at: 1.5 })))._tag, "InvalidOption")
      // `at` does not move the start of a time range
      const late = yield* TileArray.reopen(array, { start: 12 })
      assertEquals((yield* Sparse.read(late, { at: 15 })).length, 0)
    })))
})

describe("queries", () => {
  it("are rejected at run time for unknown options and invalid values", () =>
    run(Effect.gen(function* () {
      const array = TileArray.undeclare(yield* points)
      for (
        const [options, option, reason] of [
          [{ regoin: {} }, "regoin", "unknown option; valid options: select, region"],
          [{ maxBytes: 5 }, "maxBytes", "unknown option"],
          [{ out: {} }, "out", "unknown option"],
          [null, "options", "a query is an object"],
          [[], "options", 'a query is an object such as { select: ["a"] }, not a list'],
          [{ select: "x" }, "select", "it is a list of names"],
          [{ select: [5] }, "select", "it is a list of names"],
          [{ select: ["nope"] }, "nope", 'the array has "x", "y", "n"'],
          [{ region: [1, 5] }, "region", "it is an object"],
          [{ region: { z: [1, 5] } }, "z", "there is no such dimension"],
          [{ region: { n: [1, 5] } }, "n", "dimension"],
          [{ where: 5 }, "where", "it is a condition, or its text"],
          [{ order: "diagonal" }, "order", '"diagonal" is not an order of cells'],
          [{ outOfBounds: "maybe" }, "outOfBounds", 'it is "error" or "clip"'],
          [{ time: "epoch" }, "time", 'it is "bigint", "date" or "datetime"'],
          [{ memory: 0 }, "memory", "0 is not a number of bytes"],
          [{ memory: "much" }, "memory", '"much" is not a number of bytes'],
        ] as const
      ) {
        const query = options as never
        const operations = [
          Sparse.read(array, query),
          Stream.runDrain(Sparse.stream(array, query)),
          Sparse.explain(array, query),
        ]
        for (const operation of operations) {
          const error = yield* Effect.flip(operation as Effect.Effect<unknown, unknown, Services>)
          // invalid field names are SelectionErrors
          if (["nope", "z", "n"].includes(option)) {
            assert(error instanceof SelectionError, String(error))
            assertEquals(error.field, option)
          } else {
            assert(error instanceof InvalidOption, String(error))
            assertEquals(error.option, option)
          }
          assertStringIncludes(error.message, reason)
        }
      }
      const { option } = yield* Effect.flip(Sparse.aggregate(array, {}, { limit: 5 } as never)) as Effect.Effect<
        InvalidOption
      >
      assertEquals(option, "limit")
      const dense = TileArray.undeclare(yield* grid)
      for (const options of [null, [], "a > 5"]) {
        const error = yield* Effect.flip(Stream.runDrain(Dense.cells(dense, options as never)))
        assert(error instanceof InvalidOption, String(error))
        assertStringIncludes(error.message, "a query is an object")
      }
    })))
})
