/** Consolidates and vacuums commits, fragment metadata and metadata. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import { ArraySchema, Attr, Dim, FormatError, Group, MaintenanceError, Metadata, Sparse, TileArray } from "../../mod.ts"
import { Storage } from "../../platform/storage/service.ts"
import { encode } from "../../schema/binary/mod.ts"
import { VacuumFile } from "../../schema/commit/vacuum_file.ts"
import { grounds } from "../laws/ground.ts"
import { inMemory } from "../support/in_memory.ts"
import { upkeepLaws } from "./upkeep_laws.ts"

const Points = ArraySchema.sparse({
  dims: { x: Dim.uint32([0, 9999], { tile: 100 }) },
  attrs: { n: Attr.uint8() },
  capacity: 4,
})

const write = (uri: string, x: number, at: number) =>
  Effect.flatMap(
    TileArray.open(uri, Points),
    (array) => Sparse.write(array, { x: Uint32Array.of(x, x + 1), n: Uint8Array.of(at, at) }, { at }),
  )

/** Creates an array by writes whose times have one or two digits, and a delete between them. */
const makePoints = (uri: string) =>
  Effect.gen(function* () {
    yield* TileArray.create(uri, Points, { at: 1 })
    for (const at of [2, 9, 10]) yield* write(uri, at, at)
    yield* Sparse.delete(yield* TileArray.open(uri, Points), "n == 2", { at: 11 })
    yield* write(uri, 12, 12)
  })

const times = [1, 2, 9, 10, 11, 12, 13]

/** Returns the cells and the metadata at all times. */
const history = (uri: string) =>
  Effect.forEach(times, (at) =>
    Effect.gen(function* () {
      const array = yield* TileArray.open(uri, Points, { at })
      const { columns } = yield* Sparse.read(array)
      return [at, columns]
    }))

const metadata = (uri: string) =>
  Effect.map(
    Effect.flatMap(TileArray.open(uri), TileArray.metadata),
    (items) => Object.fromEntries(Metadata.values(items)),
  )

const makeMetadata = (uri: string) =>
  Effect.gen(function* () {
    yield* TileArray.create(uri, Points, { at: 1 })
    yield* TileArray.putMetadata(uri, { a: 1, b: 2 }, { at: 2 })
    yield* TileArray.deleteMetadata(uri, ["a"], { at: 9 })
    yield* TileArray.putMetadata(uri, { b: 3, c: 4 }, { at: 10 })
  })

const names = (uri: string, folder: string) =>
  Effect.flatMap(Storage, (storage) => Effect.map(storage.list(`${uri}/${folder}`), (all) => all.map((e) => e.name)))

const suffixes = (all: ReadonlyArray<string>) => all.map((name) => name.replace(/^[^.]*/, "")).sort()

const laws = {
  commits: [makePoints, "commits", history],
  "fragment metadata": [makePoints, "fragment_meta", history],
  "array metadata": [makeMetadata, "array_meta", metadata],
} as const

for (const [ground, makeGround] of Object.entries(grounds)) {
  describe(`consolidation in ${ground}`, () => {
    for (const [subject, [prepare, mode, read]] of Object.entries(laws)) {
      it(`of ${subject} changes nothing that is read, wherever it fails`, async () => {
        const act = (uri: string) => TileArray.consolidate(uri, { mode })
        assert(await upkeepLaws({ prepare, act, read }, makeGround()) > 0)
      })

      it(`and vacuum of ${subject} change nothing that is read, wherever they fail`, async () => {
        const ready = (uri: string) =>
          Effect.gen(function* () {
            yield* prepare(uri)
            yield* TileArray.consolidate(uri, { mode })
            if (mode === "array_meta") yield* TileArray.putMetadata(uri, { d: 5 }, { at: 11 })
            else yield* write(uri, 13, 13)
            yield* TileArray.consolidate(uri, { mode })
          })
        const act = (uri: string) => TileArray.vacuum(uri, { mode, age: 0 })
        assert(await upkeepLaws({ prepare: ready, act, read }, makeGround()) > 0)
      })
    }
  })
}

