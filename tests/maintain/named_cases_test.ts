/** Known defects of the original engine, as cases that must not occur here. Names start with the number of the issue. */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, it } from "node:test"
import { ArraySchema, Attr, type Codecs, Dim, Sparse, TileArray } from "../../mod.ts"
import { layerNative, makeMemoryStorage, StorageService } from "../../platform/mod.ts"
import { mapStorage } from "../../platform/storage/map_storage.ts"
import { inMemory } from "../support/in_memory.ts"

const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 999]) }, attrs: { n: Attr.int32() }, capacity: 4 })
const uri = "mem://a"

const makeArray = Effect.gen(function* () {
  const array = yield* TileArray.create(uri, Points, { at: 1 })
  for (const k of [1, 2, 3, 4, 5]) {
    yield* Sparse.write(array, { x: [k, k + 1], n: [k, 10 * k] }, { at: 10 * k })
    yield* TileArray.putMetadata(array, { [`key ${k}`]: k, last: k }, { at: 10 * k })
  }
})

const keyOf = ({ key }: { readonly key: Uint8Array }): string => new TextDecoder().decode(key)

/** Returns cells and metadata, at a time or now. */
const stateAt = (at?: number) =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri, at === undefined ? {} : { at })
    const { columns } = yield* Sparse.read(array, { order: "row" })
    const keys = at === undefined ? (yield* TileArray.metadata(array)).map(keyOf).sort() : []
    return JSON.stringify([[...columns.x.values].map(Number), [...columns.n.values].map(Number), keys])
  })

const permutations = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length === 0
    ? [[]]
    : items.flatMap((item, i) =>
      permutations([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest])
    )

const MODES = ["fragments", "fragment_meta", "commits", "array_meta"] as const

describe("TileDB-Py#1885: orders of consolidation and vacuum", () => {
  for (const [i, order] of permutations(MODES).entries()) {
    it(`keep all states: ${order.join(", ")}`, () =>
      inMemory(Effect.gen(function* () {
        yield* makeArray
        const times = [15, 25, 35, 50]
        const before = [yield* stateAt(), ...yield* Effect.forEach(times, stateAt)]
        const vacuums = permutations(MODES)[(i * 7) % 24]
        for (const mode of order) yield* TileArray.consolidate(uri, { mode })
        assertEquals([yield* stateAt(), ...yield* Effect.forEach(times, stateAt)], before)
        for (const mode of vacuums) {
          yield* TileArray.vacuum(uri, { mode, age: 0 })
          assertEquals([yield* stateAt(), ...yield* Effect.forEach(times, stateAt)], before, mode)
        }
        // and again, on the result
        for (const mode of vacuums) {
          yield* TileArray.consolidate(uri, { mode })
          yield* TileArray.vacuum(uri, { mode, age: 0 })
        }
        assertEquals([yield* stateAt(), ...yield* Effect.forEach(times, stateAt)], before)
      })))
  }
})

describe("TileDB#5774: order of removals", () => {
  it("a vacuum removes the commit of a fragment before its data", async () => {
    const removed: Array<string> = []
    const memory = makeMemoryStorage()
    const storage = {
      ...mapStorage(memory, {}),
      remove: (at: string) => Effect.zipRight(Effect.sync(() => removed.push(at)), memory.remove(at)),
      removeAll: (all: ReadonlyArray<string>) =>
        Effect.zipRight(Effect.sync(() => removed.push(...all)), memory.removeAll(all)),
    }
    const layer = Layer.merge(Layer.succeed(StorageService, storage), layerNative)
    const program = Effect.gen(function* () {
      yield* makeArray
      yield* TileArray.consolidate(uri)
      removed.length = 0
      return yield* TileArray.vacuum(uri, { age: 0 })
    })
    await Effect.runPromise(Effect.provide(program as Effect.Effect<unknown, unknown, StorageService | Codecs>, layer))
    const commits = removed.filter((path) => path.endsWith(".wrt"))
    assertEquals(commits.length, 5)
    for (const commit of commits) {
      const name = commit.slice(commit.lastIndexOf("/") + 1, -".wrt".length)
      const data = removed.findIndex((path) => path.includes(`__fragments/${name}`))
      assert(data > removed.indexOf(commit), `${name}: ${removed.join("\n")}`)
    }
  })
})

