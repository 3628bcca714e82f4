/** Combines fragments of generated arrays; cells at all times are equal before and after. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { ArraySchema, Attr, Dense, Dim, Filter, MaintenanceError, Sparse, TileArray } from "../../mod.ts"
import { Storage } from "../../platform/storage/service.ts"
import { grounds } from "../laws/ground.ts"
import { inMemory } from "../support/in_memory.ts"
import { upkeepLaws } from "./upkeep_laws.ts"

const schemaOf = (strings: boolean, duplicates: boolean, order: "row" | "hilbert") => {
  const attrs = {
    n: Attr.uint8({ filters: [Filter.zstd()] }),
    t: Attr.nullable(Attr.utf8()),
    kind: Attr.enumerated(Attr.uint8(), "kinds"),
  }
  const options = {
    attrs,
    enumerations: { kinds: ["rain", "snow"] },
    capacity: 3,
    allowsDuplicates: duplicates,
    ...(order === "hilbert" ? { order: "hilbert" as const } : {}),
  }
  return strings
    ? ArraySchema.sparse({ dims: { x: Dim.int32([-50, 50], { tile: 7 }), name: Dim.ascii() }, ...options })
    : ArraySchema.sparse({
      dims: { x: Dim.int32([-50, 50], { tile: 7 }), name: Dim.float64([0, 9], { tile: 3 }) },
      ...options,
    })
}

interface Change {
  readonly cells: ReadonlyArray<readonly [x: number, name: number, n: number]>
  readonly deletes: number | undefined
}

const changes = FastCheck.array(
  FastCheck.record({
    cells: FastCheck.uniqueArray(
      FastCheck.tuple(FastCheck.integer({ min: -4, max: 4 }), FastCheck.nat(3), FastCheck.nat(5)),
      { selector: ([x, name]) => `${x} ${name}`, minLength: 1, maxLength: 12 },
    ),
    deletes: FastCheck.option(FastCheck.nat(5), { nil: undefined, freq: 3 }),
  }),
  { minLength: 2, maxLength: 6 },
)

const columnsOf = ({ cells }: Change, strings: boolean) => ({
  x: Int32Array.from(cells, ([x]) => x),
  name: strings ? cells.map(([, name]) => "n".repeat(name)) : Float64Array.from(cells, ([, name]) => name),
  n: Uint8Array.from(cells, ([, , n]) => n),
  t: cells.map(([x, , n]) => n % 3 === 0 ? null : `${x}:${n}`),
  kind: Uint8Array.from(cells, ([, , n]) => n % 2),
})

/**
 * Creates an array with a change at each of the times 8, 16, 24 and so on, and deletes four milliseconds after a write.
 */
const makeArray = (
  uri: string,
  [strings, duplicates, order]: Parameters<typeof schemaOf>,
  all: ReadonlyArray<Change>,
) =>
  Effect.gen(function* () {
    yield* TileArray.create(uri, schemaOf(strings, duplicates, order), { at: 1 })
    for (const [i, change] of all.entries()) {
      const at = 8 * (i + 1)
      const array = yield* TileArray.open(uri, { at: 10_000 })
      yield* Sparse.write(array, columnsOf(change, strings), { at })
      if (change.deletes !== undefined) {
        yield* Sparse.delete(yield* TileArray.open(uri, { at: 10_000 }), `n == ${change.deletes}`, { at: at + 4 })
      }
    }
  })

/** Returns the cells as sorted lines, because the order of equal cells of an array with duplicates is undefined. */
const cellsAt = (uri: string, at: number, isSorted = true) =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri, { at })
    const { length, columns } = yield* Sparse.read(array, {
      select: ["x", "name", "n", "t", "kind", "__timestamps"],
    })
    const lines = Array.from({ length }, (_, i) =>
      Object.values(columns).map(({ values, offsets, validity }) => {
        const value = offsets === undefined ? values[i] : [...values.slice(offsets[i], offsets[i + 1])].join(" ")
        return validity?.[i] === 0 ? "null" : String(value)
      }).join(";"))
    return isSorted ? lines.sort() : lines
  })

const history = (uri: string, count: number) =>
  Effect.forEach(
    Array.from({ length: 2 * (count + 2) }, (_, i) => 4 * i),
    (at) => cellsAt(uri, at),
  )

