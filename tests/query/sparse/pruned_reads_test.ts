/** Reads with conditions that rule out tiles, compared with filtered reads of all cells. */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Dense, Dim, Sparse, TileArray } from "../../../mod.ts"
import type { Order } from "../../../src/query/options/read_options.ts"
import { makeCounters, StorageService, withCounters } from "../../../platform/mod.ts"
import { inMemory } from "../../support/in_memory.ts"
import type { Services } from "../../support/run_query.ts"

/** Runs a read and counts its requests and bytes. */
const traced = <A, E>(effect: Effect.Effect<A, E, Services>) =>
  Effect.gen(function* () {
    const trace = makeCounters()
    const answer = yield* Effect.updateService(effect, StorageService, (storage) => withCounters(storage, trace))
    return { answer, requests: trace.calls.readRanges, bytes: trace.bytesRead }
  })

const SIDE = 12

const Points = ArraySchema.sparse({
  dims: { x: Dim.int32([0, SIDE - 1], { tile: 3 }), y: Dim.int32([0, SIDE - 1], { tile: 4 }) },
  attrs: { a: Attr.int32(), b: Attr.nullable(Attr.float64()), s: Attr.ascii() },
  capacity: 3,
})

/**
 * The cells of one write: distinct places, and values that depend on them, so that statistics differ between tiles.
 */
const points = FastCheck.record({
  places: FastCheck.uniqueArray(FastCheck.nat(SIDE * SIDE - 1), { minLength: 1, maxLength: 40 }),
  shift: FastCheck.integer({ min: -20, max: 20 }),
  odd: FastCheck.constantFrom(NaN, null, Infinity, 0),
})

const orders = FastCheck.constantFrom<Order>("row", "col", "global")

const conditions = FastCheck.constantFrom(
  "a > 8",
  "a < 3 and b != None",
  "b == None",
  "b >= 4.0",
  "b != 2.0",
  "s == 's5' or a == 11",
  "s < 's3'",
  "not (a <= 9)",
  "a in [1, 7] and x > 4",
  "y < 2",
)

/** Returns the cells of a result as rows. */
const rowsOf = (
  { length, columns }: {
    readonly length: number
    readonly columns: {
      readonly x: Int32Array
      readonly y: Int32Array
      readonly a: Int32Array
      readonly b: { readonly values: Float64Array; readonly validity: Uint8Array }
      readonly s: { readonly values: Uint8Array; readonly offsets: Uint32Array }
    }
  },
) =>
  Array.from({ length }, (_, i) => ({
    x: columns.x[i],
    y: columns.y[i],
    a: columns.a[i],
    b: columns.b.validity[i] === 0 ? null : columns.b.values[i],
    s: String.fromCharCode(...columns.s.values.subarray(columns.s.offsets[i], columns.s.offsets[i + 1])),
  }))

type Row = ReturnType<typeof rowsOf>[number]

/** The same conditions as functions. */
const holds: Readonly<Record<string, (row: Row) => boolean>> = {
  "a > 8": ({ a }) => a > 8,
  "a < 3 and b != None": ({ a, b }) => a < 3 && b !== null,
  "b == None": ({ b }) => b === null,
  "b >= 4.0": ({ b }) => b !== null && b >= 4,
  "b != 2.0": ({ b }) => b !== null && b !== 2,
  "s == 's5' or a == 11": ({ s, a }) => s === "s5" || a === 11,
  "s < 's3'": ({ s }) => s < "s3",
  "not (a <= 9)": ({ a }) => a > 9,
  "a in [1, 7] and x > 4": ({ a, x }) => (a === 1 || a === 7) && x > 4,
  "y < 2": ({ y }) => y < 2,
}

