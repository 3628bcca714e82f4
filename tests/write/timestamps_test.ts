/** The timestamps of writes: each is later than those of all existing fragments, for any clock. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import {
  ArraySchema,
  Attr,
  Csv,
  Dense,
  Dim,
  Group,
  layerNative,
  Metadata,
  Sparse,
  TileArray,
  type WriteError,
} from "../../mod.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import { Storage } from "../../platform/storage/service.ts"
import { makeCounters, withCounters } from "../../platform/storage/middleware/counters.ts"
import { parseName } from "../../schema/name/timestamped_name.ts"
import type { Needs } from "../support/change_array.ts"
import { inMemory } from "../support/in_memory.ts"

const Points = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 999_999]), name: Dim.ascii() },
  attrs: { a: Attr.int32() },
})

/** The number of rows that are written together. */
const PART = 4096

const Board = ArraySchema.dense({ dims: { x: Dim.int32([0, PART - 1], { tile: 512 }) }, attrs: { a: Attr.int32() } })

/** Returns `parts` parts of rows, each with all cells of the board. */
const boardRows = (parts: number) =>
  Stream.map(Stream.range(0, parts * PART - 1), (i) => ({ x: i % PART, a: Math.floor(i / PART) }))

const Row = Schema.Struct({ x: Schema.Int, a: Schema.Int })

const Runs = ArraySchema.dense({
  dims: { run: Dim.uint32([1, 4], { tile: 2 }) },
  attrs: { a: Attr.int32() },
  labels: { day: { dim: "run", type: "float64", order: "increasing" } },
})

const cells = (from: number, length: number, a: number) => ({
  x: Int32Array.from({ length }, (_, i) => from + i),
  name: Array.from({ length }, (_, i) => `n${from + i}`),
  a: new Int32Array(length).fill(a),
})

const startsOf = (names: ReadonlyArray<string>) => names.map((name) => parseName(name)!.start)

const HOUR = 3_600_000

/** Returns a clock that does not advance. */
const at = (millis: number): Clock.Clock => ({
  ...Clock.make(),
  currentTimeMillis: Effect.succeed(millis),
  unsafeCurrentTimeMillis: () => millis,
})

/** Returns the `WriteError` that an effect fails with. */
const writeError = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assertEquals(error._tag, "WriteError", String(error))
    return error as unknown as WriteError
  })

describe("fragments of one write", () => {
  it("have one millisecond each if they may contain the same cell, and the last one wins", async () => {
    await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Points)
      const batches = Stream.map(Stream.range(0, 39), (i) => cells(7, 3, i))
      const { fragments } = yield* Stream.run(batches, Sparse.sink(array, { memory: 1 }))
      const now = Date.now()
      const starts = startsOf(fragments)
      assertEquals([starts.length, new Set(starts).size], [40, 40])
      assertEquals(starts, starts.toSorted((a, b) => a - b))
      assert(starts[39] <= now, `the last fragment is of ${starts[39]}, and the write was over at ${now}`)
      const { columns } = yield* Sparse.read(yield* TileArray.open("mem://a", Points))
      assertEquals(columns.a, Int32Array.of(39, 39, 39))
    }))
  })

  it("of dense rows have one millisecond for each part", async () => {
    await inMemory(Effect.gen(function* () {
      const board = yield* TileArray.create("mem://a", Board)
      const { fragments } = yield* Dense.writeRows(board, boardRows(20), Row, { memory: 1 })
      const starts = startsOf(fragments)
      assertEquals([starts.length, new Set(starts).size], [20, 20])
      const { columns } = yield* Dense.read(yield* TileArray.open("mem://a", Board))
      assertEquals(columns.a, new Int32Array(PART).fill(19))
    }))
  })

  it("share one millisecond if they cannot contain the same cell", async () => {
    await inMemory(Effect.gen(function* () {
      const Many = ArraySchema.sparse({ dims: Points.dims, attrs: Points.attrs, allowsDuplicates: true })
      const many = yield* TileArray.create("mem://many", Many)
      const batches = Stream.map(Stream.range(0, 9), (i) => cells(7, 3, i))
      const { fragments } = yield* Stream.run(batches, Sparse.sink(many, { memory: 1 }))
      assertEquals([fragments.length, new Set(startsOf(fragments)).size], [10, 1])
    }))
  })

  it("do not wait if the clock stands still", async () => {
    await inMemory(
      Effect.gen(function* () {
        const array = yield* TileArray.create("mem://a", Points)
        const batches = Stream.map(Stream.range(0, 4), (i) => cells(0, 1, i))
        const { fragments } = yield* Stream.run(batches, Sparse.sink(array, { memory: 1 }))
        assertEquals(startsOf(fragments), [5000, 5001, 5002, 5003, 5004])
      }).pipe(Effect.withClock(at(5000))),
    )
  })
})