const kinds: ReadonlyArray<Parameters<typeof schemaOf>> = [
  [false, false, "row"],
  [true, false, "row"],
  [false, true, "row"],
  [true, true, "row"],
  [false, false, "hilbert"],
]

describe("consolidated sparse fragments", () => {
  for (const kind of kinds) {
    it(`keep the cells at all times (strings, duplicates, order: ${kind.join(", ")})`, async () => {
      await FastCheck.assert(
        FastCheck.asyncProperty(changes, FastCheck.nat(6), async (all, split) => {
          await inMemory(Effect.gen(function* () {
            yield* makeArray("mem://a", kind, all)
            const before = yield* history("mem://a", all.length)
            // in two steps: the second one combines a result with later fragments
            yield* TileArray.consolidate("mem://a", { end: 8 * split + 7 })
            assertEquals(yield* history("mem://a", all.length), before)
            yield* TileArray.consolidate("mem://a")
            assertEquals(yield* history("mem://a", all.length), before)
            yield* TileArray.vacuum("mem://a", { age: 0 })
            assertEquals(yield* history("mem://a", all.length), before)
            assertEquals((yield* TileArray.fragments(yield* TileArray.open("mem://a"))).length, 1)
          }))
        }),
        { numRuns: 10, seed: 15 },
      )
    })

    it(`lose only deleted cells with a purge (strings, duplicates, order: ${kind.join(", ")})`, async () => {
      await FastCheck.assert(
        FastCheck.asyncProperty(changes, async (all) => {
          await inMemory(Effect.gen(function* () {
            yield* makeArray("mem://a", kind, all)
            const before = yield* cellsAt("mem://a", 10_000)
            yield* TileArray.consolidate("mem://a", { purgeDeleted: true })
            yield* TileArray.vacuum("mem://a", { age: 0 })
            assertEquals(yield* cellsAt("mem://a", 10_000), before)
          }))
        }),
        { numRuns: 10, seed: 15 },
      )
    })
  }
})

const Line = ArraySchema.dense({
  dims: { x: Dim.int32([1, 30], { tile: 4 }) },
  attrs: { a: Attr.int32(), s: Attr.nullable(Attr.utf8()) },
})

const writeLine = (uri: string, low: number, high: number, at: number) =>
  Effect.flatMap(TileArray.open(uri, Line, { at: 10_000 }), (array) =>
    Dense.write(array, { x: [low, high] }, {
      a: new Int32Array(high - low + 1).fill(at),
      s: Array.from({ length: high - low + 1 }, (_, i) => i % 3 === 0 ? null : `${at}:${i}`),
    }, { at }))

const lineAt = (uri: string, at: number) =>
  Effect.map(
    Effect.flatMap(TileArray.open(uri, Line, { at }), (array) => Dense.read(array, { region: { x: [1, 30] } })),
    ({ columns }) => columns,
  )

const makeLine = (uri: string) =>
  Effect.gen(function* () {
    yield* TileArray.create(uri, Line, { at: 1 })
    yield* writeLine(uri, 2, 9, 9)
    yield* writeLine(uri, 7, 13, 10)
    yield* writeLine(uri, 12, 12, 11)
  })

describe("consolidated dense fragments", () => {
  it("have the newest cells, in arrays of any written box", async () => {
    const boxes = FastCheck.array(FastCheck.tuple(FastCheck.integer({ min: 1, max: 30 }), FastCheck.nat(12)), {
      minLength: 2,
      maxLength: 5,
    })
    await FastCheck.assert(
      FastCheck.asyncProperty(boxes, async (all) => {
        await inMemory(Effect.gen(function* () {
          yield* TileArray.create("mem://a", Line, { at: 1 })
          for (const [i, [low, more]] of all.entries()) {
            yield* writeLine("mem://a", low, Math.min(30, low + more), i + 2)
          }
          const before = yield* lineAt("mem://a", 1000)
          yield* TileArray.consolidate("mem://a", { amplification: 100 })
          assertEquals(yield* lineAt("mem://a", 1000), before)
          yield* TileArray.vacuum("mem://a", { age: 0 })
          assertEquals(yield* lineAt("mem://a", 1000), before)
          assertEquals((yield* TileArray.fragments(yield* TileArray.open("mem://a"))).length, 1)
        }))
      }),
      { numRuns: 20, seed: 15 },
    )
  })

  it("are rejected if the result would cover older cells of another fragment", () =>
    inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://a", Line, { at: 1 })
      yield* writeLine("mem://a", 5, 8, 2)
      yield* writeLine("mem://a", 1, 2, 3)
      yield* writeLine("mem://a", 11, 12, 4)
      const before = yield* lineAt("mem://a", 1000)
      const fragments = yield* TileArray.fragments(yield* TileArray.open("mem://a"))
      const options = { fragments: fragments.slice(1).map(({ name }) => name) }
      const error = yield* Effect.flip(TileArray.consolidate("mem://a", options))
      assert(error instanceof MaintenanceError)
      assertEquals(error.reason, "LosesCells")
      assertStringIncludes(error.message, fragments[0].name)
      assertEquals(yield* lineAt("mem://a", 1000), before)
    })))
})

