/** Reads and incomplete queries that TileDB-Py's tests of libtiledb verify, with arrays of our own. */
import { assert, assertEquals } from "@std/assert"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Cells, Dense, Dim, ResultTooLarge, Sparse, TileArray } from "../../mod.ts"
import { inMemory } from "../support/in_memory.ts"

const cellOrders = ["row-major", "col-major", "hilbert"] as const
const upTo = (n: number): ReadonlyArray<number> => Array.from({ length: n }, (_, i) => i)

/** Returns the next larger double of a positive one. */
const nextDouble = (value: number): number => {
  const bits = new BigInt64Array(Float64Array.of(value).buffer)
  bits[0]++
  return new Float64Array(bits.buffer)[0]
}

describe("dense reads as in TileDB-Py", () => {
  it("return the writes up to a timestamp, or in a range of timestamps", () =>
    inMemory(Effect.gen(function* () {
      const Line = ArraySchema.dense({ dims: { x: Dim.int64([0, 2], { tile: 3 }) }, attrs: { a: Attr.float64() } })
      const made = yield* TileArray.create("mem://line", Line)
      yield* Dense.write(made, {}, { a: [0, 0, 0] }, { at: 10 })
      yield* Dense.write(made, { x: [0n, 0n] }, { a: [1] }, { at: 20 })
      yield* Dense.write(made, { x: [1n, 1n] }, { a: [2] }, { at: 30 })
      const read = (when: TileArray.OpenOptions) =>
        Effect.gen(function* () {
          const array = yield* TileArray.open("mem://line", Line, when)
          return [...(yield* Dense.read(array, { region: { x: [0n, 2n] } })).columns.a]
        })
      assertEquals(yield* read({ at: 9 }), [NaN, NaN, NaN])
      assertEquals(yield* read({ at: 10 }), [0, 0, 0])
      assertEquals(yield* read({ at: 20 }), [1, 0, 0])
      assertEquals(yield* read({ at: 30 }), [1, 2, 0])
      assertEquals(yield* read({ start: 20, end: 30 }), [1, 2, NaN])
      assertEquals(yield* read({ start: 20, end: 29 }), [1, NaN, NaN])
      assertEquals(yield* read({ start: 30 }), [NaN, 2, NaN])
      assertEquals(yield* read({ end: 20 }), [1, 0, 0])
    })))

  it("support one to five dimensions", () =>
    inMemory(Effect.gen(function* () {
      for (const sizes of [[7], [3, 4], [2, 3, 4], [2, 3, 2, 3], [2, 2, 2, 2, 2]]) {
        const uri = `mem://box${sizes.length}`
        const dims = Object.fromEntries(sizes.map((size, d) => [`d${d}`, Dim.uint32([0, size - 1], { tile: 2 })]))
        const count = sizes.reduce((n, size) => n * size, 1)
        for (const [t, type] of [Attr.int8(), Attr.uint16(), Attr.int64(), Attr.float32(), Attr.float64()].entries()) {
          const made = yield* TileArray.create(`${uri}${t}`, ArraySchema.dense({ dims, attrs: { a: type } }))
          const untyped = made as unknown as TileArray.TileArray
          yield* Dense.write(untyped, {}, { a: upTo(count) })
          const { shape, columns } = yield* Dense.read(yield* TileArray.open(`${uri}${t}`))
          assertEquals([shape, Array.from(columns.a.values, Number)], [sizes, [...upTo(count)]])
        }
      }
    })))

  it("return var-sized cells of a later write in place of earlier ones", () =>
    inMemory(Effect.gen(function* () {
      const Lists = ArraySchema.dense({
        dims: { r: Dim.int64([0, 3], { tile: 4 }), c: Dim.int64([0, 3], { tile: 4 }) },
        attrs: { a: Attr.varSized(Attr.uint64()) },
      })
      const made = yield* TileArray.create("mem://lists", Lists)
      const first = upTo(16).map((i) => i % 2 === 0 ? [1n] : [1n, 2n])
      const second = upTo(16).map((i) => upTo(i + 1).map((k) => BigInt(i + k)))
      const inner = [5, 6, 9, 10]
      yield* Dense.write(made, {}, { a: first })
      yield* Dense.write(made, { r: [1n, 2n], c: [1n, 2n] }, { a: inner.map((i) => second[i]) })
      const { columns } = yield* Dense.read(yield* TileArray.open("mem://lists"))
      assertEquals(
        upTo(16).map((
          i,
        ) => [...(columns.a.values.slice(columns.a.offsets![i], columns.a.offsets![i + 1]) as BigUint64Array)]),
        first.map((cell, i) => inner.includes(i) ? second[i] : cell),
      )
    })))

  it("return var-sized cells in batches, down to a few bytes", () =>
    inMemory(Effect.gen(function* () {
      const Texts = ArraySchema.dense({
        dims: { x: Dim.uint64([1, 40], { tile: 5 }) },
        attrs: { text: Attr.utf8() },
      })
      const made = yield* TileArray.create("mem://texts", Texts)
      // all tiles have the same size
      const texts = upTo(40).map((i) => "ü".repeat(2 * (i % 5)))
      yield* Dense.write(made, {}, { text: texts })
      const array = yield* TileArray.open("mem://texts")
      for (const memory of [1500, 4000, 2 ** 20]) {
        const batches = yield* Stream.runCollect(Dense.stream(array, { memory }))
        assertEquals(Chunk.toReadonlyArray(batches).flatMap(({ columns }) => Cells.texts(columns.text)), texts)
      }
      const error = yield* Effect.flip(Stream.runDrain(Dense.stream(array, { memory: 10 })))
      assert(error instanceof ResultTooLarge && error.needed > 10)
      const enough = yield* Stream.runCollect(Dense.stream(array, { memory: error.needed }))
      assertEquals(Chunk.toReadonlyArray(enough).flatMap(({ columns }) => Cells.texts(columns.text)), texts)
    })))
})

