/** Sorting sparse cells into global order, compared with a comparator. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals, assertThrows } from "@std/assert"
import type { ArraySchema, Layout } from "../../../schema/array/array_schema.ts"
import { arrayOf, type Datatype } from "../../../schema/array/datatype.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import type { Scalar } from "../../../schema/array/scalar.ts"
import { WriteError } from "../../../src/array/open/errors.ts"
import { checkColumns } from "../../../src/write/input/check_columns.ts"
import { type Duplicates, globalOrder, sortSparse } from "../../../src/write/order/global_order_sort.ts"
import { gatherTile, type WriteColumn } from "../../../src/write/input/write_column.ts"
import * as build from "../../support/build_array.ts"

interface Axis {
  readonly dimension: (name: string) => Dimension
  readonly value: fc.Arbitrary<Scalar | string>
  /** Returns the number of the tile; 0 without tiles. */
  readonly tile: (value: Scalar | string) => bigint | number
}

const whole = (type: Datatype, low: bigint, high: bigint, extent: bigint | null): Axis => {
  const big = type.startsWith("datetime") || type.endsWith("64")
  const scalar = (value: bigint): Scalar => big ? value : Number(value)
  return {
    dimension: (name) =>
      build.dimension(name, type, scalar(low), scalar(high), extent === null ? null : scalar(extent)),
    value: fc.bigInt({ min: low, max: high }).map(scalar),
    tile: (value) => extent === null ? 0 : (BigInt(value) - low) / extent,
  }
}

const float = (type: "float32" | "float64", low: number, high: number, extent: number | null): Axis => {
  const round = type === "float32" ? Math.fround : (x: number) => x
  return {
    dimension: (name) => build.dimension(name, type, low, high, extent),
    value: fc.oneof(
      fc.constantFrom(low, high, 0, -0, 1, 1.5),
      fc.double({ min: low, max: high, noNaN: true }).map(round),
    ),
    tile: (value) => extent === null ? 0 : Math.floor(round(round(value as number - low) / extent)),
  }
}

const text: Axis = {
  dimension: build.stringDimension,
  value: fc.array(fc.constantFrom("a", "b", "\0", "abcdefgh"), { maxLength: 3 }).map((parts) => parts.join("")),
  tile: () => 0,
}

const axes: ReadonlyArray<Axis> = [
  whole("int8", -128n, 100n, 10n),
  whole("uint16", 3n, 9n, 2n),
  whole("int32", -(2n ** 31n), 2n ** 31n - 2n, 1n << 20n),
  whole("uint32", 0n, 2n ** 32n - 2n, 1n),
  whole("int64", -5n, 5n, 3n),
  whole("int64", -(2n ** 40n), 2n ** 45n, 7n),
  whole("int64", 2n, 2n ** 50n, 2n ** 49n),
  whole("int64", -(2n ** 63n), 2n ** 63n - 1000n, 999n),
  whole("uint64", 1n, 2n ** 64n - 10n, 2n ** 40n),
  whole("uint64", 0n, 8n, null),
  whole("datetime_ms", -100n, 100n, 50n),
  float("float64", -10, 10, 3),
  float("float64", -2, 2, null),
  float("float32", -10, 10, 2.5),
  text,
]

const compareText = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0

/** Returns a number less than 0 if cell `a` comes first; −0 and 0 are equal. */
const comparator =
  (axes: ReadonlyArray<Axis>, cells: ReadonlyArray<ReadonlyArray<Scalar | string>>, schema: ArraySchema) =>
  (a: number, b: number): number => {
    const dims = axes.map((_, d) => d)
    for (const d of schema.tileOrder === "col-major" ? [...dims].reverse() : dims) {
      const [s, t] = [axes[d].tile(cells[a][d]), axes[d].tile(cells[b][d])]
      if (s !== t) return s < t ? -1 : 1
    }
    for (const d of schema.cellOrder === "col-major" ? [...dims].reverse() : dims) {
      const [v, w] = [cells[a][d], cells[b][d]]
      if (typeof v === "string") {
        if (v !== w) return compareText(v, w as string)
      } else if (v !== w) return v < (w as Scalar) ? -1 : 1
    }
    return 0
  }

