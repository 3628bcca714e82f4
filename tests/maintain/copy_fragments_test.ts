/** Copies of fragments into other arrays and into new ones: times, refusals, faults at each call, and commands. */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { ArraySchema, Attr, type Codecs, Condition, Dim, layerDefault, Sparse, TileArray } from "../../mod.ts"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { faults, withFaults } from "../../platform/storage/middleware/faults.ts"
import { Storage } from "../../platform/storage/service.ts"
import { cli } from "../cli/run_cli.ts"
import { grounds } from "../laws/ground.ts"
import { inMemory } from "../support/in_memory.ts"

const Points = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 999]) },
  attrs: { n: Attr.uint8(), e: Attr.enumerated(Attr.uint8(), "colors") },
  enumerations: { colors: ["red", "green"] },
})
const Plain = ArraySchema.sparse({ dims: { x: Dim.int32([0, 999]) }, attrs: { n: Attr.uint8() } })

const makeArray = (uri: string, cells: ReadonlyArray<number>, schema = Plain, formatVersion = 22) =>
  Effect.gen(function* () {
    yield* TileArray.create(uri, schema, { at: 1, formatVersion })
    const array = yield* TileArray.open(uri)
    for (const k of cells) {
      const cells: Record<string, Array<number>> = { x: [k], n: [k] }
      if ((schema as unknown) === Points) cells.e = [k % 2]
      yield* Sparse.write(array, cells, { at: 10 * k })
    }
  })

const cellsIn = (uri: string, at?: number) =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri, at === undefined ? {} : { at })
    return [...(yield* Sparse.read(array, { order: "row" })).columns.x.values].map(Number)
  })

