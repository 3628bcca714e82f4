/** What the consolidation tests of TileDB verify, as our own cases; `ports.md` lists the tests of TileDB and ours. */
import { assert, assertEquals } from "@std/assert"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Dense, Dim, Sparse, TileArray } from "../../mod.ts"
import { inMemory } from "../support/in_memory.ts"

const uri = "mem://array"

const names = Effect.map(
  Effect.flatMap(TileArray.open(uri), (array) => TileArray.fragments(array)),
  (fragments) => fragments.map(({ name }) => name),
)

describe("consolidation of dense fragments", () => {
  const Line = ArraySchema.dense({ dims: { x: Dim.int32([10, 110], { tile: 50 }) }, attrs: { a: Attr.float32() } })
  const values = (at?: number) =>
    Effect.gen(function* () {
      const array = yield* TileArray.open(uri, Line, at === undefined ? {} : { at })
      return [...(yield* Dense.read(array, { region: { x: [10, 110] } })).columns.a]
    })
  const write = (low: number, high: number, value: number, at: number) =>
    Effect.gen(function* () {
      const array = yield* TileArray.open(uri, Line)
      yield* Dense.write(array, { x: [low, high] }, { a: new Float32Array(high - low + 1).fill(value) }, { at })
    })

  it("keeps cells in the last, partial tile of the domain", async () => {
    const [cells, count] = await inMemory(Effect.gen(function* () {
      yield* TileArray.create(uri, Line, { at: 1 })
      yield* write(10, 109, 1, 10)
      yield* write(110, 110, 2, 20)
      yield* TileArray.consolidate(uri)
      yield* TileArray.vacuum(uri, { age: 0 })
      return [yield* values(), (yield* names).length] as const
    }))
    assertEquals(cells, [...Array.from({ length: 100 }, () => 1), 2])
    assertEquals(count, 1)
  })

  it("keeps earlier times readable until the vacuum", async () => {
    const states = await inMemory(Effect.gen(function* () {
      yield* TileArray.create(uri, Line, { at: 1 })
      yield* write(10, 60, 1, 10)
      yield* write(20, 30, 2, 20)
      const before = [yield* values(10), yield* values()]
      yield* TileArray.consolidate(uri)
      const after = [yield* values(10), yield* values()]
      yield* TileArray.vacuum(uri, { age: 0 })
      return { before, after, current: yield* values() }
    }))
    assertEquals(states.after, states.before)
    assertEquals(states.current, states.before[1])
  })

  it("combines the fragments of a list, and refuses a list with an unknown name", async () => {
    const [count, exit] = await inMemory(Effect.gen(function* () {
      yield* TileArray.create(uri, Line, { at: 1 })
      for (const i of [1, 2, 3]) yield* write(10, 10 + i, i, 10 * i)
      const fragments = yield* names
      yield* TileArray.consolidate(uri, { fragments: fragments.slice(0, 2) })
      const exit = yield* Effect.exit(TileArray.consolidate(uri, { fragments: [fragments[2], `${fragments[2]}x`] }))
      return [(yield* names).length, exit] as const
    }))
    assertEquals(count, 2)
    assert(Exit.isFailure(exit))
    assertEquals((Cause.squash(exit.cause) as { readonly reason?: string }).reason, "Missing")
  })

  it("writes no cells outside of the current domain", async () => {
    const Grown = ArraySchema.dense({
      dims: { x: Dim.int32([0, 999], { tile: 10 }) },
      attrs: { a: Attr.int32() },
      currentDomain: { x: [0, 14] },
    })
    const domain = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create(uri, Grown, { at: 1 })
      yield* Dense.write(array, { x: [0, 4] }, { a: [0, 1, 2, 3, 4] }, { at: 10 })
      yield* Dense.write(array, { x: [5, 14] }, { a: [5, 6, 7, 8, 9, 10, 11, 12, 13, 14] }, { at: 20 })
      yield* TileArray.consolidate(uri)
      yield* TileArray.vacuum(uri, { age: 0 })
      const opened = yield* TileArray.open(uri, Grown)
      const [{ nonEmptyDomain }] = yield* TileArray.fragments(opened)
      const { columns } = yield* Dense.read(opened, { region: { x: [0, 14] } })
      assertEquals([...columns.a], Array.from({ length: 15 }, (_, i) => i))
      return nonEmptyDomain
    }))
    assertEquals(domain, { x: [0, 14] })
  })
})

describe("consolidation of sparse fragments with timestamps", () => {
  const makeSchema = (allowsDuplicates: boolean, capacity: number) =>
    ArraySchema.sparse({
      dims: { x: Dim.int32([0, 99], { tile: 10 }) },
      attrs: { a: Attr.int32() },
      allowsDuplicates,
      capacity,
    })
  const write = (x: ReadonlyArray<number>, a: number, at: number) =>
    Effect.flatMap(
      TileArray.open(uri),
      (array) => Sparse.write(array, { x: [...x], a: x.map(() => a) }, { at }),
    )
  const cells = (at?: number) =>
    Effect.gen(function* () {
      const array = yield* TileArray.open(uri, at === undefined ? {} : { at })
      const { columns, length } = yield* Sparse.read(array, { order: "row" })
      return Array.from({ length }, (_, i) => `${columns.x.values[i]}:${columns.a.values[i]}`).sort()
    })
  const history = Effect.forEach([5, 10, 15, 20, 25, 30, 35, 40, undefined], cells)

  for (const allowsDuplicates of [false, true]) {
    const kind = allowsDuplicates ? "with duplicates" : "without duplicates"
    it(`keeps all times of equal coordinates that fill several tiles, ${kind}`, async () => {
      const [before, after, again] = await inMemory(Effect.gen(function* () {
        yield* TileArray.create(uri, makeSchema(allowsDuplicates, 2), { at: 1 })
        for (const i of [1, 2, 3, 4]) yield* write([7, 8], i, 10 * i)
        const before = yield* history
        yield* TileArray.consolidate(uri, { end: 30 })
        yield* TileArray.vacuum(uri, { age: 0 })
        const after = yield* history
        // a consolidated fragment is consolidated again
        yield* TileArray.consolidate(uri)
        yield* TileArray.vacuum(uri, { age: 0 })
        assertEquals((yield* names).length, 1)
        return [before, after, yield* history] as const
      }))
      assertEquals(after, before)
      assertEquals(again, before)
    })
  }

  it("keeps deletes in effect, and cells that were written again after them", async () => {
    const [before, after, again] = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create(uri, makeSchema(false, 4), { at: 1 })
      yield* write([1, 2, 3], 1, 10)
      yield* Sparse.delete(array, "x == 2", { at: 15 })
      yield* write([2, 4], 2, 20)
      yield* Sparse.delete(array, "a == 1", { at: 25 })
      yield* write([1], 3, 30)
      const before = yield* history
      yield* TileArray.consolidate(uri, { end: 20 })
      yield* TileArray.vacuum(uri, { age: 0 })
      const after = yield* history
      yield* TileArray.consolidate(uri, { mode: "commits" })
      yield* TileArray.vacuum(uri, { mode: "commits", age: 0 })
      yield* TileArray.consolidate(uri)
      yield* TileArray.vacuum(uri, { age: 0 })
      return [before, after, yield* history] as const
    }))
    assertEquals(before.at(-1), ["1:3", "2:2", "4:2"])
    assertEquals(after, before)
    assertEquals(again, before)
  })
})