const layout = fc.constantFrom<Layout>("row-major", "col-major")

const problem = fc.tuple(fc.array(fc.constantFrom(...axes), { minLength: 1, maxLength: 3 }), layout, layout).chain((
  [axes, tileOrder, cellOrder],
) =>
  fc.array(fc.tuple(...axes.map((axis) => axis.value)), { maxLength: 60 }).chain((some) =>
    // some cells are repeated
    fc.array(fc.nat(Math.max(0, some.length - 1)), { maxLength: 4 }).map((again) => ({
      axes,
      cells: some.length === 0 ? [] : [...some, ...again.map((i) => some[i])],
      schema: build.arraySchema({
        arrayType: "sparse",
        dimensions: axes.map((axis, d) => axis.dimension(`d${d}`)),
        attributes: [],
        tileOrder,
        cellOrder,
      }),
    }))
  )
)

const columnsOf = (
  schema: ArraySchema,
  cells: ReadonlyArray<ReadonlyArray<Scalar | string>>,
): ReadonlyArray<WriteColumn> =>
  checkColumns(
    schema,
    Object.fromEntries(schema.dimensions.map(({ name, type }, d) => {
      const values = cells.map((cell) => cell[d])
      return [name, type === "string_ascii" ? values : new (arrayOf(type))(values as never)]
    })),
    undefined,
  ).dimensions

/** Returns cells as text that distinguishes −0 from 0. */
const keys = (cells: ReadonlyArray<ReadonlyArray<Scalar | string>>): ReadonlyArray<string> =>
  cells.map((cell) => cell.map((v) => Object.is(v, -0) ? "-0" : JSON.stringify(String(v))).join())

