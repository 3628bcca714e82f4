/** Deletion of fragments: the removed files, the state after faults, and rejected calls. */
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Dense, Dim, layerDefault, Sparse, TileArray } from "../../mod.ts"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { faults, withFaults } from "../../platform/storage/middleware/faults.ts"
import { Storage } from "../../platform/storage/service.ts"
import { cli } from "../cli/run_cli.ts"
import { grounds } from "../laws/ground.ts"
import { inMemory } from "../support/in_memory.ts"

const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 999]) }, attrs: { n: Attr.uint8() } })

/** Writes cell `k` at the time `10 * k`. */
const write = (uri: string, cells: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri)
    for (const k of cells) yield* Sparse.write(array, { x: [k], n: [k] }, { at: 10 * k })
  })

const makeArray = (uri: string, formatVersion = 22) =>
  Effect.zipRight(TileArray.create(uri, Points, { at: 1, formatVersion }), write(uri, [1, 2, 3, 4, 5]))

const cellsIn = (uri: string, at?: number) =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri, at === undefined ? {} : { at })
    return [...(yield* Sparse.read(array, { order: "row" })).columns.x.values]
  })

const strangers = ["/notes.txt", "/__commits/notes.txt", "/__fragments/notes/a0.tdb", "/__fragments/x.txt"]