describe("sparse reads as in TileDB-Py", () => {
  for (const order of cellOrders) {
    it(`compare floats exactly (${order})`, () =>
      inMemory(Effect.gen(function* () {
        const Line = ArraySchema.sparse({
          order,
          dims: { x: Dim.float64([-10, 10], { tile: 2 }) },
          attrs: { a: Attr.float32() },
        })
        const made = yield* TileArray.create("mem://floats", Line)
        const [before, c0, c1, c2, after] = upTo(5).reduce<ReadonlyArray<number>>(
          (all) => all.length === 0 ? [3.01] : [...all, nextDouble(all.at(-1)!)],
          [],
        )
        yield* Sparse.write(made, { x: [c2, c0, c1], a: [3, 1, 2] })
        const array = yield* TileArray.reopen(made)
        const inside = (low: number, high: number) =>
          Effect.map(Sparse.read(array, { region: { x: [low, high] } }), ({ columns }) => [...columns.a])
        assertEquals(yield* inside(c0, c0), [1])
        assertEquals(yield* inside(c1, c1), [2])
        assertEquals(yield* inside(c0, c1), [1, 2])
        assertEquals(yield* inside(c0, c2), [1, 2, 3])
        assertEquals(yield* inside(before, c0), [1])
        assertEquals(yield* inside(before, before), [])
        assertEquals(yield* inside(c2, after), [3])
        assertEquals(yield* inside(after, after), [])
      })))

    it(`return only the selected dimensions (${order})`, () =>
      inMemory(Effect.gen(function* () {
        const Grid = ArraySchema.sparse({
          order,
          dims: { i: Dim.int64([1, 10], { tile: 1 }), j: Dim.int64([11, 20], { tile: 1 }) },
          attrs: { a: Attr.int64() },
        })
        const made = yield* TileArray.create("mem://grid", Grid)
        const [i, j] = [[1, 1, 1, 2, 3, 3, 3, 4], [11, 12, 14, 13, 11, 16, 17, 15]]
        yield* Sparse.write(made, { i, j, a: upTo(8) })
        const array = yield* TileArray.reopen(made)
        const { columns: onlyI } = yield* Sparse.read(array, { select: ["i"] })
        assertEquals([Object.keys(onlyI), Array.from(onlyI.i, Number)], [["i"], i])
        const { columns: both } = yield* Sparse.read(array, { select: ["j", "i"] })
        assertEquals([Object.keys(both), Array.from(both.j, Number)], [["j", "i"], j])
      })))

    it(`sort texts and select ranges of texts, with and without duplicates (${order})`, () =>
      inMemory(Effect.gen(function* () {
        for (const allowsDuplicates of [false, true]) {
          for (const texts of [["aa", "bbb", "c", "dddd"], ["", "a", "ab", "b"], [""], ["a"]]) {
            const uri = `mem://${allowsDuplicates}${texts.length}${texts[0]}`
            const schema = ArraySchema.sparse({
              order,
              allowsDuplicates,
              dims: { d: Dim.ascii() },
              attrs: { a: Attr.int64() },
            })
            const made = yield* TileArray.create(uri, schema)
            yield* Sparse.write(made, { d: texts.toReversed(), a: upTo(texts.length) })
            const array = yield* TileArray.open(uri)
            const { columns } = yield* Sparse.read(array, { region: { d: [texts[0], texts.at(-1)!] } })
            assertEquals(Cells.texts(columns.d), texts)
            assertEquals(Array.from(columns.a.values, Number), upTo(texts.length).toReversed())
            assertEquals(TileArray.nonEmptyDomain(array)?.d, [texts[0], texts.at(-1)!])
          }
        }
      })))

    it(`select ranges of times in nanoseconds (${order})`, () =>
      inMemory(Effect.gen(function* () {
        const Times = ArraySchema.sparse({
          order,
          dims: { t: Dim.datetime("ns", ["1970-01-01", 9_223_372_035_854_775_807n], { tile: 1_000_000_000n }) },
          attrs: { a: Attr.float64() },
        })
        const made = yield* TileArray.create("mem://times", Times)
        const values = upTo(10_000).map((i) => i / 7)
        yield* Sparse.write(made, { t: BigInt64Array.from(values, (_, i) => BigInt(i) * 1000n), a: values })
        const array = yield* TileArray.reopen(made)
        const a = (region: { readonly t: readonly [bigint | null, bigint | null] }) =>
          Effect.map(Sparse.read(array, { region, select: ["a"] }), ({ columns }) => [...columns.a])
        assertEquals(yield* a({ t: [0n, 10_000n] }), values.slice(0, 11))
        assertEquals(yield* a({ t: [9_990_000n, null] }), values.slice(9990))
        assertEquals((yield* a({ t: [null, null] })).length, 10_000)
      })))

    it(`return batches in global order (${order})`, () =>
      inMemory(Effect.gen(function* () {
        for (const tileOrder of ["row-major", "col-major"] as const) {
          const uri = `mem://parts${tileOrder}`
          const schema = ArraySchema.sparse({
            order,
            tileOrder,
            allowsDuplicates: true,
            capacity: 4,
            dims: { x: Dim.int64([0, 30], { tile: 10 }) },
            attrs: { a: Attr.int64() },
          })
          const made = yield* TileArray.create(uri, schema)
          const values = upTo(30).map((i) => (7 * i) % 10)
          yield* Sparse.write(made, { x: upTo(30), a: values })
          const array = yield* TileArray.open(uri)
          const batches = yield* Stream.runCollect(Sparse.stream(array, { order: "global", memory: 1200 }))
          assert(Chunk.size(batches) > 1)
          assertEquals(
            Chunk.toReadonlyArray(batches).flatMap(({ columns }) => Array.from(columns.a.values, Number)),
            values,
          )
        }
      })))
  }

  it("return the dates, texts and numbers of duplicate cells in the same row", () =>
    inMemory(Effect.gen(function* () {
      const Rides = ArraySchema.sparse({
        allowsDuplicates: true,
        dims: { id: Dim.int32([1, 5000], { tile: 25 }) },
        attrs: { at: Attr.datetime("sec"), kind: Attr.ascii(), cost: Attr.int32(), zone: Attr.int8() },
      })
      const made = yield* TileArray.create("mem://rides", Rides)
      const at = ["2017-04-01T04:00:00", "2019-10-01T00:00:00", "2019-10-01T00:00:01", "2019-10-01T00:00:02"]
      const kind = ["Bus", "The RIDE", "The RIDE", ""]
      yield* Sparse.write(made, { id: [1, 462, 462, 462], at, kind, cost: [6911721, 1, 2, 3], zone: [20, -23, 23, 0] })
      const { columns } = yield* Sparse.read(yield* TileArray.open("mem://rides"))
      const rows = upTo(4).map((i) =>
        [columns.at, columns.kind, columns.cost, columns.zone].map((column) => String(Cells.values(column)[i])).join()
      )
      const expected = upTo(4).map((i) =>
        [String(BigInt(Date.parse(`${at[i]}Z`) / 1000)), kind[i], [6911721, 1, 2, 3][i], [20, -23, 23, 0][i]].join()
      )
      assertEquals(rows.toSorted(), expected.toSorted())
    })))

  it("return var-sized cells in batches, and no batch for an empty region", () =>
    inMemory(Effect.gen(function* () {
      for (const allowsDuplicates of [false, true]) {
        const uri = `mem://texts${allowsDuplicates}`
        const schema = ArraySchema.sparse({
          allowsDuplicates,
          capacity: 10,
          dims: { x: Dim.uint64([0, 200], { tile: 100 }) },
          attrs: { text: Attr.utf8(), list: Attr.varSized(Attr.int64()) },
        })
        const made = yield* TileArray.create(uri, schema)
        const texts = upTo(100).map((i) => "é".repeat((i * 37) % 60))
        // a few cells contain nearly all values
        const lists = upTo(100).map((i) => upTo(i % 50 === 0 ? 1000 : 1).map((k) => BigInt(k)))
        yield* Sparse.write(made, { x: upTo(100), text: texts, list: lists })
        const array = yield* TileArray.open(uri)
        for (const memory of [2 ** 16, 2 ** 18, 2 ** 24]) {
          const batches = Chunk.toReadonlyArray(
            yield* Stream.runCollect(Sparse.stream(array, { memory, order: "row" })),
          )
          assertEquals(batches.flatMap(({ columns }) => Cells.texts(columns.text)), texts)
          assertEquals(
            batches.flatMap(({ columns: { list } }) =>
              upTo(list.length).map((i) => list.offsets![i + 1] - list.offsets![i])
            ),
            lists.map((list) => list.length),
          )
          assertEquals(batches.length > 1, memory < 2 ** 18)
        }
        const none = yield* Stream.runCollect(Sparse.stream(array, { region: { x: [101, 105] }, memory: 2 ** 16 }))
        assertEquals(Chunk.size(none), 0)
      }
    })))
})