describe("sparse reads that skip tiles", () => {
  it("return the newest cells that match, for any overlap of fragments", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.array(points, { minLength: 1, maxLength: 5 }),
        conditions,
        // deletes cannot test for null
        FastCheck.option(conditions.filter((text) => !text.includes("None")), { freq: 3 }),
        orders,
        (writes, where, deleted, order) =>
          inMemory(Effect.gen(function* () {
            const array = yield* TileArray.create("mem://points", Points)
            for (const { places, shift, odd } of writes) {
              const a = places.map((place) => Math.floor(place / SIDE) + shift)
              yield* Sparse.write(array, {
                x: Int32Array.from(places, (place) => Math.floor(place / SIDE)),
                y: Int32Array.from(places, (place) => place % SIDE),
                a: Int32Array.from(a),
                b: {
                  values: Float64Array.from(a, (value) => value % 5 === 0 ? odd ?? 0 : value),
                  validity: Uint8Array.from(a, (value) => value % 5 === 0 && odd === null ? 0 : 1),
                },
                s: a.map((value) => `s${Math.abs(value) % 10}`),
              })
            }
            if (deleted !== null) yield* Sparse.delete(array, deleted)
            const opened = yield* TileArray.reopen(array)
            const all = rowsOf(yield* Sparse.read(opened, { order }))
            const matches = rowsOf(yield* Sparse.read(opened, { order, where }))
            assertEquals(matches, all.filter(holds[where]))
          })),
      ),
      { numRuns: 150 },
    ))

  it("read only tiles of newer fragments that may hide matching cells", () =>
    inMemory(Effect.gen(function* () {
      const Line = ArraySchema.sparse({
        dims: { x: Dim.int32([0, 99_999], { tile: 1000 }) },
        attrs: { a: Attr.int32(), wide: Attr.float64() },
        capacity: 1000,
      })
      const array = yield* TileArray.create("mem://line", Line)
      const x = Int32Array.from({ length: 100_000 }, (_, i) => i)
      yield* Sparse.write(array, { x, a: x, wide: new Float64Array(x.length) })
      yield* Sparse.write(array, { x, a: x.map((i) => i - 50_000), wide: new Float64Array(x.length) })
      const opened = yield* TileArray.reopen(array)
      const read = Sparse.read(opened, { where: "a > 49999", select: ["wide"] })
      const { fragments } = yield* Sparse.explain(opened, { where: "a > 49999", select: ["wide"] })
      assertEquals(fragments.map((fragment) => fragment.read), [50, 50])
      yield* read
      const { answer, bytes } = yield* traced(read)
      assertEquals(answer.length, 0)
      // coordinates and `a` of a hundred tiles, but no tile of `wide` because no cell matches
      assert(bytes < 100 * 1000 * (4 + 4) + 100 * 100, `${bytes} bytes`)
    })))

  it("do not deduplicate if the fragments are disjoint", () =>
    inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://points", Points)
      const write = (x: number) =>
        Sparse.write(array, {
          x: Int32Array.of(x, x),
          y: Int32Array.of(x, x + 1),
          a: Int32Array.of(1, 2),
          b: { values: new Float64Array(2), validity: new Uint8Array(2) },
          s: ["", ""],
        })
      yield* write(0)
      yield* write(5)
      const apart = yield* TileArray.reopen(array)
      assertEquals((yield* Sparse.explain(apart, { order: "unordered" })).deduplicates, false)
      assertEquals((yield* Sparse.explain(apart, { order: "unordered" })).sorts, false)
      yield* write(5)
      const together = yield* TileArray.reopen(array)
      assertEquals((yield* Sparse.explain(together, { order: "unordered" })).deduplicates, true)
      assertEquals((yield* Sparse.explain(together, { order: "unordered", region: { x: 0 } })).deduplicates, false)
      assertEquals((yield* Sparse.read(together)).length, 4)
    })))

  it("check the statistics of a fragment before the statistics of tiles", () =>
    inMemory(Effect.gen(function* () {
      const Many = ArraySchema.sparse({
        dims: { x: Dim.int32([0, 99_999], { tile: 1000 }) },
        attrs: { a: Attr.int32() },
        capacity: 4,
      })
      const array = yield* TileArray.create("mem://many", Many)
      const x = Int32Array.from({ length: 80_000 }, (_, i) => i)
      yield* Sparse.write(array, { x, a: x.map((i) => (7919 * i) % 1000) })
      const metadataOf = (where: string) =>
        Effect.gen(function* () {
          const opened = yield* TileArray.open("mem://many")
          const { answer, bytes } = yield* traced(Sparse.read(opened, { where, select: ["a"] }))
          return { length: answer.length, bytes }
        })
      const none = yield* metadataOf("a > 5000")
      assertEquals(none.length, 0)
      // the minima and maxima of 20,000 tiles have 160,000 bytes; a read of the file's tail has 65,536
      assert(none.bytes < 100_000, `${none.bytes} bytes`)
      assertEquals((yield* metadataOf("x > 80000")).bytes, 0)
      assertEquals((yield* metadataOf("a == 5")).length, 80)
    })))
})

