import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import {
  Aggregate,
  ArraySchema,
  Attr,
  Condition,
  Dense,
  Dim,
  InvalidOption,
  SelectionError,
  Sparse,
  TileArray,
} from "../../../mod.ts"
import { exactly } from "../../types/equal.ts"
import { counted, run } from "../../support/run_query.ts"

const attrs = {
  i: Attr.int32(),
  wide: Attr.uint64(),
  f: Attr.float64(),
  n: Attr.nullable(Attr.int16()),
  s: Attr.ascii(),
  t: Attr.datetime("ms"),
}
const Cells = ArraySchema.sparse({ dims: { x: Dim.int32([0, 9999], { tile: 100 }) }, attrs, capacity: 100 })
const Grid = ArraySchema.dense({
  dims: { r: Dim.int32([0, 39], { tile: 8 }), c: Dim.int32([0, 49], { tile: 10 }) },
  attrs: { i: Attr.int32(), n: Attr.nullable(Attr.int16()), f: Attr.float32() },
})

const COUNT = 1000
const x = Int32Array.from({ length: COUNT }, (_, k) => 3 * k)
const cells = {
  x,
  i: Int32Array.from(x, (v) => (v * 7919) % 1000 - 500),
  wide: BigUint64Array.from(x, (v) => 2n ** 63n - BigInt(v)),
  f: Float64Array.from(x, (v) => v / 8 - 100),
  n: {
    values: Int16Array.from(x, (v) => v % 97),
    validity: Uint8Array.from(x, (v) => v % 5 === 0 || v > 2700 ? 0 : 1),
  },
  s: Array.from(x, (v) => `s${(v * 31) % 500}`),
  t: BigInt64Array.from(x, (v) => BigInt(v) * 1000n - 5n),
}

const aggregates = {
  count: Aggregate.count(),
  sum: Aggregate.sum("i"),
  low: Aggregate.min("i"),
  high: Aggregate.max("i"),
  mean: Aggregate.mean("i"),
  wide: Aggregate.sum("wide"),
  widest: Aggregate.max("wide"),
  f: Aggregate.sum("f"),
  meanF: Aggregate.mean("f"),
  nulls: Aggregate.nullCount("n"),
  n: Aggregate.sum("n"),
  meanN: Aggregate.mean("n"),
  first: Aggregate.min("s"),
  last: Aggregate.max("s"),
  at: Aggregate.min("t"),
  x: Aggregate.max("x"),
}

/** Computes the same aggregates cell by cell for the given cell numbers. */
const naive = (chosen: ReadonlyArray<number>) => {
  const of = <A>(values: ArrayLike<A>) => chosen.map((k) => values[k])
  const minOf = <A>(values: ReadonlyArray<A>) => values.length === 0 ? null : values.reduce((a, b) => b < a ? b : a)
  const maxOf = <A>(values: ReadonlyArray<A>) => values.length === 0 ? null : values.reduce((a, b) => b > a ? b : a)
  const total = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0)
  const mean = (values: ReadonlyArray<number>) => values.length === 0 ? null : total(values) / values.length
  const wide = of(cells.wide).reduce((a, b) => a + b, 0n)
  const n = chosen.filter((k) => cells.n.validity[k] === 1).map((k) => cells.n.values[k])
  return {
    count: chosen.length,
    sum: BigInt(total(of(cells.i))),
    low: minOf(of(cells.i)),
    high: maxOf(of(cells.i)),
    mean: mean(of(cells.i)),
    wide: wide > 2n ** 64n - 1n ? 2n ** 64n - 1n : wide,
    widest: maxOf(of(cells.wide)),
    f: total(of(cells.f)),
    meanF: mean(of(cells.f)),
    nulls: chosen.length - n.length,
    n: BigInt(total(n)),
    meanN: mean(n),
    first: minOf(of(cells.s)),
    last: maxOf(of(cells.s)),
    at: minOf(of(cells.t)),
    x: maxOf(of(x)),
  }
}

const all = Array.from({ length: COUNT }, (_, k) => k)