describe("sparse cells in global order", () => {
  it("have the order of a comparator; equal cells keep their input order", () => {
    fc.assert(
      fc.property(problem, ({ axes, cells, schema }) => {
        const n = cells.length
        const compare = comparator(axes, cells, schema)
        const names = keys(cells)
        const { cells: count, permutation } = sortSparse(schema, columnsOf(schema, cells), n, "allow")
        const order = [...permutation ?? Array(n).keys()]
        assertEquals(count, n)
        assertEquals([...order].sort((a, b) => a - b), [...Array(n).keys()])
        for (let i = 1; i < n; i++) {
          const c = compare(order[i - 1], order[i])
          assertEquals(c <= 0, true)
          if (c === 0 && names[order[i - 1]] === names[order[i]]) assertEquals(order[i - 1] < order[i], true)
        }
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  it("are not permuted if they are already sorted", () => {
    fc.assert(
      fc.property(problem, ({ axes, cells, schema }) => {
        const compare = comparator(axes, cells, schema)
        const zeros = keys(cells)
        const order = [...cells.keys()].sort((a, b) => compare(a, b) || (zeros[a] < zeros[b] ? -1 : 1))
        const sorted = order.map((i) => cells[i])
        if (sorted.some((cell) => cell.some((v) => Object.is(v, -0)))) return
        assertEquals(sortSparse(schema, columnsOf(schema, sorted), sorted.length, "allow").permutation, undefined)
      }),
      { seed: 2, numRuns: 100 },
    )
  })

  it("are written once: the first of equal cells, or an error names two of them", () => {
    fc.assert(
      fc.property(problem, ({ cells, schema }) => {
        const names = keys(cells)
        const columns = columnsOf(schema, cells)
        const firsts = names.flatMap((name, i) => names.indexOf(name) === i ? [i] : [])
        const { cells: count, permutation } = sortSparse(schema, columns, cells.length, "first")
        const kept = [...permutation ?? Array(count).keys()]
        assertEquals(kept.length, count)
        assertEquals(kept.sort((a, b) => a - b), firsts)
        if (firsts.length === cells.length) {
          assertEquals(sortSparse(schema, columns, cells.length, "refuse").cells, cells.length)
        } else {
          const error = assertThrows(() => sortSparse(schema, columns, cells.length, "refuse"), WriteError)
          const first = names.indexOf(names[error.cell!])
          assertEquals([first < error.cell!, names[error.other!]], [true, names[error.cell!]])
        }
      }),
      { seed: 3, numRuns: 200 },
    )
  })
})

describe("coordinates in error messages", () => {
  it("are strings, dates and times", () => {
    const schema = build.arraySchema({
      arrayType: "sparse",
      dimensions: [
        build.dimension("day", "datetime_day", 0n, 30000n, null),
        build.dimension("at", "time_sec", 0n, 86399n, null),
        build.stringDimension("who"),
      ],
      attributes: [],
    })
    const columns = { day: ["2024-02-29", "2024-02-29"], at: ["12:30:00", "12:30:00"], who: ["ann", "ann"] }
    const { dimensions } = checkColumns(schema, columns, 2)
    const error = assertThrows(() => sortSparse(schema, dimensions, 2, "refuse"), WriteError)
    const place = 'day = 2024-02-29, at = 12:30:00, who = "ann"'
    assertEquals([error.cell, error.detail.includes(`the coordinates ${place} are duplicated`)], [1, true])
    assertThrows(
      () => checkColumns(schema, { ...columns, day: ["1969-12-31", "1970-01-01"] }, 2),
      WriteError,
      "1969-12-31 is outside the domain, from 1970-01-01 to 2052-02-20",
    )
  })
})

describe("cells in global order", () => {
  const sortedProblem = fc.tuple(problem, fc.array(fc.nat(20), { maxLength: 6 }), fc.nat(60), fc.boolean())
  const parts = (n: number, cuts: ReadonlyArray<number>): ReadonlyArray<readonly [number, number]> => {
    const out: Array<readonly [number, number]> = []
    let from = 0
    for (const cut of [...cuts, n]) {
      const to = Math.min(n, from + cut)
      out.push([from, to])
      from = to
    }
    return out
  }

  it("are accepted in parts of any size, and the error names the first cell out of order", () => {
    fc.assert(
      fc.property(sortedProblem, ([{ axes, cells, schema }, cuts, at, swaps]) => {
        const compare = comparator(axes, cells, schema)
        const order = [...cells.keys()].sort(compare)
        if (swaps && order.length > 1) {
          const i = at % (order.length - 1)
          ;[order[i], order[i + 1]] = [order[i + 1], order[i]]
        }
        const fall = order.findIndex((cell, i) => i > 0 && compare(order[i - 1], cell) > 0)
        const columns = columnsOf(schema, order.map((i) => cells[i]))
        const state = globalOrder(schema, "allow")
        let wrong = -1
        for (const [from, to] of parts(order.length, cuts)) {
          const some = columns.map((c): WriteColumn => ({ field: c.field, ...gatherTile(c, undefined, from, to) }))
          try {
            const { cells: count, permutation } = state.next(some, to - from)
            assertEquals([count, permutation], [to - from, undefined])
          } catch (error) {
            if (!(error instanceof WriteError)) throw error
            wrong = from + error.cell!
            break
          }
        }
        assertEquals(wrong, fall)
      }),
      { seed: 4, numRuns: 300 },
    )
  })

  it("are written once, for parts of any size", () => {
    fc.assert(
      fc.property(sortedProblem, ([{ axes, cells, schema }, cuts]) => {
        const names = keys(cells)
        const compare = comparator(axes, cells, schema)
        const order = [...cells.keys()].sort((a, b) => compare(a, b) || (names[a] < names[b] ? -1 : 1))
        const columns = columnsOf(schema, order.map((i) => cells[i]))
        const expected = order.filter((cell, i) => i === 0 || names[cell] !== names[order[i - 1]])
        const run = (duplicates: Duplicates): Array<number> => {
          const state = globalOrder(schema, duplicates)
          return parts(order.length, cuts).flatMap(([from, to]) => {
            const some = columns.map((c): WriteColumn => ({ field: c.field, ...gatherTile(c, undefined, from, to) }))
            const { cells: count, permutation } = state.next(some, to - from)
            const kept = [...permutation ?? Array(count).keys()].map((i) => names[order[from + i]])
            assertEquals(kept.length, count)
            return kept as unknown as Array<number>
          })
        }
        assertEquals(run("first") as unknown, expected.map((i) => names[i]))
        if (expected.length === order.length) run("refuse")
        else assertThrows(() => run("refuse"), WriteError, "are duplicated")
      }),
      { seed: 5, numRuns: 200 },
    )
  })
})