describe("fragments of one write with an explicit timestamp", () => {
  const batches = (...all: ReadonlyArray<ReturnType<typeof cells>>) => Stream.fromIterable(all)

  it("share the timestamp, and reject duplicate cells", async () => {
    await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Points)
      const all = Array.from({ length: 40 }, (_, i) => cells(10 * i, 10, i))
      const { fragments } = yield* Stream.run(batches(...all), Sparse.sink(array, { memory: 1, at: 5000 }))
      assertEquals([fragments.length, new Set(startsOf(fragments)).size], [40, 1])
      for (const duplicates of ["refuse", "first"] as const) {
        const sink = Sparse.sink(array, { memory: 1, at: 6000, duplicates })
        const error = yield* writeError(Stream.run(batches(cells(0, 10, 1), cells(20, 10, 2), cells(15, 10, 3)), sink))
        assertEquals([error.cell, error.other], [25, undefined])
        assertStringIncludes(error.message, 'the coordinates x = 20, name = "n20" were given before')
      }
      assertEquals((yield* TileArray.open("mem://a", { at: 6000 })).schema.allowsDuplicates, false)
      const { columns } = yield* Sparse.read(yield* TileArray.open("mem://a", Points))
      assertEquals(columns.a.length, 400)
    }))
  })

  it("are not checked for duplicates if there is one fragment or the array allows duplicates", async () => {
    await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Points)
      // one fragment: duplicates in it are dropped as usual
      const sink = Sparse.sink(array, { at: 5000, duplicates: "first" })
      const { cells: written } = yield* Stream.run(batches(cells(0, 10, 1), cells(5, 10, 2)), sink)
      assertEquals(written, 15)
      const Many = ArraySchema.sparse({ dims: Points.dims, attrs: Points.attrs, allowsDuplicates: true })
      const many = yield* TileArray.create("mem://many", Many)
      const same = batches(cells(0, 10, 1), cells(0, 10, 2))
      assertEquals((yield* Stream.run(same, Sparse.sink(many, { at: 5000, memory: 1 }))).fragments.length, 2)
    }))
  })

  it("report the row of a duplicate cell, sparse and dense", async () => {
    await inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://sparse", Points)
      const board = yield* TileArray.create("mem://dense", Board)
      const rows = (length: number) => Array.from({ length }, (_, i) => `${i},n,${i}`)
      const sparse = (more: ReadonlyArray<string>) =>
        Csv.append("mem://sparse", Stream.make(["x,name,a", ...rows(9000), ...more].join("\n")), {
          at: 5000,
          memory: 1000,
        })
      const error = yield* Effect.flip(sparse(["9000,n,1", "17,n,1"]))
      assert(error._tag === "CsvError", String(error))
      // row 1 contains the column names
      assertEquals(error.row, 9003)
      assertStringIncludes(error.message, 'x = 17, name = "n" were given before')
      assertEquals((yield* sparse(["9000,n,1"])).cells, 9001)
      const dense = (parts: number) => Dense.writeRows(board, boardRows(parts), Row, { at: 5000, memory: 1 })
      const refused = yield* Effect.flip(dense(2))
      assert(refused._tag === "RowError", String(refused))
      assertEquals(refused.row, PART)
      assertStringIncludes(refused.message, "x = 0 were given before")
      assertEquals((yield* dense(1)).cells, PART)
    }))
  })
})

