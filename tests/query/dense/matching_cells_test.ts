/** `Dense.cells`: the cells of dense arrays that match a condition. */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Cells, Dense, Dim, Filter, InvalidOption, TileArray } from "../../../mod.ts"
import { makeCounters, StorageService, withCounters } from "../../../platform/mod.ts"
import { exactly } from "../../types/equal.ts"
import { run, type Services } from "../../support/run_query.ts"

const Grid = ArraySchema.dense({
  dims: { r: Dim.int32([0, 39], { tile: 8 }), c: Dim.int32([0, 49], { tile: 10 }) },
  attrs: {
    a: Attr.int32({ filters: [Filter.zstd()] }),
    n: Attr.nullable(Attr.int16({ filters: [Filter.zstd()] })),
    s: Attr.ascii({ filters: [Filter.zstd()] }),
  },
})

/** An array with two overlapping boxes of written cells; the other cells are unwritten. */
const grid = Effect.gen(function* () {
  const made = yield* TileArray.create("mem://grid", Grid)
  const write = (rows: readonly [number, number], columns: readonly [number, number], base: number) => {
    const count = (rows[1] - rows[0] + 1) * (columns[1] - columns[0] + 1)
    return Dense.write(made, { r: rows, c: columns }, {
      a: Int32Array.from({ length: count }, (_, i) => base + i),
      n: Array.from({ length: count }, (_, i) => i % 3 === 0 ? null : i),
      s: Array.from({ length: count }, (_, i) => "abc".slice(i % 4)),
    })
  }
  yield* write([0, 29], [0, 39], 0)
  yield* write([4, 9], [35, 44], 5000)
  return yield* TileArray.reopen(made)
})

const rowsOf = (batches: Iterable<{ readonly fields: Readonly<Record<string, Cells.Column>> }>): Array<string> =>
  [...batches].flatMap(({ fields }) => {
    const columns = Object.values(fields).map(Cells.columnJson)
    return columns[0].map((_, i) => JSON.stringify(columns.map((column) => column[i])))
  })

describe("cells of dense arrays", () => {
  it("are the written cells that match, row by row, in batches", () =>
    run(Effect.gen(function* () {
      const array = yield* grid
      const written = (r: number, c: number) => (r <= 29 && c <= 39) || (r >= 4 && r <= 9 && c >= 35 && c <= 44)
      const tests: Readonly<Record<string, (a: number, n: number | null, r: number) => boolean>> = {
        "a >= 5010": (a) => a >= 5010,
        "n == None and r > 5": (_, n, r) => n === null && r > 5,
        "a < 0": (a) => a < 0,
      }
      for (const ranges of [{}, { r: [3, 39], c: [[1, 3], [30, 49]] }] as const) {
        const whole = yield* Dense.read(array, { region: ranges, select: ["r", "c", "a", "n", "s"] })
        const all = rowsOf([whole]).filter((row) => {
          const [r, c] = JSON.parse(row)
          return written(r, c)
        })
        for (const where of [undefined, ...Object.keys(tests)]) {
          const expected = all.filter((row) => {
            const [r, , a, n] = JSON.parse(row)
            return where === undefined || tests[where](a, n, r)
          })
          for (const limit of [undefined, 0, 7, 100_000]) {
            const query = { region: ranges, limit, memory: 40_000, ...(where === undefined ? {} : { where }) }
            const batches = yield* Stream.runCollect(Dense.cells(array, query))
            assertEquals(rowsOf(batches), expected.slice(0, limit), `${where} ${limit}`)
            for (const { length, columns } of batches) {
              exactly<Int32Array>()(columns.r)
              assertEquals(length, columns.a.length)
              assert(length > 0)
            }
          }
        }
      }
    })))

  it("require no reads for tiles that statistics rule out, or for coordinates", () =>
    run(Effect.gen(function* () {
      const array = yield* grid
      const bytes = (stream: Stream.Stream<unknown, unknown, Services>) =>
        Effect.gen(function* () {
          const trace = makeCounters()
          yield* Effect.updateService(
            Stream.runDrain(stream),
            StorageService,
            (storage) => withCounters(storage, trace),
          )
          return trace.bytesRead
        })
      yield* bytes(Dense.cells(array, { where: "a > 5000" }))
      assertEquals(yield* bytes(Dense.cells(array, { where: "a > 100000" })), 0)
      const coordinates = yield* bytes(Dense.cells(array, { where: "a > 5000", select: ["r", "c"] }))
      assertEquals(coordinates, yield* bytes(Dense.stream(array, { where: "a > 5000", select: ["a"] })))
    })))

  it("are always in row order", () =>
    run(Effect.gen(function* () {
      const array = yield* grid
      // @ts-expect-error the order is fixed
      const error = yield* Effect.flip(Stream.runDrain(Dense.cells(array, { order: "col" })))
      assert(error instanceof InvalidOption && error.option === "order", String(error))
    })))
})
