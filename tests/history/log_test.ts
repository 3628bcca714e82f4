/** Logs: every kind of change, with its time, cells, bytes and schema. */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Dense, Dim, Group, Sparse, TileArray } from "../../mod.ts"
import { Storage } from "../../platform/storage/service.ts"
import { inMemory } from "../support/in_memory.ts"

const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 999]) }, attrs: { n: Attr.int32() } })

const short = (changes: ReadonlyArray<TileArray.LoggedChange>) =>
  changes.map(({ start, end, kind }) => [kind, start, end])

/** Writes an array with every kind of change. */
const makeArray = (uri: string, formatVersion = 22) =>
  Effect.gen(function* () {
    yield* TileArray.create(uri, Points, { at: 100, formatVersion })
    const array = yield* TileArray.open(uri)
    yield* Sparse.write(array, { x: [1, 2], n: [10, 20] }, { at: 110 })
    yield* Sparse.write(array, { x: [2, 3, 4], n: [21, 30, 40] }, { at: 120 })
    // earlier formats have no metadata
    if (formatVersion === 3) return
    yield* TileArray.putMetadata(uri, { title: "Points", unit: "m" }, { at: 130 })
    yield* TileArray.deleteMetadata(uri, "unit", { at: 140 })
  })

describe("the log of an array", () => {
  it("has each change with its time, kind, cells, bytes, format and schema, oldest first", async () => {
    const [changes, fragments] = await inMemory(Effect.gen(function* () {
      yield* makeArray("mem://a")
      yield* TileArray.evolve("mem://a", { addAttributes: { m: Attr.int8() } }, { at: 150 })
      yield* Sparse.delete(yield* TileArray.open("mem://a"), "n == 10", { at: 160 })
      return [yield* TileArray.log("mem://a"), yield* TileArray.fragments(yield* TileArray.open("mem://a"))] as const
    }))
    assertEquals(short(changes), [
      ["created", 100, 100],
      ["written", 110, 110],
      ["written", 120, 120],
      ["metadata", 130, 130],
      ["metadata", 140, 140],
      ["evolved", 150, 150],
      ["deleted", 160, 160],
    ])
    assertEquals(changes.map(({ cells }) => cells), [undefined, 2, 3, undefined, undefined, undefined, undefined])
    assertEquals(changes.map(({ version }) => version), [22, 22, 22, 22, 22, 22, 22])
    assert(changes.every(({ bytes }) => bytes !== null && bytes > 0))
    assertEquals(changes[1].bytes, Number(fragments[0].size))
    assertEquals([changes[3].added, changes[3].removed], [["title", "unit"], []])
    assertEquals([changes[4].added, changes[4].removed], [[], ["unit"]])
    assertEquals([changes[1].schemaName, changes[5].path], [changes[0].schemaName, `__schema/${changes[5].schemaName}`])
    assertEquals([changes[1].dense, changes[1].replaced], [false, false])
  })

  it("selects changes by time, both ends inclusive", async () => {
    const seen = await inMemory(Effect.gen(function* () {
      yield* makeArray("mem://a")
      const array = yield* TileArray.open("mem://a")
      return [
        short(yield* TileArray.log(array, { start: 110, end: 120 })),
        short(yield* TileArray.log(array, { end: 100 })),
        short(yield* TileArray.log(array, { start: 141 })),
      ]
    }))
    assertEquals(seen, [[["written", 110, 110], ["written", 120, 120]], [["created", 100, 100]], []])
  })

  it("shows what a consolidation replaces, until a vacuum removes it", async () => {
    const [before, after] = await inMemory(Effect.gen(function* () {
      yield* makeArray("mem://a")
      for (const mode of ["fragment_meta", "fragments", "commits", "array_meta"] as const) {
        yield* TileArray.consolidate("mem://a", { mode })
      }
      const before = yield* TileArray.log("mem://a")
      for (const mode of ["fragments", "commits", "array_meta"] as const) {
        yield* TileArray.vacuum("mem://a", { mode, age: 0 })
      }
      return [before, yield* TileArray.log("mem://a")]
    }))
    assertEquals(before.filter((c) => c.replaced === true).map(({ end }) => end), [110, 120])
    const consolidated = before.filter(({ kind }) => kind === "consolidated")
    assertEquals(consolidated.map(({ path }) => path.split("/")[0]).sort(), [
      "__commits",
      "__fragment_meta",
      "__fragments",
      "__meta",
    ])
    assertEquals(consolidated.find(({ cells }) => cells !== undefined)?.cells, 5)
    assertEquals(after.filter(({ kind }) => kind === "written" || kind === "metadata"), [])
    assertEquals(after.filter(({ kind }) => kind === "consolidated").length, 4)
  })

  for (const formatVersion of [3, 4, 5, 9, 10, 12, 22]) {
    it(`works in format ${formatVersion}`, async () => {
      const changes = await inMemory(
        Effect.zipRight(makeArray("mem://a", formatVersion), TileArray.log("mem://a")),
      )
      const kinds = changes.map(({ kind }) => kind)
      const metadata = formatVersion === 3 ? [] : ["metadata", "metadata"]
      assertEquals(kinds, ["created", "written", "written", ...metadata])
      assertEquals(changes.map(({ cells }) => cells).slice(1, 3), [2, 3])
      assertEquals(changes[0].version, formatVersion)
    })
  }

  it("counts whole tiles of dense fragments", async () => {
    const Line = ArraySchema.dense({ dims: { x: Dim.int32([0, 9], { tile: 5 }) }, attrs: { n: Attr.int32() } })
    const [, written] = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Line, { at: 1 })
      yield* Dense.write(array, { x: [3, 4] }, { n: [1, 2] }, { at: 2 })
      return yield* TileArray.log(array)
    }))
    assertEquals([written.kind, written.dense, written.cells], ["written", true, 5])
  })

  it("keeps a change whose files a vacuum removes meanwhile", async () => {
    const changes = await inMemory(Effect.gen(function* () {
      yield* makeArray("mem://a")
      const storage = yield* Storage
      const [fragment] = yield* TileArray.fragments(yield* TileArray.open("mem://a"))
      yield* storage.removeAll(
        (yield* storage.list(`mem://a/__fragments/${fragment.name}`)).map(({ name }) =>
          `mem://a/__fragments/${fragment.name}/${name}`
        ),
      )
      return yield* TileArray.log("mem://a")
    }))
    assertEquals(changes.filter(({ kind }) => kind === "written").map(({ cells, bytes }) => [cells, bytes === null]), [
      [null, true],
      [3, false],
    ])
  })
})