describe("aggregates of sparse cells", () => {
  it("match aggregates of the cells, for regions and conditions", () =>
    run(Effect.gen(function* () {
      const made = yield* TileArray.create("mem://cells", Cells)
      yield* Sparse.write(made, cells)
      const array = yield* TileArray.reopen(made)
      const whole = yield* Sparse.aggregate(array, aggregates)
      exactly<number>()(whole.count)
      exactly<bigint>()(whole.sum)
      exactly<number | null>()(whole.mean)
      exactly<bigint | null>()(whole.widest)
      exactly<number>()(whole.f)
      exactly<string | null>()(whole.first)
      assertEquals({ ...whole }, naive(all))
      const part = yield* Sparse.aggregate(array, aggregates, { region: { x: [[10, 700], [2000, 2100]] } })
      assertEquals({ ...part }, naive(all.filter((k) => (x[k] >= 10 && x[k] <= 700) || (x[k] >= 2000 && x[k] <= 2100))))
      const some = yield* Sparse.aggregate(array, aggregates, {
        where: "i > 100 and n != None",
        region: { x: [100, 2500] },
      })
      assertEquals(
        { ...some },
        naive(all.filter((k) => x[k] >= 100 && x[k] <= 2500 && cells.i[k] > 100 && cells.n.validity[k] === 1)),
      )
      const none = yield* Sparse.aggregate(array, aggregates, { where: "i > 5000" })
      assertEquals({ ...none }, naive([]))
    })))

  it("use statistics for tiles inside the selection", () =>
    run(Effect.gen(function* () {
      const made = yield* TileArray.create("mem://cells", Cells)
      yield* Sparse.write(made, cells)
      const array = yield* TileArray.reopen(made)
      const aggregates = {
        count: Aggregate.count(),
        sum: Aggregate.sum("i"),
        high: Aggregate.max("s"),
        nulls: Aggregate.nullCount("n"),
      }
      yield* Sparse.aggregate(array, aggregates)
      const { answer, bytes } = yield* counted(Sparse.aggregate(array, aggregates))
      assertEquals(bytes, 0)
      assertEquals([answer.count, answer.sum, answer.high], [COUNT, naive(all).sum, naive(all).last])
      const part = yield* counted(Sparse.aggregate(array, aggregates, { region: { x: [0, 1450] } }))
      const read = yield* counted(Sparse.read(array, { select: ["i", "s", "n"], region: { x: [0, 1450] } }))
      assert(part.bytes < read.bytes / 2, `${part.bytes} of ${read.bytes} bytes`)
      assertEquals(part.answer.count, naive(all.filter((k) => x[k] <= 1450)).count)
    })))

  it("ignore cells that newer cells hide", () =>
    run(Effect.gen(function* () {
      const made = yield* TileArray.create("mem://cells", Cells)
      yield* Sparse.write(made, cells)
      yield* Sparse.write(made, { ...cells, i: new Int32Array(COUNT).fill(7) })
      const array = yield* TileArray.reopen(made)
      const { count, sum } = yield* Sparse.aggregate(array, { count: Aggregate.count(), sum: Aggregate.sum("i") })
      assertEquals([count, sum], [COUNT, BigInt(7 * COUNT)])
    })))

  it("are rejected if invalid", () =>
    run(Effect.gen(function* () {
      const made = yield* TileArray.create("mem://cells", Cells)
      const array = TileArray.undeclare(made)
      for (
        const [aggregate, reason] of [
          [Aggregate.sum("nope"), "the array has"],
          [Aggregate.sum("s"), "sum does not support string_ascii"],
          [Aggregate.mean("t"), "mean does not support datetime_ms"],
        ] as const
      ) {
        const error = yield* Effect.flip(Sparse.aggregate(array, { it: aggregate }))
        assert(error instanceof SelectionError && error.message.includes(reason), String(error))
      }
      for (
        const [aggregates, reason] of [
          [null, "aggregates are an object"],
          [[], "aggregates are an object"],
          ["count", "aggregates are an object"],
          [{ it: null }, "it: this is not an aggregate"],
          [{ it: "count" }, "it: this is not an aggregate"],
          [{ n: Aggregate.count(), it: { kind: "median", field: "i" } }, "it: there is no aggregate median"],
          [{ it: { kind: "sum" } }, "it: the field is missing"],
        ] as const
      ) {
        for (const options of [{}, { by: ["i"] }] as const) {
          const error = yield* Effect.flip(Sparse.aggregate(array, aggregates as never, options))
          assert(error instanceof InvalidOption && error.option === "aggregates", String(error))
          assert(error.message.includes(reason), error.message)
        }
      }
    })))
})

