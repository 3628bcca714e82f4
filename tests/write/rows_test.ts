/** Rows through Effect schemas: reads return the written rows. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import {
  ArraySchema,
  Attr,
  Cells,
  Dense,
  Dim,
  RowError,
  Sparse,
  StorageService,
  TileArray,
  WriteError,
} from "../../mod.ts"
import { inMemory } from "../support/in_memory.ts"

class Quake extends Schema.Class<Quake>("Quake")({
  id: Schema.BigIntFromSelf,
  lat: Schema.Number,
  place: Schema.NonEmptyString,
  depth: Schema.NullOr(Schema.Number),
  count: Schema.Int,
  felt: Schema.Boolean,
  at: Schema.DateFromSelf,
  later: Schema.optional(Schema.DateFromSelf),
  scale: Schema.NullOr(Schema.Literal("mw", "ml")),
  raw: Schema.Uint8ArrayFromSelf,
  note: Schema.optionalWith(Schema.String, { default: () => "none" }),
}) {}

const Quakes = ArraySchema.fromRows(Quake, { dims: { id: Dim.int64([0, 100_000]), lat: Dim.float64([-90, 90]) } })

const quake = (id: number): Quake =>
  Quake.make({
    id: BigInt(id),
    lat: (id * 7) % 90 - 0.5,
    place: `place ${id}`,
    depth: id % 3 === 0 ? null : id / 8,
    count: id - 5,
    felt: id % 2 === 0,
    at: new Date(id * 1e6),
    ...(id % 4 === 0 ? {} : { later: new Date(id * 1e7) }),
    scale: id % 5 === 0 ? null : id % 2 === 0 ? "mw" : "ml",
    raw: Uint8Array.from({ length: id % 4 }, () => id),
    note: id % 6 === 0 ? "none" : "é".repeat(id % 3),
  })

const quakes = Array.from({ length: 10_000 }, (_, i) => quake(i))

const read = <S extends ArraySchema.ArraySchema<"sparse"> | undefined>(array: TileArray.TileArray<S>) =>
  Effect.flatMap(TileArray.reopen(array as TileArray.TileArray), (reopened) => Sparse.read(reopened))

describe("rows of sparse arrays", () => {
  it("contain lists for cells of several values", async () => {
    const Lists = Schema.Struct({
      x: Schema.Int,
      floats: Schema.Array(Schema.Number),
      pair: Schema.NullOr(Schema.Tuple(Schema.Int, Schema.Int)),
      whole: Schema.NonEmptyArray(Schema.BigIntFromSelf),
      flags: Schema.Array(Schema.Boolean).pipe(Schema.maxItems(3)),
      bytes: Schema.Uint8ArrayFromSelf,
    })
    const schema = ArraySchema.fromRows(Lists, {
      dims: { x: Dim.int32([0, 9]) },
      attrs: {
        floats: Attr.varSized(Attr.float64()),
        pair: Attr.nullable(Attr.multiValue(Attr.int64(), 2)),
        whole: Attr.varSized(Attr.int64()),
        flags: Attr.varSized(Attr.bool()),
      },
    })
    const rows = [
      { x: 1, floats: [], pair: null, whole: [-(2n ** 63n)], flags: [true, false], bytes: Uint8Array.of(1) },
      { x: 2, floats: [NaN, -0], pair: [-1, 2] as const, whole: [1n, 2n], flags: [], bytes: Uint8Array.of() },
    ] as const
    const decoded = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", schema)
      yield* Sparse.writeRows(array, rows, Lists)
      return yield* Sparse.decodeRows(yield* read(array), Lists)
    }))
    assertEquals(decoded, rows)
  })

  it("are read with the values that were written", async () => {
    const decoded = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Quakes)
      const written = yield* Sparse.writeRows(array, quakes.toReversed(), Quake)
      assertEquals([written.cells, written.fragments.length], [quakes.length, 1])
      return yield* Sparse.decodeRows(yield* read(array), Quake)
    }))
    assertEquals(decoded, quakes)
    assert(decoded[0] instanceof Quake)
  })

  it("can be a stream that buffers as much as the memory option allows", async () => {
    const seen: Array<number> = []
    await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Quakes)
      const rows = Stream.map(Stream.range(0, 9_999), quake)
      const options = { memory: 200_000, onProgress: ({ cells }: Sparse.WriteProgress) => seen.push(cells) }
      const { cells, fragments } = yield* Sparse.writeRows(array, rows, Quake, options)
      assertEquals([cells, fragments.length], [10_000, 3])
      const back = Sparse.rows(Quake)(Effect.flatMap(TileArray.open("mem://a"), (array) => Sparse.read(array)))
      assertEquals(Chunk.toReadonlyArray(yield* Stream.runCollect(back)), quakes)
    }))
    assertEquals(seen, [4096, 8192, 10_000, 10_000])
  })

  it("can require services, and accept values in every input form", async () => {
    class Offset extends Context.Tag("Offset")<Offset, number>() {}
    const Shifted = Schema.transformOrFail(Schema.Number, Schema.Number, {
      decode: (x) => Effect.map(Offset, (offset) => x + offset),
      encode: (x) => Effect.map(Offset, (offset) => x - offset),
    })
    const Loose = Schema.Struct({ t: Schema.Any, n: Schema.Any, x: Shifted })
    const Times = ArraySchema.sparse({
      dims: { t: Dim.datetime("day", ["2000-01-01", "2030-01-01"]) },
      attrs: { n: Attr.uint64(), x: Attr.float32() },
    })
    const rows = [
      { t: "2001-02-03", n: 1, x: 11 },
      { t: new Date("2002-01-01"), n: 2n ** 63n, x: 12 },
      { t: DateTime.unsafeMake("2003-01-01"), n: 3n, x: 13 },
    ]
    const columns = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Times)
      yield* Effect.provideService(Sparse.writeRows(array, rows, Loose), Offset, 10)
      return (yield* Sparse.read(yield* TileArray.reopen(array))).columns
    }))
    assertEquals(columns.n, BigUint64Array.of(1n, 2n ** 63n, 3n))
    assertEquals(columns.x, Float32Array.of(1, 2, 3))
  })

  it("are rejected with the row and the field, and nothing is written", async () => {
    const Row = Schema.Struct({ x: Schema.Int, a: Schema.Int, color: Schema.String, more: Schema.optional(Schema.Any) })
    const Colors = ArraySchema.sparse({
      dims: { x: Dim.int32([0, 9999]) },
      attrs: { a: Attr.uint8(), color: Attr.enumerated(Attr.uint8(), "colors") },
      enumerations: { colors: ["red", "green"] },
    })
    const good = Array.from({ length: 5000 }, (_, x) => ({ x, a: 1, color: "red" }))
    const bad = (row: object) => [...good, row] as typeof good
    await inMemory(Effect.gen(function* () {
      const storage = yield* StorageService
      const array = yield* TileArray.create("mem://a", Colors)
      const cases = [
        [bad({ x: 5000, a: 1.5, color: "red" }), /^mem:\/\/a: row 5000: a: Expected an integer, actual 1.5$/],
        [bad({ x: 5000, a: 256, color: "red" }), /^mem:\/\/a: row 5000: a: 256 does not fit into uint8/],
        [bad({ x: 5000, a: 1, color: "blue" }), /row 5000: color: "blue" is not a value of the enumeration "colors"$/],
        [bad({ x: 5000, a: 1, color: "red", more: 1 }), /row 5000: more: the array has no such field$/],
        [bad({ x: 10_000, a: 1, color: "red" }), /row 5000: x: 10000 is outside the domain/],
        [
          bad({ x: 7, a: 1, color: "red" }),
          /row 5000: the coordinates x = 7 are duplicated; .* \(the other is row 7\)$/,
        ],
      ] as const
      for (const [rows, message] of cases) {
        const error = yield* Effect.flip(Sparse.writeRows(array, rows, Row))
        assert(error instanceof RowError, String(error))
        assertEquals(error.row, 5000)
        assertMatch(error.message, message)
        assertEquals(yield* storage.list("mem://a/__fragments"), [])
      }
      const dense = yield* Effect.flip(Dense.writeRows(array as never, good, Row))
      assert(dense instanceof WriteError, String(dense))
    }))
  })
})

describe("rows of dense arrays", () => {
  const Day = Schema.Struct({
    day: Schema.BigIntFromSelf,
    station: Schema.BigIntFromNumber,
    temperature: Schema.NullOr(Schema.Number),
    note: Schema.String,
  })
  const Weather = ArraySchema.fromRows(Day, {
    arrayType: "dense",
    dims: {
      day: Dim.int64([2n ** 62n, 2n ** 62n + 365n], { tile: 7n }),
      station: Dim.int64([1, 100], { tile: 10 }),
    },
  })
  const from = 2n ** 62n + 31n
  const days = Array.from({ length: 30 * 20 }, (_, i) => ({
    day: 2n ** 62n + BigInt(31 + Math.floor(i / 20)),
    station: BigInt(1 + i % 20),
    temperature: i % 7 === 0 ? null : i / 4,
    note: "x".repeat(i % 3),
  }))
  const cellsOf = (array: TileArray.TileArray) =>
    Effect.map(
      Dense.read(array),
      ({ shape, columns }) => [shape, Cells.values(columns.temperature), Cells.texts(columns.note)],
    )

  it("become boxes, in any order", async () => {
    await inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://once", Weather)
      yield* Dense.write(yield* TileArray.open("mem://once"), { day: [from, from + 29n], station: [1, 20] }, {
        temperature: days.map(({ temperature }) => temperature),
        note: days.map(({ note }) => note),
      })
      const want = yield* cellsOf(yield* TileArray.open("mem://once"))
      const parts = [days.slice(0, 100), days.slice(333), days.slice(100, 333)].flat()
      for (const rows of [days, days.toReversed(), parts]) {
        const array = yield* TileArray.create(`mem://${rows[0].station}-${rows.indexOf(days[400])}`, Weather)
        const written = yield* Dense.writeRows(array, rows, Day)
        assertEquals([written.cells, written.fragments.length], [600, 1])
        assertEquals(yield* cellsOf(yield* TileArray.open(array.uri)), want)
      }
    }))
  })

  it("are split when the memory is full, and committed at once", async () => {
    await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Weather)
      const many = Array.from({ length: 100 * 100 }, (_, i) => ({
        ...days[i % 600],
        day: from + BigInt(Math.floor(i / 100)),
        station: BigInt(1 + i % 100),
      }))
      const { cells, fragments } = yield* Dense.writeRows(array, Stream.fromIterable(many), Day, { memory: 100_000 })
      // 4,096 cells are 40 rows and a part of one, 4 cells, 40 rows and a part of one, 8 cells and 18 rows
      assertEquals([cells, fragments.length], [10_000, 7])
      const result = yield* Dense.read(yield* TileArray.open("mem://a"), {
        select: ["day", "station", "temperature", "note"],
      })
      assertEquals(yield* Dense.decodeRows(result, Day), many)
    }))
  })

  it("are rejected with the row, or because they are scattered", async () => {
    const why = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Weather)
      const storage = yield* StorageService
      const refused = (rows: typeof days) =>
        Effect.map(Effect.flip(Dense.writeRows(array, rows, Day)), ({ message }) => message)
      const all = [
        yield* refused([...days, days[3]]),
        yield* refused([days[0], { ...days[1], station: 101n }]),
        yield* refused(
          Array.from({ length: 300 }, (_, i) => ({ ...days[0], station: BigInt(1 + i % 100), day: from + BigInt(i) })),
        ),
      ]
      assertEquals(yield* storage.list("mem://a/__fragments"), [])
      return all
    }))
    assertMatch(
      why[0],
      /^mem:\/\/a: row 600: the coordinates day = \d+, station = 4 are duplicated.*\(the other is row 3\)$/,
    )
    assertMatch(why[1], /^mem:\/\/a: row 1: station: 101 is outside the domain, from 1 to 100/)
    assertMatch(why[2], /300 cells make 300 boxes/)
  })

  it("become one box if an old format can commit only one", async () => {
    const error = await inMemory(Effect.gen(function* () {
      const Old = ArraySchema.dense({ dims: { x: Dim.int32([0, 99], { tile: 10 }) }, attrs: { a: Attr.int32() } })
      const Row = Schema.Struct({ x: Schema.Int, a: Schema.Int })
      const array = yield* TileArray.create("mem://a", Old, { formatVersion: 7 })
      yield* Dense.writeRows(array, [{ x: 3, a: 1 }, { x: 2, a: 5 }], Row)
      assertEquals((yield* Dense.read(yield* TileArray.reopen(array))).columns.a, Int32Array.of(5, 1))
      return yield* Effect.flip(Dense.writeRows(array, [{ x: 3, a: 1 }, { x: 5, a: 5 }], Row))
    }))
    assert(error instanceof WriteError)
    assertMatch(error.message, /these cells need several fragments, which arrays before format 12 cannot commit/)
  })
})