const all: ReadonlyArray<Change> = [
  { cells: [[1, 1, 1], [2, 1, 2], [3, 2, 3], [-4, 0, 1]], deletes: 2 },
  { cells: [[1, 1, 4], [4, 3, 2]], deletes: undefined },
  { cells: [[2, 1, 5], [3, 2, 0]], deletes: 5 },
]

/** Returns the cells at some times: before and after the deletes. */
const moments = (uri: string) => Effect.forEach([8, 12, 30], (at) => cellsAt(uri, at))

for (const [ground, makeGround] of Object.entries(grounds)) {
  describe(`fragments in ${ground}`, () => {
    it("sparse ones are combined without a change for readers, at any fault", async () => {
      const prepare = (uri: string) => makeArray(uri, [true, false, "row"], all)
      const act = (uri: string) => TileArray.consolidate(uri)
      assert(await upkeepLaws({ prepare, act, read: moments, leavesOrphans: true }, makeGround()) > 0)
    })

    it("sparse ones with duplicates are read twice at most until the vacuum file exists", async () => {
      const prepare = (uri: string) => makeArray(uri, [false, true, "row"], all)
      const act = (uri: string) => TileArray.consolidate(uri)
      const read = moments
      const allows = (seen: unknown, before: unknown) => {
        const [now, then] = [seen, before] as ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>>
        return now.every((cells, i) =>
          new Set(cells).size === new Set(then[i]).size && cells.every((cell) => then[i].includes(cell))
        )
      }
      assert(await upkeepLaws({ prepare, act, read, allows, leavesOrphans: true }, makeGround()) > 0)
    })

    it("dense ones are combined without a change for readers, at any fault", async () => {
      const read = (uri: string) => Effect.forEach([9, 12], (at) => lineAt(uri, at))
      const act = (uri: string) => TileArray.consolidate(uri)
      assert(await upkeepLaws({ prepare: makeLine, act, read, leavesOrphans: true }, makeGround()) > 0)
    })

    it("are vacuumed without a change for readers, at any fault", async () => {
      const prepare = (uri: string) =>
        Effect.gen(function* () {
          yield* makeArray(uri, [true, false, "row"], all)
          yield* TileArray.consolidate(uri, { mode: "commits" })
          yield* TileArray.vacuum(uri, { mode: "commits", age: 0 })
          yield* TileArray.consolidate(uri, { end: 20 })
          yield* TileArray.consolidate(uri)
        })
      const act = (uri: string) => TileArray.vacuum(uri, { age: 0 })
      assert(await upkeepLaws({ prepare, act, read: moments }, makeGround()) > 0)
    })
  })
}