/**
 * Returns all operations that write without an explicit timestamp, each with the folder whose names contain the
 * timestamp.
 */
const writes = (root: string) => {
  const [points, board, runs, group] = ["points", "board", "runs", "group"].map((name) => `${root}/${name}`)
  const names = (folder: string) =>
    Effect.flatMap(
      Storage,
      (storage) => Effect.map(storage.list(folder), (all) => all.map(({ name }) => parseName(name)?.end ?? 0)),
    )
  const newest = (folder: string) => Effect.map(names(folder), (all) => Math.max(...all))
  const made: ReadonlyArray<
    readonly [folder: string, write: Effect.Effect<unknown, { readonly _tag: string }, Needs>]
  > = [
    [
      `${points}/__commits`,
      Effect.flatMap(TileArray.open(points, Points), (array) => Sparse.write(array, cells(0, 2, 1))),
    ],
    [`${points}/__commits`, Effect.flatMap(TileArray.open(points), (array) => Sparse.delete(array, "a == 5"))],
    [
      `${board}/__commits`,
      Effect.flatMap(
        TileArray.open(board, Board),
        (array) => Dense.write(array, { x: [0, 1] }, { a: Int32Array.of(1, 2) }),
      ),
    ],
    [
      `${points}/__commits`,
      Effect.flatMap(
        TileArray.open(points, Points),
        (array) => Stream.run(Stream.make(cells(0, 2, 1)), Sparse.sink(array)),
      ),
    ],
    [
      `${board}/__commits`,
      Effect.flatMap(
        TileArray.open(board, Board),
        (array) => Stream.run(Stream.make({ a: Int32Array.of(1, 2) }), Dense.sink(array, { x: [0, 1] })),
      ),
    ],
    [
      `${runs}/__labels/l0/__commits`,
      Effect.flatMap(
        TileArray.open(runs, Runs),
        (array) => TileArray.writeLabels(array, { run: [1, 2] }, { day: Float64Array.of(1, 2) }),
      ),
    ],
    [`${points}/__meta`, TileArray.putMetadata(points, { title: "new" })],
    [`${points}/__schema`, TileArray.evolve(points, { addAttributes: { b: Attr.int8() } })],
    [`${group}/__meta`, Group.putMetadata(group, { title: "new" })],
    [`${group}/__group`, Group.add(group, { uri: points })],
  ]
  const prepare = Effect.gen(function* () {
    yield* TileArray.create(points, Points)
    yield* TileArray.create(board, Board)
    yield* TileArray.create(runs, Runs)
    yield* Group.create(group)
  })
  return { prepare, newest, made: made.map(([folder, write]) => ({ folder, write })) }
}

const NOW = 1_700_000_000_000