describe("the log of a group", () => {
  it("has members and metadata", async () => {
    const changes = await inMemory(Effect.gen(function* () {
      yield* Group.create("mem://g")
      yield* Group.add("mem://g", { uri: "mem://b", type: "array", name: "b" }, { at: 10 })
      yield* Group.putMetadata("mem://g", { title: "All" }, { at: 20 })
      yield* Group.remove("mem://g", "b", { at: 30 })
      return yield* TileArray.log("mem://g")
    }))
    assertEquals(changes.map(({ kind, end, added, removed }) => [kind, end, added, removed]), [
      ["members", 10, ["b"], []],
      ["metadata", 20, ["title"], []],
      ["members", 30, [], ["b"]],
    ])
  })
})

describe("a log that fails", () => {
  it("names the cause", async () => {
    const errors = await inMemory(Effect.gen(function* () {
      yield* makeArray("mem://a")
      const missing = yield* Effect.flip(TileArray.log("mem://none"))
      const order = yield* Effect.flip(TileArray.log("mem://a", { start: 5, end: 4 }))
      const storage = yield* Storage
      const { path } = (yield* TileArray.log("mem://a"))[3]
      yield* storage.write(`mem://a/${path}`, Uint8Array.of(1, 2, 3))
      return [missing, order, yield* Effect.flip(TileArray.log("mem://a"))]
    }))
    assertEquals(errors.map(({ _tag }) => _tag), ["ArrayNotFound", "InvalidOption", "FormatError"])
  })
})