describe("aggregates of dense cells", () => {
  const grid = Effect.gen(function* () {
    const made = yield* TileArray.create("mem://grid", Grid)
    const write = (rows: readonly [number, number], columns: readonly [number, number], base: number) => {
      const count = (rows[1] - rows[0] + 1) * (columns[1] - columns[0] + 1)
      const values = Int32Array.from({ length: count }, (_, k) => base + k)
      return Dense.write(made, { r: rows, c: columns }, {
        i: values,
        n: { values: Int16Array.from(values), validity: Uint8Array.from(values, (v) => v % 3 === 0 ? 0 : 1) },
        f: Float32Array.from(values, (v) => v / 4),
      })
    }
    yield* write([0, 31], [0, 39], 0)
    yield* write([4, 10], [5, 12], 100_000)
    return yield* TileArray.reopen(made)
  })
  const aggregates = {
    count: Aggregate.count(),
    sum: Aggregate.sum("i"),
    low: Aggregate.min("i"),
    high: Aggregate.max("i"),
    mean: Aggregate.mean("f"),
    nulls: Aggregate.nullCount("n"),
    n: Aggregate.sum("n"),
  }

  it("match aggregates of the written cells", () =>
    run(Effect.gen(function* () {
      const array = yield* grid
      for (
        const [ranges, where] of [
          [{}, undefined],
          [{ r: [0, 39], c: [0, 49] }, undefined],
          [{ r: [0, 15], c: [0, 19] }, undefined],
          [{ r: [3, 29], c: [[2, 17], [25, 44]] }, undefined],
          [{ r: [33, 39], c: [1, 5] }, undefined],
          [{}, "i > 500"],
          [{ r: [0, 39], c: [3, 49] }, "i > 500 and n != None"],
          [{ r: [0, 39] }, "r == 5"],
        ] as const
      ) {
        const options = { region: ranges, ...(where === undefined ? {} : { where }) }
        const { answer } = yield* counted(Dense.aggregate(array, aggregates, options))
        const { columns, shape } = yield* Dense.read(array, { region: ranges, select: ["r", "i", "n", "f"] })
        const length = shape.reduce((a, b) => a * b, 1)
        const UNWRITTEN = -(2 ** 31)
        const chosen = Array.from({ length }, (_, k) => k).filter((k) =>
          columns.i[k] !== UNWRITTEN &&
          (where === undefined || (where === "r == 5" ? columns.r[k] === 5 : columns.i[k] > 500)) &&
          (where?.includes("None") !== true || columns.n.validity[k] === 1)
        )
        const values = chosen.map((k) => columns.i[k])
        const valid = chosen.filter((k) => columns.n.validity[k] === 1).map((k) => columns.n.values[k])
        const mean = chosen.reduce((sum, k) => sum + columns.f[k], 0) / chosen.length
        assertEquals({ ranges, where, ...answer }, {
          ranges,
          where,
          count: where === undefined ? length : chosen.length,
          sum: BigInt(values.reduce((a, b) => a + b, 0)),
          low: values.length === 0 ? null : Math.min(...values),
          high: values.length === 0 ? null : Math.max(...values),
          mean: chosen.length === 0 ? null : mean,
          nulls: chosen.length - valid.length,
          n: BigInt(valid.reduce((a, b) => a + b, 0)),
        })
      }
    })))

  it("count the written cells if the condition has no fields", () =>
    run(Effect.gen(function* () {
      const array = yield* grid
      const count = { count: Aggregate.count() }
      const ranges = { r: [30, 39], c: [30, 49] } as const
      assertEquals((yield* Dense.aggregate(array, count, { region: ranges, where: Condition.and() })).count, 20)
      assertEquals((yield* Dense.aggregate(array, count, { region: ranges, where: Condition.or() })).count, 0)
      assertEquals((yield* Dense.aggregate(array, count, { region: ranges, where: "i != None" })).count, 20)
    })))

  it("use statistics for tiles inside the selection that only one fragment overlaps", () =>
    run(Effect.gen(function* () {
      const array = yield* grid
      // four tiles that the second fragment does not overlap
      const ranges = { r: [16, 31], c: [20, 39] } as const
      yield* Dense.aggregate(array, aggregates, { region: ranges })
      const { bytes } = yield* counted(Dense.aggregate(array, aggregates, { region: ranges }))
      assertEquals(bytes, 0)
      const whole = yield* counted(Dense.aggregate(array, aggregates))
      const read = yield* counted(Dense.read(array))
      assert(whole.bytes < read.bytes / 2, `${whole.bytes} of ${read.bytes} bytes`)
    })))
})