describe("writes when the clock is behind", () => {
  /** Writes an empty file with a later timestamp into a folder; only its name is read. */
  const later = (folder: string, end: number) =>
    Effect.flatMap(Storage, (storage) =>
      storage.write(
        `${folder}/__${end}_${end}_${"a".repeat(32)}${folder.endsWith("__commits") ? "_22.wrt" : ""}`,
        new Uint8Array(0),
      ))

  it("get a timestamp after the existing files, with one warning", async () => {
    const { made, prepare } = writes("mem://r")
    for (const index of made.keys()) {
      const messages: Array<string> = []
      const logger = Logger.make(({ message }) => void messages.push(String(message)))
      const storage = makeMemoryStorage()
      const layer = Layer.merge(Layer.succeed(Storage, storage), layerNative)
      const { made: all, newest } = writes("mem://r")
      const { folder, write } = all[index]
      const end = await Effect.runPromise(
        Effect.gen(function* () {
          yield* prepare
          // an empty schema file cannot be read, so the newest schema is a real one
          if (folder.endsWith("__schema")) {
            yield* TileArray.evolve("mem://r/points", { addAttributes: { c: Attr.int8() } }, { at: NOW + 600_000 })
          } else if (folder.endsWith("__group")) {
            yield* Group.add("mem://r/group", { uri: "mem://r/board" }, { at: NOW + 600_000 })
          } else yield* later(folder, NOW + 600_000)
          yield* write
          return yield* newest(folder)
        }).pipe(
          Effect.withClock(at(NOW)),
          Effect.provide(layer),
          Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
        ),
      )
      assertEquals(end, NOW + 600_001, folder)
      assertEquals(messages.length, 1, `${folder}: ${messages}`)
      assertStringIncludes(messages[0], `the clock says ${NOW} (2023-11-14T22:13:20.000Z)`)
      assertStringIncludes(messages[0], `the time ${NOW + 600_000} (`)
    }
    assertEquals(made.length, 10)
  })

  it("fail if the clock is behind by more than an hour, and succeed with an explicit timestamp", async () => {
    for (const index of writes("mem://r").made.keys()) {
      const { prepare, made } = writes("mem://r")
      const { folder, write } = made[index]
      await inMemory(
        Effect.gen(function* () {
          yield* prepare
          const far = NOW + HOUR + 1
          if (folder.endsWith("__schema")) {
            yield* TileArray.evolve("mem://r/points", { addAttributes: { c: Attr.int8() } }, { at: far })
          } else if (folder.endsWith("__group")) {
            yield* Group.add("mem://r/group", { uri: "mem://r/board" }, { at: far })
          } else yield* later(folder, far)
          const storage = yield* Storage
          const before = yield* storage.list(folder)
          const error = yield* Effect.flip(write)
          assertEquals([error._tag, "option" in error && error.option], ["InvalidOption", "at"], folder)
          assertStringIncludes(String(error), `${HOUR + 1} ms ahead of the clock`)
          assertEquals(yield* storage.list(folder), before)
        }).pipe(Effect.withClock(at(NOW))),
      )
    }
    await inMemory(
      Effect.gen(function* () {
        const array = yield* TileArray.create("mem://a", Points)
        yield* Sparse.write(array, cells(0, 1, 1), { at: NOW + 2 * HOUR })
        yield* Sparse.write(array, cells(0, 1, 2), { at: NOW + 2 * HOUR + 1 })
        yield* TileArray.putMetadata(array, { a: 1 }, { at: NOW + 2 * HOUR })
        yield* TileArray.putMetadata(array, { a: 2 }, { at: NOW })
      }).pipe(Effect.withClock(at(NOW))),
    )
  })

  it("list the folder of the array before format 12", async () => {
    await inMemory(
      Effect.gen(function* () {
        for (const formatVersion of [3, 4, 9]) {
          const array = yield* TileArray.create(`mem://${formatVersion}`, Board, { formatVersion })
          yield* Dense.write(array, { x: [0, 1] }, { a: Int32Array.of(1, 2) }, { at: NOW + 100_000 })
          // the array was opened before this write
          const { fragments } = yield* Dense.write(array, { x: [0, 1] }, { a: Int32Array.of(3, 4) })
          assertEquals(startsOf(fragments), [NOW + 100_001])
        }
      }).pipe(Effect.withClock(at(NOW))),
    )
  })
})

