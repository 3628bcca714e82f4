/**
 * Tidies arrays: the results of reads do not change, a second call changes nothing, and faults at any call lose
 * nothing.
 */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import { ArraySchema, Attr, Dense, Dim, Sparse, TileArray } from "../../mod.ts"
import { grounds } from "../laws/ground.ts"
import { inMemory } from "../support/in_memory.ts"
import { upkeepLaws } from "./upkeep_laws.ts"

const Points = ArraySchema.sparse({
  dims: { x: Dim.uint32([0, 9999], { tile: 100 }) },
  attrs: { n: Attr.uint8() },
  capacity: 4,
})

const Line = ArraySchema.dense({ dims: { x: Dim.int32([1, 8], { tile: 4 }) }, attrs: { n: Attr.uint8() } })

const write = (uri: string, x: number, at: number, length = 2) =>
  Effect.flatMap(
    TileArray.open(uri, Points),
    (array) =>
      Sparse.write(array, {
        x: Uint32Array.from({ length }, (_, i) => x + i),
        n: Uint8Array.from({ length }, (_, i) => at + i),
      }, { at }),
  )

const makePoints = (uri: string) =>
  Effect.gen(function* () {
    yield* TileArray.create(uri, Points, { at: 1 })
    for (const at of [2, 9]) yield* write(uri, at, at)
    yield* Sparse.delete(yield* TileArray.open(uri, Points), "n == 2", { at: 10 })
    yield* write(uri, 3, 12)
    yield* TileArray.putMetadata(uri, { a: 1 }, { at: 3 })
    yield* TileArray.putMetadata(uri, { b: 2 }, { at: 4 })
  })

const pointsAt = (uri: string, at: number) =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri, Points, { at })
    return (yield* Sparse.read(array)).columns
  })

/** Returns the names of the committed fragments. */
const committed = (uri: string) =>
  Effect.map(Effect.flatMap(TileArray.open(uri), TileArray.fragments), (all) => all.map(({ name }) => name))

const history = (uri: string) => Effect.forEach([2, 9, 10, 12], (at) => pointsAt(uri, at))

const makeLine = (uri: string) =>
  Effect.gen(function* () {
    const line = yield* TileArray.create(uri, Line, { at: 1 })
    for (const at of [2, 3, 4]) {
      yield* Dense.write(line, { x: [at - 1, at + 2] }, { n: Uint8Array.of(at, at, at, at) }, { at })
    }
  })

const newest = (uri: string) =>
  Effect.gen(function* () {
    return (yield* Dense.read(yield* TileArray.open(uri, Line))).columns
  })

for (const [ground, makeGround] of Object.entries(grounds)) {
  describe(`tidy in ${ground}`, () => {
    const act = (uri: string) => TileArray.tidy(uri, { age: 0 })

    it("changes nothing in an array with one fragment", () =>
      inMemory(Effect.gen(function* () {
        const One = ArraySchema.sparse({ dims: { x: Dim.int32([0, 9]) }, attrs: { n: Attr.uint8() } })
        const array = yield* TileArray.create("mem://one", One)
        yield* Sparse.write(array, { x: [1], n: [1] })
        const { before, after, steps } = yield* TileArray.tidy("mem://one", { age: 0 })
        assertEquals(after, before)
        assertEquals(steps.flatMap(({ written, removed }) => [...written, ...removed]), [])
      })))

    it("keeps the cells of sparse arrays at all times, at any fault", async () => {
      assert(await upkeepLaws({ prepare: makePoints, act, read: history, leavesOrphans: committed }, makeGround()) > 0)
    })

    it("keeps the newest cells of dense arrays with dropHistory, at any fault", async () => {
      const drop = (uri: string) => TileArray.tidy(uri, { age: 0, dropHistory: true })
      const law = { prepare: makeLine, act: drop, read: newest, leavesOrphans: committed } as const
      assert(await upkeepLaws(law, makeGround()) > 0)
    })

    it("keeps the cells of dense arrays at all times, at any fault", async () => {
      const states = (uri: string) =>
        Effect.forEach([1, 2, 3, 4], (at) =>
          Effect.map(
            Effect.flatMap(TileArray.open(uri, Line, { at }), (line) => Dense.read(line)),
            ({ columns }) => columns,
          ))
      assert(await upkeepLaws({ prepare: makeLine, act, read: states, leavesOrphans: committed }, makeGround()) > 0)
    })
  })
}