describe("TileDB#5698: metadata is written, combined and read at the same time", () => {
  it("a read never fails, and returns one of the written states", async () => {
    const memory = makeMemoryStorage()
    // every call lets the other fibers and timers run
    const task = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 0)))
    const turn = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.zipRight(task, call)
    const storage = mapStorage(memory, { read: turn, list: turn, write: turn })
    const layer = Layer.merge(Layer.succeed(StorageService, storage), layerNative)
    const program = Effect.gen(function* () {
      const array = yield* TileArray.create(uri, Points)
      yield* TileArray.putMetadata(array, { a: 0, b: 0 })
      let isDone = false
      const writer = Effect.gen(function* () {
        for (let k = 1; k <= 20; k++) yield* TileArray.putMetadata(uri, { a: k, b: k })
        isDone = true
      })
      const combiner = Effect.gen(function* () {
        while (!isDone) {
          yield* TileArray.consolidate(uri, { mode: "array_meta" })
          yield* TileArray.vacuum(uri, { mode: "array_meta", age: 0 })
        }
      })
      const reader = Effect.gen(function* () {
        let reads = 0
        while (!isDone) {
          const items = yield* TileArray.metadata(yield* TileArray.open(uri))
          const value = (key: string) => [...items.find((item) => keyOf(item) === key)?.value ?? []].join()
          assert(value("a") !== "")
          assertEquals(value("a"), value("b"))
          reads++
        }
        return reads
      })
      const [, , reads] = yield* Effect.all([writer, combiner, reader], { concurrency: "unbounded" })
      return reads
    })
    const reads = await Effect.runPromise(
      Effect.provide(program as Effect.Effect<number, unknown, StorageService | Codecs>, layer),
    )
    assert(reads > 5, `${reads}`)
  })
})

describe("time ranges that touch", () => {
  it("combine each fragment once, and keep all states", () =>
    inMemory(Effect.gen(function* () {
      yield* makeArray
      const times = [10, 20, 30, 40, 50]
      const before = yield* Effect.forEach(times, stateAt)
      yield* TileArray.consolidate(uri, { start: 10, end: 30 })
      // the fragment of time 30 is part of a combined one, which is not entirely in the range
      yield* TileArray.consolidate(uri, { start: 30, end: 50 })
      assertEquals(yield* Effect.forEach(times, stateAt), before)
      yield* TileArray.vacuum(uri, { age: 0 })
      assertEquals(yield* Effect.forEach(times, stateAt), before)
      assertEquals((yield* TileArray.fragments(yield* TileArray.open(uri))).length, 2)
    })))

  it("of one time combine nothing else", () =>
    inMemory(Effect.gen(function* () {
      yield* makeArray
      assertEquals((yield* TileArray.consolidate(uri, { start: 30, end: 30 })).written, [])
      assertEquals((yield* TileArray.fragments(yield* TileArray.open(uri))).length, 5)
    })))
})

describe("timestamps of different digit counts", () => {
  it("are combined in the order of time, in commits too", () =>
    inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create(uri, Points, { at: 1 })
      for (const at of [9, 10, 99, 100, 1000]) yield* Sparse.write(array, { x: [1], n: [at] }, { at })
      const times = [9, 50, 99, 500, 2000]
      const before = yield* Effect.forEach(times, stateAt)
      yield* TileArray.consolidate(uri, { mode: "commits" })
      yield* TileArray.vacuum(uri, { mode: "commits", age: 0 })
      assertEquals(yield* Effect.forEach(times, stateAt), before)
      yield* TileArray.consolidate(uri)
      yield* TileArray.vacuum(uri, { age: 0 })
      assertEquals(yield* Effect.forEach(times, stateAt), before)
    })))
})