describe("writes in the same millisecond", () => {
  it("get a later timestamp than files of another process", async () => {
    const storage = makeMemoryStorage()
    await Effect.runPromise(
      Effect.gen(function* () {
        const array = yield* TileArray.create("mem://a", Points)
        yield* Sparse.write(array, cells(0, 1, 1))
        yield* TileArray.putMetadata(array, { title: "theirs" })
        // as if another process had written them, with random digits greater than ours
        for (const folder of ["__fragments", "__commits", "__meta"]) {
          for (const { name } of yield* storage.list(`mem://a/${folder}`)) {
            yield* renamed(storage, `mem://a/${folder}`, name)
          }
        }
        const opened = yield* TileArray.open("mem://a", Points, { at: NOW })
        yield* Sparse.write(opened, cells(0, 1, 2))
        yield* TileArray.putMetadata(opened, { title: "ours" })
        const after = yield* TileArray.open("mem://a", Points, { at: NOW + 1 })
        const { columns } = yield* Sparse.read(after)
        assertEquals(columns.a, Int32Array.of(2))
        assertEquals(Metadata.values(yield* TileArray.metadata(after)), new Map([["title", "ours"]]))
      }).pipe(Effect.withClock(at(NOW)), Effect.provide(Layer.merge(Layer.succeed(Storage, storage), layerNative))),
    )
  })

  it("get one millisecond each, because engines do not compare the rest of a name", async () => {
    await inMemory(
      Effect.gen(function* () {
        const array = yield* TileArray.create("mem://a", Points)
        for (const a of [0, 1, 2]) {
          const { fragments } = yield* Sparse.write(array, cells(0, 1, a))
          assertEquals(startsOf(fragments), [NOW + a])
        }
        const after = yield* TileArray.open("mem://a", Points, { at: NOW + 2 })
        assertEquals((yield* Sparse.read(after)).columns.a, Int32Array.of(2))
      }).pipe(Effect.withClock(at(NOW))),
    )
  })

  it("are not deleted by an earlier delete", async () => {
    await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Points)
      for (let i = 0; i < 20; i++) {
        yield* Sparse.write(array, cells(0, 1, 7))
        yield* Sparse.delete(yield* TileArray.open("mem://a"), "a == 7")
        yield* Sparse.write(array, cells(0, 1, 7))
        const { columns } = yield* Sparse.read(yield* TileArray.open("mem://a", Points))
        assertEquals(columns.a, Int32Array.of(7), `round ${i}`)
      }
    }))
  })
})

/** Renames a file or folder so that its random digits are the greatest possible. */
const renamed = (storage: Storage, folder: string, name: string): Effect.Effect<void, unknown> =>
  Effect.gen(function* () {
    const other = name.replace(/[0-9a-f]{32}/, "f".repeat(32))
    const files = yield* storage.list(`${folder}/${name}`)
    for (const { name: file } of files) {
      yield* storage.write(`${folder}/${other}/${file}`, yield* storage.read(`${folder}/${name}/${file}`))
    }
    if (files.length === 0) yield* storage.write(`${folder}/${other}`, yield* storage.read(`${folder}/${name}`))
    yield* storage.remove(`${folder}/${name}`)
  })

describe("the timestamp of a write", () => {
  it("costs one listing of the commits", async () => {
    const storage = makeMemoryStorage()
    const trace = makeCounters()
    const traced = withCounters(storage, trace)
    await Effect.runPromise(
      Effect.gen(function* () {
        const array = yield* TileArray.create("mem://a", Points)
        const listings = <A, E>(write: Effect.Effect<A, E, Needs>) =>
          Effect.gen(function* () {
            const before = trace.calls.list
            yield* Effect.provideService(write, Storage, traced)
            return trace.calls.list - before
          })
        assertEquals(yield* listings(Sparse.write(array, cells(0, 1, 1))), 1)
        assertEquals(yield* listings(Sparse.write(array, cells(0, 1, 1), { at: NOW })), 1)
        const batches = Stream.map(Stream.range(0, 5), (i) => cells(0, 1, i))
        assertEquals(yield* listings(Stream.run(batches, Sparse.sink(array, { memory: 1 }))), 1)
        assertEquals(yield* listings(TileArray.putMetadata(array, { a: 1 })), 1)
        assertEquals(yield* listings(TileArray.putMetadata(array, { a: 1 }, { at: NOW })), 0)
      }).pipe(Effect.provide(Layer.merge(Layer.succeed(Storage, storage), layerNative))),
    )
  })
})