describe("plans", () => {
  it("are carried out in parts, once", () =>
    inMemory(Effect.gen(function* () {
      yield* makeArray("mem://a", [false, false, "row"], [...all, ...all])
      const before = yield* history("mem://a", 6)
      const plan = yield* TileArray.consolidationPlan("mem://a", { minFragments: 2, maxFragments: 3 })
      assertEquals(plan.map(({ fragments }) => fragments.length), [3, 3])
      const tasks = plan.map((task) => JSON.parse(JSON.stringify(task)))
      yield* TileArray.runConsolidationTasks("mem://a", [tasks[1]])
      yield* TileArray.runConsolidationTasks("mem://a", [tasks[0]])
      assertEquals(yield* history("mem://a", 6), before)
      const storage = yield* Storage
      const files = yield* storage.list("mem://a/__fragments")
      // a task that is run again changes nothing
      const results = yield* TileArray.runConsolidationTasks("mem://a", tasks)
      assertEquals(results.map(({ written }) => written.length), [0, 0])
      assertEquals(yield* storage.list("mem://a/__fragments"), files)
    })))

  it("fail before any write if tasks overlap, are stale, or are invalid", () =>
    inMemory(Effect.gen(function* () {
      yield* makeArray("mem://a", [false, false, "row"], all)
      const [task] = yield* TileArray.consolidationPlan("mem://a")
      const reasonOf = (tasks: ReadonlyArray<typeof task>) =>
        Effect.map(Effect.flip(TileArray.runConsolidationTasks("mem://a", tasks)), (error) =>
          error._tag === "MaintenanceError" ? error.reason : error._tag)
      const part = { ...task, fragments: task.fragments.slice(1) }
      assertEquals(yield* reasonOf([task, part]), "Overlap")
      assertEquals(yield* reasonOf([{ ...task, version: 2 as 1 }]), "InvalidOption")
      const unknown = [...task.fragments.slice(1), `__1_1_${"0".repeat(32)}_22`]
      assertEquals(yield* reasonOf([{ ...task, fragments: unknown }]), "Missing")
      yield* TileArray.runConsolidationTasks("mem://a", [task])
      assertEquals(yield* reasonOf([part]), "Stale")
    })))

  it("limit the size of a fragment", () =>
    inMemory(Effect.gen(function* () {
      yield* makeArray("mem://a", [false, false, "row"], all)
      const before = yield* history("mem://a", 3)
      const { written } = yield* TileArray.consolidate("mem://a", { maxFragmentSize: 1 })
      assert(written.length > 1)
      assertEquals(yield* history("mem://a", 3), before)
      yield* TileArray.vacuum("mem://a", { age: 0 })
      assertEquals(yield* history("mem://a", 3), before)
    })))
})

describe("fragments of arrays with dropped attributes", () => {
  const Points = ArraySchema.sparse({
    dims: { x: Dim.int32([0, 99]) },
    attrs: { a: Attr.int32(), b: Attr.int32() },
  })
  const valuesAt = (at: number) =>
    Effect.gen(function* () {
      const { columns } = yield* Sparse.read(yield* TileArray.open("mem://a", { at }), { order: "row" })
      return Object.fromEntries(Object.entries(columns).map(([name, { values }]) => [name, [...values]]))
    })
  /** Writes two fragments, drops `b`, and writes two more. */
  const make = Effect.gen(function* () {
    const points = yield* TileArray.create("mem://a", Points, { at: 1 })
    for (const at of [10, 20]) yield* Sparse.write(points, { x: [at], a: [at], b: [-at] }, { at })
    yield* TileArray.evolve("mem://a", { dropAttributes: ["b"] }, { at: 25 })
    const dropped = yield* TileArray.open("mem://a")
    for (const at of [30, 40]) yield* Sparse.write(dropped, { x: [at], a: [at] }, { at })
  })
  const allTimes = Effect.forEach([10, 20, 24, 30, 40, 50], valuesAt)

  it("keep the values of the attribute at earlier times", () =>
    inMemory(Effect.gen(function* () {
      yield* make
      const before = yield* allTimes
      assertEquals(before[1].b, [-10, -20])
      const { written } = yield* TileArray.consolidate("mem://a")
      assertEquals(written.length, 2)
      assertEquals(yield* allTimes, before)
      yield* TileArray.vacuum("mem://a", { age: 0 })
      assertEquals(yield* allTimes, before)
      assertEquals((yield* TileArray.consolidate("mem://a")).written, [])
    })))

  it("are combined across the drop only with purgeDeleted", () =>
    inMemory(Effect.gen(function* () {
      yield* make
      const names = (yield* TileArray.fragments(yield* TileArray.open("mem://a"))).map(({ name }) => name)
      const error = yield* Effect.flip(TileArray.consolidate("mem://a", { fragments: names }))
      assert(error instanceof MaintenanceError)
      assertEquals(error.reason, "LosesCells")
      assertStringIncludes(error.message, 'the attribute "b" of the fragment')
      yield* TileArray.consolidate("mem://a", { fragments: names, purgeDeleted: true })
      yield* TileArray.vacuum("mem://a", { age: 0 })
      assertEquals(yield* valuesAt(50), { x: [10, 20, 30, 40], a: [10, 20, 30, 40] })
    })))
})
