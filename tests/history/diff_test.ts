/** Differences of fragments, deletes, schema, enumerations, metadata and members between two times. */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Dim, Group, Metadata, Sparse, TileArray } from "../../mod.ts"
import { inMemory } from "../support/in_memory.ts"

const Points = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 999]) },
  attrs: { n: Attr.int32(), e: Attr.enumerated(Attr.uint8(), "levels") },
  enumerations: { levels: ["low", "high"] },
})

const makeArray = (uri: string) =>
  Effect.gen(function* () {
    const array = yield* TileArray.create(uri, Points, { at: 101 })
    yield* Sparse.write(array, { x: [1, 2], n: [10, 20], e: [0, 1] }, { at: 110 })
    yield* TileArray.putMetadata(array, { title: "Points", unit: "m", extra: 1 }, { at: 120 })
    return array
  })

describe("the difference of an array", () => {
  it("has added fragments, deletes and metadata", async () => {
    const [difference, fragments] = await inMemory(Effect.gen(function* () {
      const array = yield* makeArray("mem://a")
      yield* Sparse.write(array, { x: [3], n: [30], e: [0] }, { at: 130 })
      yield* Sparse.delete(yield* TileArray.open("mem://a"), "n == 10", { at: 140 })
      yield* TileArray.putMetadata(array, { title: "All", scale: Metadata.float32([1, 2]) }, { at: 150 })
      yield* TileArray.deleteMetadata(array, "extra", { at: 160 })
      return [
        yield* TileArray.diff(array, { from: 120, to: 200 }),
        yield* TileArray.fragments(yield* TileArray.open("mem://a")),
      ] as const
    }))
    const { schemaName } = fragments[1]
    assertEquals(difference.fragments, {
      added: [{ name: fragments[1].name, start: 130, end: 130, cells: 1, schemaName }],
      removed: [],
    })
    assertEquals([difference.type, difference.from, difference.to, difference.schema], ["array", 120, 200, []])
    assert(difference.deletes.length === 1 && difference.deletes[0].endsWith(".del"))
    assertEquals(difference.metadata, [
      { key: "extra", before: { type: "int64", num: 1, value: ["1"] }, after: null },
      { key: "scale", before: null, after: { type: "float32", num: 2, value: [1, 2] } },
      {
        key: "title",
        before: { type: "string_utf8", num: 6, value: "Points" },
        after: { type: "string_utf8", num: 3, value: "All" },
      },
    ])
  })

  it("has changes of the schema and of enumerations", async () => {
    const { schema } = await inMemory(Effect.gen(function* () {
      const array = yield* makeArray("mem://a")
      yield* TileArray.evolve(array, {
        addAttributes: { m: Attr.float64() },
        dropAttributes: ["n"],
        extendEnumerations: { levels: ["higher"] },
      }, { at: 130 })
      return yield* TileArray.diff(array, { from: 120, to: 130 })
    }))
    assertEquals(schema.map(({ part, name, before, after }) => [part, name, before === null, after === null]), [
      ["attribute", "n", false, true],
      ["attribute", "m", true, false],
      ["enumeration", "levels", false, false],
    ])
    const valuesOf = (side: unknown) => (side as { readonly values: unknown }).values
    assertEquals([schema[2].before, schema[2].after].map(valuesOf), [["low", "high"], ["low", "high", "higher"]])
  })

  it("has an expanded current domain and an upgrade as properties", async () => {
    const names = await inMemory(Effect.gen(function* () {
      const old = yield* TileArray.create("mem://a", Points, { at: 101, formatVersion: 21 })
      yield* TileArray.upgrade(old, { at: 110 })
      return (yield* TileArray.diff(old, { from: 101, to: 110 })).schema.map(({ part, name }) => [part, name])
    }))
    assertEquals(names, [["property", "version"]])
  })

  it("is empty without changes, and removes fragments that a consolidation replaces", async () => {
    const [none, consolidated] = await inMemory(Effect.gen(function* () {
      const array = yield* makeArray("mem://a")
      yield* Sparse.write(array, { x: [3], n: [30], e: [0] }, { at: 130 })
      yield* TileArray.consolidate(array)
      return [
        yield* TileArray.diff(array, { from: 140, to: 150 }),
        yield* TileArray.diff(array, { from: 105, to: 150 }),
      ]
    }))
    assertEquals(
      [none.fragments.added, none.fragments.removed, none.deletes, none.schema, none.metadata],
      [[], [], [], [], []],
    )
    assertEquals(consolidated.fragments.added.map(({ start, end, cells }) => [start, end, cells]), [[110, 130, 3]])
  })

  it("takes names of times", async () => {
    const counts = await inMemory(Effect.gen(function* () {
      const array = yield* makeArray("mem://a")
      yield* TileArray.putTag(array, "start", { at: 105 })
      yield* TileArray.putTag(array, "end", { at: 115 })
      const { fragments, metadata } = yield* TileArray.diff(array, { from: "tag:start", to: "tag:end" })
      return [fragments.added.length, metadata.length]
    }))
    assertEquals(counts, [1, 0])
  })

  it("fails with typed errors", async () => {
    const tags = await inMemory(Effect.gen(function* () {
      yield* makeArray("mem://a")
      const inputs = [
        TileArray.diff("mem://a", { from: 5, to: 4 }),
        TileArray.diff("mem://a", {} as never),
        TileArray.diff("", { from: 5 }),
        TileArray.diff("mem://none", { from: 5 }),
      ]
      return yield* Effect.forEach(inputs, (input) => Effect.map(Effect.flip(input), ({ _tag }) => _tag))
    }))
    assertEquals(tags, ["InvalidOption", "InvalidOption", "InvalidOption", "ArrayNotFound"])
  })
})

describe("the difference of a group", () => {
  it("has members and metadata", async () => {
    const difference = await inMemory(Effect.gen(function* () {
      yield* Group.create("mem://g")
      yield* Group.add("mem://g", { uri: "mem://a", type: "array", name: "a" }, { at: 10 })
      yield* Group.change("mem://g", { remove: ["a"], add: [{ uri: "mem://b", type: "array", name: "b" }] }, { at: 20 })
      yield* Group.putMetadata("mem://g", { title: "All" }, { at: 30 })
      return yield* TileArray.diff("mem://g", { from: 10, to: 30 })
    }))
    assertEquals(difference.members.map(({ name, before, after }) => [name, before?.uri, after?.uri]), [
      ["a", "mem://a", undefined],
      ["b", undefined, "mem://b"],
    ])
    assertEquals([difference.type, difference.metadata.map(({ key }) => key)], ["group", ["title"]])
  })
})