describe("a write at the timestamp of an existing fragment", () => {
  const Line = ArraySchema.dense({ dims: { x: Dim.int32([1, 100], { tile: 10 }) }, attrs: { a: Attr.int32() } })
  const Places = ArraySchema.sparse({ dims: { x: Dim.int32([1, 100], { tile: 10 }) }, attrs: { a: Attr.int32() } })
  const make = Effect.gen(function* () {
    // arrays that are opened here do not contain the writes that follow
    return [
      yield* TileArray.create("mem://line", Line),
      yield* TileArray.create("mem://places", Places),
    ] as const
  }).pipe(Effect.orDie)
  const logged = <A, E>(program: (lines: Array<string>) => Effect.Effect<A, E, Needs>): Promise<A> => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    return inMemory(Effect.provide(program(lines), Logger.replace(Logger.defaultLogger, logger)))
  }
  const box = (from: number, to: number): [number, number] => [from, to]

  it("logs a warning if it has the same cells, and none for other cells or another timestamp", () =>
    logged((lines) =>
      Effect.gen(function* () {
        const [line, places] = yield* make
        for (const i of [1, 2, 3]) {
          yield* Dense.write(line, { x: box(10 * i, 10 * i + 9) }, { a: new Int32Array(10) }, { at: 5000 })
          yield* Sparse.write(places, { x: [10 * i, 10 * i + 9], a: [1, 2] }, { at: 5000 })
        }
        yield* Dense.write(line, { x: box(10, 19) }, { a: new Int32Array(10) }, { at: 5001 })
        yield* Dense.write(line, { x: box(10, 19) }, { a: new Int32Array(10) })
        yield* Dense.write(line, { x: box(10, 19) }, { a: new Int32Array(10) })
        assertEquals(lines, [])
        yield* Dense.write(line, { x: box(19, 20) }, { a: new Int32Array(2) }, { at: 5000 })
        yield* Sparse.write(places, { x: [15], a: [1] }, { at: 5000 })
        yield* Stream.run(Stream.make({ x: [35], a: [1] }), Sparse.sink(places, { at: 5000 }))
        assertEquals(lines.length, 3)
        assertStringIncludes(lines[0], "mem://line: the array has some of these cells at the same time, 5000; ")
        for (const text of lines.slice(1)) {
          assertStringIncludes(text, "mem://places: the array has cells in the same box at the same time, 5000; ")
        }
      })
    ))

  it("is rejected if engines would disagree: the same dense cells, and more than 16 fragments", () =>
    logged(() =>
      Effect.gen(function* () {
        const [line] = yield* make
        const write = (x: number, at: number) => Dense.write(line, { x: box(x, x) }, { a: [x] }, { at })
        for (let i = 1; i <= 15; i++) yield* write(i, 5000 + i)
        yield* write(10, 5010)
        const error = yield* writeError(write(10, 5010))
        assertStringIncludes(error.message, "more than 16 fragments (this would be number 17)")
        const rows = Stream.make({ x: 10, a: 1 })
        assertStringIncludes((yield* writeError(Dense.writeRows(line, rows, Row, { at: 5010 }))).message, "number 17")
        const storage = yield* Storage
        assertEquals((yield* storage.list("mem://line/__fragments")).length, 16)
        // other cells with that timestamp, and the same cells with another one
        yield* write(20, 5010)
        yield* write(10, 5030)
        assertEquals((yield* TileArray.open("mem://line")).schema.arrayType, "dense")
      })
    ))
})
