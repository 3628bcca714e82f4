/**
 * Dense writes: reads return the written cells, the newest ones, for boxes of any position, order and format version.
 */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { ArraySchema, Attr, Dense, Dim, Filter, TileArray } from "../../../mod.ts"
import { inMemory } from "../../support/in_memory.ts"

const schemaOf = (cells: "row-major" | "col-major", tiles: "row-major" | "col-major") =>
  ArraySchema.dense({
    order: cells,
    tileOrder: tiles,
    dims: { x: Dim.int16([-3, 7], { tile: 4 }), y: Dim.int16([0, 9], { tile: 3 }) },
    attrs: {
      a: Attr.int32({ filters: [Filter.zstd()] }),
      s: Attr.ascii(),
      n: Attr.nullable(Attr.float64({ filters: [Filter.byteshuffle()] })),
      m: Attr.multiValue(Attr.uint8(), 3),
    },
  })

const boxes = FastCheck.record({
  x: FastCheck.tuple(FastCheck.integer({ min: -3, max: 7 }), FastCheck.integer({ min: -3, max: 7 })),
  y: FastCheck.tuple(FastCheck.nat(9), FastCheck.nat(9)),
  order: FastCheck.constantFrom("row" as const, "col" as const, "global" as const),
})

const sorted = ([a, b]: readonly [number, number]): readonly [number, number] => a < b ? [a, b] : [b, a]

/** Returns the columns for the values of all cells. */
const columnsFrom = (values: ReadonlyArray<number>) => ({
  a: Int32Array.from(values),
  s: values.map((v) => "x".repeat(v % 4) + v),
  n: values.map((v) => v % 3 === 0 ? null : v / 2),
  m: Uint8Array.from(values.flatMap((v) => [v, v + 1, v + 2])),
})

describe("dense writes", () => {
  const orders = ["row-major", "col-major"] as const
  for (const cells of orders) {
    for (const tiles of orders) {
      for (const formatVersion of [22, 9]) {
        it(`return the written cells: cells ${cells}, tiles ${tiles}, format ${formatVersion}`, async () => {
          await FastCheck.assert(
            FastCheck.asyncProperty(FastCheck.array(boxes, { minLength: 1, maxLength: 4 }), async (writes) => {
              const expected = new Map<string, number>()
              let next = 1
              await inMemory(Effect.gen(function* () {
                const array = yield* TileArray.create("mem://a", schemaOf(cells, tiles), { formatVersion })
                for (const [i, write] of writes.entries()) {
                  const x = sorted(write.x)
                  const y = sorted(write.y)
                  // a read of the coordinates returns the order of the cells
                  yield* Dense.write(array, {}, columnsFrom(new Array(110).fill(0)), { at: 1 })
                  const empty = yield* TileArray.reopen(array)
                  const { columns } = yield* Dense.read(empty, {
                    select: ["x", "y"],
                    region: { x: [...x], y: [...y] },
                    order: write.order,
                  })
                  const values = Array.from(columns.x, (_, k) => next + k)
                  next += values.length
                  values.forEach((value, k) => expected.set(`${columns.x[k]},${columns.y[k]}`, value))
                  yield* Dense.write(array, { x: [...x], y: [...y] }, columnsFrom(values), {
                    at: 10 + i,
                    order: write.order,
                  })
                }
                const { columns } = yield* Dense.read(yield* TileArray.reopen(array), {
                  select: ["x", "y", "a", "s", "n", "m"],
                })
                const values = Array.from(columns.x, (x, k) => expected.get(`${x},${columns.y[k]}`) ?? 0)
                const want = columnsFrom(values)
                assertEquals(columns.a, want.a)
                assertEquals(columns.m, want.m)
                const text = new TextDecoder()
                assertEquals(
                  values.map((_, k) =>
                    text.decode(columns.s.values.subarray(columns.s.offsets[k], columns.s.offsets[k + 1]))
                  ),
                  want.s,
                )
                assertEquals(values.map((_, k) => columns.n.validity[k] === 0 ? null : columns.n.values[k]), want.n)
              }))
            }),
            { numRuns: 8 },
          )
        })
      }
    }
  }
})