describe("copying fragments", () => {
  for (const version of [4, 5, 11, 12, 22]) {
    it(`keeps their times, in format ${version}`, () =>
      inMemory(Effect.gen(function* () {
        yield* makeArray("mem://a", [1, 2, 3, 4], Plain, version)
        yield* makeArray("mem://b", [5], Plain, version)
        const planned = yield* TileArray.copyFragments("mem://a", "mem://b", { start: 20, end: 35, dryRun: true })
        assertEquals([planned.files, yield* cellsIn("mem://b")], [0, [5]])
        const { fragments, files } = yield* TileArray.copyFragments("mem://a", "mem://b", { start: 20, end: 35 })
        assertEquals([fragments, files > 4], [planned.fragments, true])
        assertEquals(yield* cellsIn("mem://b"), [2, 3, 5])
        assertEquals(yield* cellsIn("mem://b", 25), [2])
        const error = yield* Effect.flip(TileArray.copyFragments("mem://a", "mem://b", { fragments }))
        assertEquals([error._tag, "reason" in error && error.reason], ["MaintenanceError", "Overlap"])
        assertEquals(yield* cellsIn("mem://a"), [1, 2, 3, 4])
      })))

    it(`into a new array keeps them, in format ${version}`, () =>
      inMemory(Effect.gen(function* () {
        yield* makeArray("mem://a", [1, 2, 3], Plain, version)
        yield* TileArray.createFromFragments("mem://a", "mem://new", { end: 25 })
        assertEquals(yield* cellsIn("mem://new"), [1, 2])
        yield* TileArray.copyFragments("mem://a", "mem://new", { start: 30 })
        assertEquals(yield* cellsIn("mem://new"), [1, 2, 3])
        const array = yield* TileArray.open("mem://new")
        yield* Sparse.write(array, { x: [9], n: [9] })
        assertEquals(yield* cellsIn("mem://new"), [1, 2, 3, 9])
        const error = yield* Effect.flip(TileArray.createFromFragments("mem://a", "mem://new"))
        assertEquals(error._tag, "AlreadyExists")
      })))
  }

  it("takes evolved schemas and enumerations along into a new array", () =>
    inMemory(Effect.gen(function* () {
      yield* makeArray("mem://a", [1, 2], Points as never)
      yield* TileArray.evolve("mem://a", { addAttributes: { later: Attr.int32() } }, { at: 5 })
      yield* Sparse.write(yield* TileArray.open("mem://a"), { x: [7], n: [7], e: [1], later: [5] })
      yield* TileArray.createFromFragments("mem://a", "mem://new")
      assertEquals(yield* cellsIn("mem://new"), [1, 2, 7])
      assertEquals((yield* TileArray.enumerations(yield* TileArray.open("mem://new"))).length, 1)
      const error = yield* Effect.flip(TileArray.copyFragments("mem://a", "mem://new", { end: 15 }))
      assertEquals("reason" in error && error.reason, "Mismatch")
    })))

  it("refuses what would change cells: deletes, other schemas, unknown names", () =>
    inMemory(Effect.gen(function* () {
      yield* makeArray("mem://a", [1, 2, 3])
      yield* makeArray("mem://b", [5])
      yield* makeArray("mem://c", [], Points as never)
      const reasonOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.map(Effect.flip(effect), (error) => (error as { readonly reason?: string }).reason)
      assertEquals(yield* reasonOf(TileArray.copyFragments("mem://a", "mem://c")), "Mismatch")
      assertEquals(
        yield* reasonOf(TileArray.copyFragments("mem://a", "mem://b", { fragments: ["__1_1_none"] })),
        "Missing",
      )
      assertEquals(yield* reasonOf(TileArray.copyFragments("mem://a", "mem://b", { start: 5, end: 4 })), "Conflict")
      yield* Sparse.delete(yield* TileArray.open("mem://a"), Condition.eq("n", 2), { at: 25 })
      assertEquals(yield* reasonOf(TileArray.copyFragments("mem://a", "mem://b")), "LosesCells")
      assertEquals(yield* reasonOf(TileArray.createFromFragments("mem://a", "mem://new")), "LosesCells")
      // later fragments are not affected
      yield* TileArray.copyFragments("mem://a", "mem://b", { start: 30 })
      assertEquals(yield* cellsIn("mem://b"), [3, 5])
      assertEquals(yield* (yield* Storage).list("mem://new"), [])
    })))

  for (const [name, make] of Object.entries(grounds)) {
    it(`leaves the target as it was, or complete, wherever it fails (${name})`, async () => {
      type Program<A> = Effect.Effect<A, unknown, Storage | Codecs>
      const run = <A>(storage: Storage, program: Program<A>) =>
        Effect.runPromiseExit(Effect.provide(program, Layer.merge(Layer.succeed(Storage, storage), layerNative)))
      const must = async <A>(storage: Storage, program: Program<A>): Promise<A> => {
        const exit = await run(storage, program)
        if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
        return exit.value
      }
      const empty = make()
      await must(empty.storage, makeArray(`${empty.uri}/a`, [1, 2, 3]))
      await must(empty.storage, makeArray(`${empty.uri}/b`, [5]))
      const acts: Readonly<Record<string, (uri: string) => Program<unknown>>> = {
        copy: (uri) => TileArray.copyFragments(`${uri}/a`, `${uri}/b`, { start: 20 }),
        create: (uri) => TileArray.createFromFragments(`${uri}/a`, `${uri}/new`, { start: 20 }),
      }
      for (const [kind, act] of Object.entries(acts)) {
        const whole = empty.copy()
        const counted = withFaults(whole.storage)
        await must(counted.storage, act(whole.uri))
        whole.close()
        for (const fault of faults) {
          for (let at = 0; at < counted.calls(); at += 1 + Math.floor(counted.calls() / 20)) {
            const ground = empty.copy()
            const before = ground.files()
            const faulty = withFaults(ground.storage, { at, fault })
            const exit = await run(faulty.storage, act(ground.uri))
            await Effect.runPromise(faulty.release)
            const where = `${kind}: ${fault} at ${at}`
            assertEquals(await must(ground.storage, cellsIn(`${ground.uri}/a`)), [1, 2, 3], where)
            const isStopped = fault === "stop" || fault === "partial-crash"
            if (kind === "copy") {
              const seen = await must(ground.storage, cellsIn(`${ground.uri}/b`))
              assert(seen.includes(5), where)
              if (Exit.isFailure(exit) && !isStopped) assertEquals(seen, [5], where)
            }
            if (Exit.isFailure(exit) && !isStopped) assertEquals(ground.files(), before, where)
            ground.close()
          }
        }
      }
      empty.close()
    })
  }

  it("by the command line", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tessera fragments "))
    const run = <A, E>(effect: Effect.Effect<A, E, Storage | Codecs>) =>
      Effect.runPromise(Effect.provide(effect, layerDefault))
    try {
      const [a, b] = [join(folder, "a"), join(folder, "b")]
      await run(makeArray(a, [1, 2, 3]))
      const dry = await cli(["fragments", "create", a, b, "--to", "20", "--dry-run", "--json"])
      assertEquals([dry.code, JSON.parse(dry.out).fragments.length], [0, 2])
      assertEquals((await cli(["fragments", "create", a, b, "--to", "20"])).err, "2 fragments copied\n")
      assertEquals((await cli(["fragments", "copy", a, b, "--from", "30"])).err, "1 fragment copied\n")
      assertEquals(await run(cellsIn(b)), [1, 2, 3])
      assertEquals((await cli(["fragments", "copy", a, b])).code !== 0, true)
      assertEquals((await cli(["verify", b])).code, 0)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