describe("tidy", () => {
  it("combines fragments of dense arrays only with dropHistory", () =>
    inMemory(Effect.gen(function* () {
      yield* makeLine("mem://a")
      const [kept] = (yield* TileArray.tidy("mem://a", { age: 0 })).steps
      assertEquals([kept.mode, kept.written, kept.removed], ["fragments", [], []])
      assert(kept.skipped?.includes("dropHistory"))
      const [dropped] = (yield* TileArray.tidy("mem://a", { age: 0, dropHistory: true })).steps
      assertEquals([dropped.skipped, dropped.written.length > 0, dropped.removed.length > 0], [undefined, true, true])
    })))

  it("reports its work, and a second call changes nothing", () =>
    inMemory(Effect.gen(function* () {
      yield* makePoints("mem://a")
      const before = yield* history("mem://a")
      const dry = yield* TileArray.tidy("mem://a", { age: 0, dryRun: true })
      assertEquals(dry.tasks.map(({ fragments }) => fragments.length), [3])
      assertEquals(dry.after, dry.before)
      const first = yield* TileArray.tidy("mem://a", { age: 0 })
      assertEquals(first.before, dry.before)
      assertEquals(first.steps.map(({ mode }) => mode), ["fragments", "array_meta", "fragment_meta", "commits"])
      assertEquals(first.steps[0].inputs.length, 3)
      assert(first.after.files < first.before.files)
      assert(first.after.openRequests <= first.before.openRequests)
      const second = yield* TileArray.tidy("mem://a", { age: 0 })
      assertEquals(second.steps.flatMap(({ written, removed }) => [...written, ...removed]), [])
      assertEquals([second.before, second.after], [first.after, first.after])
      assertEquals(yield* history("mem://a"), before)
    })))

  it("keeps young files, and removes them when they are old enough", () =>
    inMemory(Effect.gen(function* () {
      yield* makePoints("mem://a")
      const young = yield* TileArray.tidy("mem://a")
      assertEquals(young.steps.flatMap(({ removed }) => removed), [])
      assert(young.steps[0].kept.length === 3)
      assert((yield* TileArray.tidy("mem://a", { age: 0 })).steps[0].removed.length > 0)
    })))

  it("combines neighbours of similar size up to the target size only", () =>
    inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://a", Points, { at: 1 })
      yield* write("mem://a", 0, 2, 2000)
      for (const at of [3, 4, 5]) yield* write("mem://a", 3000 + at, at)
      const array = yield* TileArray.open("mem://a", Points)
      assertEquals((yield* TileArray.fragments(array)).length, 4)
      const level = yield* TileArray.tidy("mem://a", { dryRun: true })
      assertEquals(level.tasks.map(({ fragments }) => fragments.length), [3])
      const all = yield* TileArray.tidy("mem://a", { dryRun: true, levelFactor: 1e6 })
      assertEquals(all.tasks.map(({ fragments }) => fragments.length), [4])
      const tiny = yield* TileArray.tidy("mem://a", { dryRun: true, targetSize: 1 })
      assertEquals(tiny.tasks, [])
    })))

  it("loses no cell of a writer that runs in parallel", () =>
    inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://a", Points, { at: 1 })
      const writer = Effect.forEach(Array.from({ length: 20 }, (_, i) => i), (i) => write("mem://a", 10 * i, 2 + i))
      const upkeep = Effect.forEach([1, 2, 3, 4], () => TileArray.tidy("mem://a", { age: 0 }))
      yield* Effect.all([writer, upkeep], { concurrency: "unbounded" })
      const array = yield* TileArray.open("mem://a", Points, { at: 1000 })
      const { length, columns } = yield* Sparse.read(array)
      const expected = Array.from({ length: 40 }, (_, i) => 10 * (i >> 1) + i % 2)
      assertEquals([length, [...columns.x]], [40, expected])
    })))

  it("rejects invalid options", () =>
    inMemory(Effect.gen(function* () {
      yield* makePoints("mem://a")
      for (const options of [{ age: -1 }, { targetSize: 0 }, { levelFactor: 0.5 }, { memory: 0 }]) {
        const error = yield* Effect.flip(TileArray.tidy("mem://a", options))
        assertEquals(error._tag, "InvalidOption")
      }
    })))
})