describe("commits", () => {
  it("are one file after consolidation and vacuum, for times with one digit and with two", () =>
    inMemory(Effect.gen(function* () {
      yield* makePoints("mem://a")
      const before = yield* history("mem://a")
      const { written, inputs } = yield* TileArray.consolidate("mem://a", { mode: "commits" })
      assertEquals([written.length, inputs.length], [1, 5])
      const { removed } = yield* TileArray.vacuum("mem://a", { mode: "commits", age: 0 })
      assertEquals(removed.length, 5)
      assertEquals(suffixes(yield* names("mem://a", "__commits")), [".con"])
      assertEquals(yield* history("mem://a"), before)
      // no new commit, so no new file
      assertEquals((yield* TileArray.consolidate("mem://a", { mode: "commits" })).written, [])
      yield* write("mem://a", 20, 13)
      yield* TileArray.consolidate("mem://a", { mode: "commits" })
      yield* TileArray.vacuum("mem://a", { mode: "commits", age: 0 })
      assertEquals(suffixes(yield* names("mem://a", "__commits")), [".con"])
    })))

  it("are not consolidated before format 12", () =>
    inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://old", Points, { formatVersion: 11 })
      const error = yield* Effect.flip(TileArray.consolidate("mem://old", { mode: "commits" }))
      assert(error instanceof MaintenanceError)
      assertEquals(error.reason, "Unsupported")
    })))
})

describe("vacuum", () => {
  it("keeps what a reader may still use, and removes nothing in a dry run", () =>
    inMemory(Effect.gen(function* () {
      yield* makePoints("mem://a")
      yield* TileArray.consolidate("mem://a", { mode: "commits" })
      const all = yield* names("mem://a", "__commits")
      const dry = yield* TileArray.vacuum("mem://a", { mode: "commits", age: 0, dryRun: true })
      assertEquals(dry.removed.length, 5)
      const young = yield* TileArray.vacuum("mem://a", { mode: "commits" })
      assertEquals([young.removed.length, young.kept.length], [0, 5])
      assertEquals(yield* names("mem://a", "__commits"), all)
    })))

  it("fails before it removes anything if a vacuum file names a path outside the array", () =>
    inMemory(Effect.gen(function* () {
      yield* makePoints("mem://a")
      const storage = yield* Storage
      const line = `/__fragments/../../b/__fragments/__1_1_${"0".repeat(32)}_22`
      const bytes = encode(VacuumFile, [line], 22)
      for (const folder of ["__commits", "__meta"]) {
        yield* storage.write(`mem://a/${folder}/__1_9_${"1".repeat(32)}_22.vac`, bytes)
      }
      for (const mode of ["fragments", "array_meta"] as const) {
        const error = yield* Effect.flip(TileArray.vacuum("mem://a", { mode, age: 0 }))
        assert(error instanceof FormatError, String(error))
        assertStringIncludes(error.message, "..")
      }
    })))

  it("keeps fragments whose replacement is missing", () =>
    inMemory(Effect.gen(function* () {
      yield* makePoints("mem://a")
      const storage = yield* Storage
      const fragments = yield* names("mem://a", "__fragments")
      const lines = encode(VacuumFile, fragments.map((name) => `/__fragments/${name}`), 22)
      yield* storage.write(`mem://a/__commits/__2_12_${"1".repeat(32)}_22.vac`, lines)
      const { removed, kept } = yield* TileArray.vacuum("mem://a", { age: 0 })
      assertEquals([removed.length, kept.length], [0, 4])
      assertStringIncludes(kept[0].reason, "not committed")
      assertEquals(yield* names("mem://a", "__fragments"), fragments)
    })))

  it("rejects missing arrays, and invalid options", () =>
    inMemory(Effect.gen(function* () {
      assertEquals((yield* Effect.flip(TileArray.vacuum("mem://none")))._tag, "ArrayNotFound")
      assertEquals((yield* Effect.flip(TileArray.vacuum("mem://none", { age: -1 })))._tag, "InvalidOption")
      const wrong = TileArray.consolidate("mem://none", { mode: "all" as "commits" })
      assertEquals((yield* Effect.flip(wrong))._tag, "InvalidOption")
    })))
})

describe("metadata", () => {
  it("of a time range keep deletions, so that no older value returns", () =>
    inMemory(Effect.gen(function* () {
      yield* makeMetadata("mem://a")
      yield* TileArray.consolidate("mem://a", { mode: "array_meta", start: 9 })
      yield* TileArray.vacuum("mem://a", { mode: "array_meta", age: 0 })
      assertEquals((yield* names("mem://a", "__meta")).length, 2)
      assertEquals(yield* metadata("mem://a"), { b: 3n, c: 4n })
    })))

  it("of a group are one file after consolidation and vacuum", () =>
    inMemory(Effect.gen(function* () {
      yield* Group.create("mem://g")
      yield* Group.putMetadata("mem://g", { title: "Old" }, { at: 9 })
      yield* Group.putMetadata("mem://g", { title: "New" }, { at: 10 })
      yield* Group.consolidateMetadata("mem://g")
      assertEquals((yield* Group.vacuumMetadata("mem://g", { age: 0 })).removed.length, 3)
      const items = yield* Effect.flatMap(Group.open("mem://g"), Group.metadata)
      assertEquals(Metadata.values(items).get("title"), "New")
      assertEquals((yield* names("mem://g", "__meta")).length, 1)
    })))
})