const SIZE = 10

const Grid = ArraySchema.dense({
  dims: { r: Dim.int32([0, SIZE - 1], { tile: 3 }), c: Dim.int32([0, SIZE - 1], { tile: 4 }) },
  attrs: { a: Attr.fill(Attr.int32(), 7), b: Attr.nullable(Attr.float64()), s: Attr.ascii() },
})

/** A written box, and the offset of its values. */
const box = FastCheck.record({
  r: FastCheck.tuple(FastCheck.nat(SIZE - 1), FastCheck.nat(SIZE - 1)),
  c: FastCheck.tuple(FastCheck.nat(SIZE - 1), FastCheck.nat(SIZE - 1)),
  shift: FastCheck.integer({ min: -10, max: 10 }),
  odd: FastCheck.constantFrom(NaN, null, 0),
})

const denseConditions = FastCheck.constantFrom(
  "a > 8",
  "a == 7",
  "a < 3 and b != None",
  "b == None",
  "b >= 4.0",
  "s == 's5' or a == 11",
  "not (a <= 9)",
  "r > 6",
  "c < 2 and a < 0",
)

describe("dense reads that skip tiles", () => {
  it("return the matching cells of an unfiltered read, and fill values", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.array(box, { minLength: 1, maxLength: 4 }),
        denseConditions,
        orders,
        FastCheck.boolean(),
        (boxes, condition, order, evolves) =>
          inMemory(Effect.gen(function* () {
            const made = yield* TileArray.create("mem://grid", Grid)
            for (const { r, c, shift, odd } of boxes) {
              const rows = [Math.min(...r), Math.max(...r)] as const
              const columns = [Math.min(...c), Math.max(...c)] as const
              const width = columns[1] - columns[0] + 1
              const a = Int32Array.from(
                { length: (rows[1] - rows[0] + 1) * width },
                (_, i) => Math.floor(i / width) + shift,
              )
              yield* Dense.write(made, { r: rows, c: columns }, {
                a,
                b: {
                  values: Float64Array.from(a, (value) => value % 5 === 0 ? odd ?? 0 : value),
                  validity: Uint8Array.from(a, (value) => value % 5 === 0 && odd === null ? 0 : 1),
                },
                s: Array.from(a, (value) => `s${Math.abs(value) % 10}`),
              })
            }
            if (evolves) {
              yield* TileArray.evolve("mem://grid", { addAttributes: { later: Attr.fill(Attr.int16(), 3) } })
              const cells = Array.from({ length: 12 }, (_, i) => i)
              yield* Dense.write(yield* TileArray.open("mem://grid"), { r: [1, 3], c: [2, 5] }, {
                a: Int32Array.from(cells),
                b: { values: Float64Array.from(cells), validity: new Uint8Array(12).fill(1) },
                s: cells.map((i) => `s${i}`),
                later: Int16Array.from(cells),
              })
            }
            const array = yield* TileArray.open("mem://grid")
            const where = evolves ? `(${condition}) or later == 3` : condition
            const ranges = { r: [0, SIZE - 1], c: [[0, 4], [6, SIZE - 1]] } as const
            const all = yield* Dense.read(array, {
              region: ranges,
              order,
              select: ["r", "c", "a", "b", "s", ...(evolves ? ["later"] : [])],
            })
            const filtered = yield* Dense.read(array, { region: ranges, order, where, select: ["s", "a", "b"] })
            const n = all.columns.a.length
            for (let i = 0; i < n; i++) {
              const text = (column: typeof all.columns.s) =>
                String.fromCharCode(
                  ...(column.values as Uint8Array).subarray(column.offsets![i], column.offsets![i + 1]),
                )
              const { b } = all.columns
              const row: Row = {
                x: Number(all.columns.r.values[i]),
                y: Number(all.columns.c.values[i]),
                a: Number(all.columns.a.values[i]),
                b: b.validity![i] === 0 ? null : Number(b.values[i]),
                s: text(all.columns.s),
              }
              const isMatch = denseHolds[condition](row) || (evolves && all.columns.later.values[i] === 3)
              const [a, nullable, s] = [filtered.columns.a, filtered.columns.b, filtered.columns.s]
              assertEquals(
                [Number(a.values[i]), nullable.validity![i] === 0 ? null : Number(nullable.values[i]), text(s)],
                isMatch ? [row.a, row.b, row.s] : [7, null, "\0"],
                `cell ${i} of ${where}`,
              )
            }
          })),
      ),
      { numRuns: 150 },
    ))

  it("skip tiles by statistics, and read other columns only for tiles with matching cells", () =>
    inMemory(Effect.gen(function* () {
      const Wide = ArraySchema.dense({
        dims: { r: Dim.int32([0, 99], { tile: 10 }), c: Dim.int32([0, 99], { tile: 100 }) },
        attrs: { a: Attr.int32(), wide: Attr.float64(), text: Attr.ascii() },
      })
      const made = yield* TileArray.create("mem://wide", Wide)
      const n = 10_000
      const a = Int32Array.from({ length: n }, (_, i) => i)
      yield* Dense.write(made, {}, {
        a,
        wide: Float64Array.from(a),
        text: Array.from(a, (i) => `cell ${String(i).padStart(5, "0")}`),
      })
      const array = yield* TileArray.reopen(made)
      const read = (where: string, select: ReadonlyArray<"a" | "wide" | "text">) =>
        Effect.map(
          traced(Dense.read(array, { where, select })),
          ({ answer, requests, bytes }) => ({ answer, requests, bytes }),
        )
      yield* read("a >= 0 and wide >= 0.0 and text != ''", ["a", "wide", "text"])

      const none = yield* read("a > 20000", ["wide", "text"])
      assertEquals([none.requests, none.bytes], [0, 0])
      assert(none.answer.columns.wide.every(Number.isNaN))

      const tile = (cell: number) => 1000 * cell
      const one = yield* read("a == 4321", ["wide"])
      assertEquals(one.requests, 2)
      assert(one.bytes >= tile(4 + 8) && one.bytes < tile(4 + 8) + 200, `${one.bytes} bytes`)
      assertEquals(one.answer.columns.wide.filter((value) => !Number.isNaN(value)), Float64Array.of(4321))

      // dense arrays have no statistics of text, but only one tile contains a matching cell
      const text = yield* read("text == 'cell 01234'", ["wide", "a"])
      const texts = (yield* read("text == 'cell 99999'", ["wide", "a"])).bytes
      assert(text.bytes - texts >= tile(12) && text.bytes - texts < tile(12) + 400, `${text.bytes - texts} bytes`)

      const rows = yield* read("r >= 95", ["wide"])
      assert(rows.bytes >= tile(8) && rows.bytes < tile(8) + 200, `${rows.bytes} bytes`)
      const plan = yield* Dense.explain(array, { where: "r >= 95 or a < 10" })
      assertEquals(plan.fragments.map(({ tiles, inRanges, ruledOut, read }) => [tiles, inRanges, ruledOut, read]), [
        [10, 10, 8, 2],
      ])
    })))
})

const denseHolds: Readonly<Record<string, (row: Row) => boolean>> = {
  ...holds,
  "a == 7": ({ a }) => a === 7,
  "r > 6": ({ x }) => x > 6,
  "c < 2 and a < 0": ({ y, a }) => y < 2 && a < 0,
}