describe("deleting fragments", () => {
  for (const version of [4, 5, 11, 12, 22]) {
    it(`removes those of a time range, in format ${version}, and nothing else`, async () => {
      const [seen, before, files] = await inMemory(Effect.gen(function* () {
        yield* makeArray("mem://a", version)
        const storage = yield* Storage
        for (const path of strangers) yield* storage.write(`mem://a${path}`, Uint8Array.of(1))
        const planned = yield* TileArray.deleteFragments("mem://a", { start: 20, end: 39, dryRun: true })
        const before = yield* cellsIn("mem://a")
        const done = yield* TileArray.deleteFragments("mem://a", { start: 20, end: 39 })
        assertEquals(done, planned)
        assertEquals(done.fragments.length, 2)
        for (const path of strangers) assertEquals(yield* storage.read(`mem://a${path}`), Uint8Array.of(1))
        for (const path of done.removed) assertEquals(yield* storage.list(`mem://a/${path}`), [])
        return [yield* cellsIn("mem://a"), before, done.removed] as const
      }))
      assertEquals(before, [1, 2, 3, 4, 5])
      assertEquals([seen, files.length], [[1, 4, 5], 2])
    })
  }

  it("takes names, an open side of a range, and dense arrays", async () => {
    const Line = ArraySchema.dense({ dims: { x: Dim.int32([0, 3], { tile: 2 }) }, attrs: { n: Attr.int32() } })
    const [sparse, dense] = await inMemory(Effect.gen(function* () {
      yield* makeArray("mem://a")
      const array = yield* TileArray.open("mem://a")
      const [, second] = yield* TileArray.fragments(array)
      yield* TileArray.deleteFragments(array, { fragments: [second.name] })
      yield* TileArray.deleteFragments("mem://a", { start: 45 })
      const line = yield* TileArray.create("mem://line", Line)
      yield* Dense.write(line, {}, { n: [1, 2, 3, 4] }, { at: 10 })
      yield* Dense.write(line, { x: [1, 2] }, { n: [7, 8] }, { at: 20 })
      yield* TileArray.deleteFragments(line, { start: 20 })
      const { columns } = yield* Dense.read(yield* TileArray.reopen(line))
      return [yield* cellsIn("mem://a"), [...(columns.n as Int32Array)]] as const
    }))
    assertEquals([sparse, dense], [[1, 3, 4], [1, 2, 3, 4]])
  })

  it("deletes what a deleted fragment has combined, and commits in consolidated files", async () => {
    const [first, second, vacuumed] = await inMemory(Effect.gen(function* () {
      yield* makeArray("mem://a")
      yield* TileArray.consolidate("mem://a", { mode: "commits" })
      yield* TileArray.deleteFragments("mem://a", { end: 10 })
      const first = yield* cellsIn("mem://a")
      const [b, c] = yield* TileArray.fragments(yield* TileArray.open("mem://a"))
      yield* TileArray.consolidate("mem://a", { fragments: [b.name, c.name] })
      const { written } = yield* TileArray.consolidate("mem://a", { start: 20, end: 49 })
      yield* TileArray.deleteFragments("mem://a", { fragments: [written[0].replace("__fragments/", "")] })
      const second = yield* cellsIn("mem://a")
      const storage = yield* Storage
      yield* TileArray.vacuum("mem://a", { age: 0 })
      yield* TileArray.consolidate("mem://a", { mode: "commits" })
      yield* TileArray.vacuum("mem://a", { mode: "commits", age: 0 })
      const names = (yield* storage.list("mem://a/__fragments")).length
      return [first, second, [yield* cellsIn("mem://a"), names]] as const
    }))
    assertEquals(first, [2, 3, 4, 5])
    assertEquals(second, [5])
    assertEquals(vacuumed, [[5], 1])
  })

  for (const [name, make] of Object.entries(grounds)) {
    it(`leaves each fragment visible or deleted wherever it fails (${name})`, async () => {
      const run = <A>(storage: Storage, program: Effect.Effect<A, unknown, Storage>) =>
        Effect.runPromiseExit(
          Effect.provide(program as never, Layer.merge(Layer.succeed(Storage, storage), layerNative)),
        ) as Promise<Exit.Exit<A, unknown>>
      const must = async <A>(storage: Storage, program: unknown): Promise<A> => {
        const exit = await run<A>(storage, program as never)
        if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
        return exit.value
      }
      const empty = make()
      await must(empty.storage, makeArray(empty.uri))
      await must(empty.storage, TileArray.consolidate(empty.uri, { start: 30, end: 49 }))
      for (const path of strangers) await must(empty.storage, empty.storage.write(empty.uri + path, Uint8Array.of(1)))
      const act = (uri: string) => TileArray.deleteFragments(uri, { start: 20, end: 49 })
      const whole = empty.copy()
      const counted = withFaults(whole.storage)
      await must(counted.storage, act(whole.uri))
      assertEquals(await must(whole.storage, cellsIn(whole.uri)), [1, 5])
      const calls = counted.calls()
      whole.close()
      let partial = 0
      for (const fault of faults) {
        for (let at = 0; at < calls; at++) {
          const ground = empty.copy()
          const faulty = withFaults(ground.storage, { at, fault })
          await run(faulty.storage, act(ground.uri))
          await Effect.runPromise(faulty.release)
          const seen = await must<ReadonlyArray<number>>(ground.storage, cellsIn(ground.uri))
          assert(seen.includes(1) && seen.includes(5), `${fault} at ${at}: ${seen}`)
          assertEquals(seen.includes(3), seen.includes(4), `${fault} at ${at}: ${seen}`)
          if (seen.length < 5) partial++
          await must(ground.storage, act(ground.uri))
          assertEquals(await must(ground.storage, cellsIn(ground.uri)), [1, 5], `${fault} at ${at}, again`)
          for (const path of strangers) {
            assertEquals(await must(ground.storage, ground.storage.read(ground.uri + path)), Uint8Array.of(1))
          }
          ground.close()
        }
      }
      assert(partial > 3, `only ${partial} faults came after the first removal`)
      empty.close()
    })
  }

  it("is rejected without names or times, and for fragments that do not exist", async () => {
    const refused = (options: TileArray.DeleteFragmentsOptions, uri = "mem://a") =>
      inMemory(Effect.gen(function* () {
        yield* makeArray("mem://a")
        const error = yield* Effect.flip(TileArray.deleteFragments(uri, options))
        assertEquals(yield* cellsIn("mem://a"), [1, 2, 3, 4, 5])
        return `${error._tag}: ${error.message}`
      }))
    assertMatch(await refused({}), /InvalidOption: .*fragments: pass the names of fragments, or a time range/)
    assertMatch(await refused({ fragments: ["__1_2_x"], end: 5 }), /InvalidOption: .*either names or a time range/)
    assertMatch(await refused({ start: 5, end: 4 }), /InvalidOption: .*start: it is later than end/)
    assertMatch(await refused({ fragments: ["../a"] }), /MaintenanceError: .*the array has no fragment "\.\.\/a"/)
    assertMatch(await refused({ end: 5 }, "mem://b"), /ArrayNotFound: mem:\/\/b/)
    assertMatch(await refused({ name: 5 } as never), /InvalidOption: .*name: unknown option/)
  })
})

describe("tessera fragments delete", () => {
  it("lists and deletes fragments", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tessera-delete-"))
    try {
      const array = join(folder, "a")
      await Effect.runPromise(Effect.provide(makeArray(array), layerDefault))
      const cells = async () =>
        (await cli(["read", array, "--select", "x", "--format", "csv"])).out.split("\n").length - 2
      const missing = await cli(["fragments", "delete", array])
      assertEquals(missing.code, 2)
      assertMatch(missing.err, /give --fragments, or a time range with --from, --to or both/)
      const planned = await cli(["fragments", "delete", array, "--from", "20", "--to", "30", "--dry-run"])
      assertMatch(planned.err, /^2 fragments would be deleted\n$/)
      assertEquals(await cells(), 5)
      const done = await cli(["fragments", "delete", array, "--from", "20", "--to", "30", "--json"])
      const result = JSON.parse(done.out)
      assertEquals([result.dryRun, result.fragments.length, result.removed.length], [false, 2, 2])
      assertEquals(planned.out.trimEnd().split("\n"), result.removed)
      assertEquals(await cells(), 3)
      const again = await cli(["fragments", "delete", array, "--fragments", result.fragments[0]])
      assertEquals(again.code, 1)
      assertMatch(again.err, /the array has no fragment/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
