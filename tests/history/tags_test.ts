/** Named times: where they are stored, where they are accepted, and damaged or unknown ones. */
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Dense, Dim, Group, Metadata, Sparse, TileArray } from "../../mod.ts"
import { inMemory } from "../support/in_memory.ts"

const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 999]) }, attrs: { n: Attr.int32() } })

/** Writes cell 1 at 110 and cell 2 at 120, and names the times 115 and 120. */
const makeTagged = (uri: string, options: TileArray.CreateOptions = {}) =>
  Effect.gen(function* () {
    const array = yield* TileArray.create(uri, Points, { at: 100, ...options })
    yield* Sparse.write(array, { x: [1], n: [10] }, { at: 110 })
    yield* Sparse.write(array, { x: [2], n: [20] }, { at: 120 })
    yield* TileArray.putTag(array, "release-1", { at: 115 })
    yield* TileArray.putTag(array, "release-2", { at: 120 })
    return array
  })

const xOf = (array: TileArray.AnyTileArray, options: { readonly at?: string } = {}) =>
  Effect.map(
    Sparse.read(TileArray.undeclare(array) as TileArray.TileArray, { order: "row", ...options }),
    ({ columns }) => [...columns.x.values].map(Number),
  )

describe("tags of arrays", () => {
  it("are accepted as times of opens, reopens, queries and logs", async () => {
    const seen = await inMemory(Effect.gen(function* () {
      const array = yield* makeTagged("mem://a")
      const early = yield* TileArray.open("mem://a", { at: "tag:release-1" })
      return [
        yield* xOf(early),
        // tags are newer than the open array
        yield* xOf(yield* TileArray.reopen(early, { at: "tag:release-2" })),
        yield* xOf(yield* TileArray.open("mem://a", Points, { start: "tag:release-2" })),
        yield* xOf(array, { at: "tag:release-1" }),
        (yield* TileArray.log(array, { end: "tag:release-1" })).map(({ end }) => end),
        (yield* TileArray.listTags(early)).map(({ name, time }) => [name, time]),
      ]
    }))
    assertEquals(seen, [[1], [1, 2], [2], [1], [100, 110], [["release-1", 115], ["release-2", 120]]])
  })

  it("are metadata keys with JSON, one for each tag", async () => {
    const [keys, text] = await inMemory(Effect.gen(function* () {
      yield* makeTagged("mem://a")
      const values = Metadata.values(yield* TileArray.metadata(yield* TileArray.open("mem://a")))
      return [[...values.keys()], JSON.parse(String(values.get("tessera.tag.release-1")))]
    }))
    assertEquals(keys, ["tessera.tag.release-1", "tessera.tag.release-2"])
    const { format, version, time, created } = text
    assertEquals([format, version, time], ["tessera-tag", 1, 115])
    assert(created > 1e12)
  })

  it("name the current time by default, or the time of another tag", async () => {
    const [now, same, before] = await inMemory(Effect.gen(function* () {
      yield* makeTagged("mem://a")
      const before = Date.now()
      const now = yield* TileArray.putTag("mem://a", "now")
      return [now, yield* TileArray.putTag("mem://a", "same", { at: "tag:release-1" }), before]
    }))
    assert(now.time >= before && now.time <= Date.now())
    assertEquals(same.time, 115)
  })

  it("are replaced and removed only on request", async () => {
    const [conflict, again, replaced, left, missing] = await inMemory(Effect.gen(function* () {
      yield* makeTagged("mem://a")
      const conflict = yield* Effect.flip(TileArray.putTag("mem://a", "release-1", { at: 116 }))
      const again = yield* TileArray.putTag("mem://a", "release-1", { at: 115 })
      const replaced = yield* TileArray.putTag("mem://a", "release-1", { at: 116, replace: true })
      yield* TileArray.deleteTag("mem://a", "release-2")
      const left = yield* TileArray.listTags("mem://a")
      return [conflict, again, replaced, left, yield* Effect.flip(TileArray.deleteTag("mem://a", "release-2"))]
    }))
    assert(conflict._tag === "InvalidOption" && conflict.reason === "Conflict")
    assertEquals([again.time, replaced.time], [115, 116])
    assertEquals(left.map(({ name, time }) => [name, time]), [["release-1", 116]])
    assertEquals(missing._tag, "InvalidOption")
  })

  it("do not lose each other if written concurrently", async () => {
    const names = await inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://a", Points, { at: 1 })
      const all = Array.from({ length: 8 }, (_, i) => `t${i}`)
      yield* Effect.forEach(all, (name, i) => TileArray.putTag("mem://a", name, { at: i }), { concurrency: 8 })
      return (yield* TileArray.listTags("mem://a")).map(({ name }) => name)
    }))
    assertEquals(names, ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"])
  })

  it("survive a consolidation and a vacuum of the metadata", async () => {
    const times = await inMemory(Effect.gen(function* () {
      yield* makeTagged("mem://a")
      yield* TileArray.consolidate("mem://a", { mode: "array_meta" })
      yield* TileArray.vacuum("mem://a", { mode: "array_meta", age: 0 })
      return (yield* TileArray.listTags("mem://a")).map(({ time }) => time)
    }))
    assertEquals(times, [115, 120])
  })

  it("work in encrypted and in dense arrays", async () => {
    const key = new Uint8Array(32).fill(7)
    const Line = ArraySchema.dense({ dims: { x: Dim.int32([0, 9], { tile: 5 }) }, attrs: { n: Attr.int32() } })
    const seen = await inMemory(Effect.gen(function* () {
      const secret = yield* makeTagged("mem://a", { key })
      const early = yield* TileArray.open("mem://a", { at: "tag:release-1", key })
      const line = yield* TileArray.create("mem://b", Line, { at: 1 })
      yield* Dense.write(line, { x: [0, 1] }, { n: [1, 2] }, { at: 2 })
      yield* TileArray.putTag(line, "first", { at: 2 })
      yield* Dense.write(line, { x: [0, 1] }, { n: [3, 4] }, { at: 3 })
      return [
        yield* xOf(early),
        (yield* TileArray.listTags(secret)).length,
        [...(yield* Dense.read(line, { region: { x: [0, 1] }, at: "tag:first" })).columns.n],
      ]
    }))
    assertEquals(seen, [[1], 2, [1, 2]])
  })
})

describe("tags of groups", () => {
  it("are accepted when the group is opened", async () => {
    const counts = await inMemory(Effect.gen(function* () {
      yield* Group.create("mem://g")
      yield* Group.add("mem://g", { uri: "mem://a", type: "array", name: "a" }, { at: 10 })
      yield* Group.add("mem://g", { uri: "mem://b", type: "array", name: "b" }, { at: 20 })
      yield* TileArray.putTag("mem://g", "one", { at: 15 })
      const early = yield* Group.open("mem://g", { at: "tag:one" })
      yield* TileArray.deleteTag(early, "one")
      return [early.members.length, (yield* TileArray.listTags(early)).length]
    }))
    assertEquals(counts, [1, 0])
  })
})

describe("unknown, invalid and hostile tags", () => {
  it("fail with similar names", async () => {
    const errors = await inMemory(Effect.gen(function* () {
      yield* makeTagged("mem://a")
      yield* Group.create("mem://g")
      return [
        yield* Effect.flip(TileArray.open("mem://a", { at: "tag:relase-1" })),
        yield* Effect.flip(TileArray.open("mem://a", { start: "tag:" })),
        yield* Effect.flip(Group.open("mem://g", { at: "tag:release-1" })),
        yield* Effect.flip(TileArray.open("mem://none", { at: "tag:release-1" })),
        yield* Effect.flip(TileArray.listTags("mem://none")),
      ]
    }))
    assertEquals(errors.map(({ _tag }) => _tag), [
      "InvalidOption",
      "InvalidOption",
      "InvalidOption",
      "ArrayNotFound",
      "ArrayNotFound",
    ])
    assertEquals(
      errors[0].message,
      'mem://a: at: there is no tag "relase-1"; it has release-1, release-2; did you mean "release-1" or "release-2"?',
    )
    assertMatch(errors[2].message, /it has no tags/)
  })

  it("have names that cannot be confused with times or paths", async () => {
    const tags = await inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://a", Points, { at: 1 })
      const invalid = [
        "",
        "1",
        "2024-02-29",
        "a b",
        "a/b",
        "../a",
        "-a",
        "a\n",
        "a".repeat(101),
        5 as never,
        null as never,
      ]
      const tags: Array<string> = []
      for (const name of invalid) tags.push((yield* Effect.flip(TileArray.putTag("mem://a", name)))._tag)
      yield* TileArray.putTag("mem://a", "été_2024.1-b", { at: 5 })
      yield* TileArray.putTag("mem://a", "a".repeat(100), { at: 5 })
      return tags
    }))
    assertEquals(new Set(tags), new Set(["InvalidOption"]))
  })

  const values: ReadonlyArray<readonly [string, string | number | Uint8Array]> = [
    ["no JSON", "soon"],
    ["an unknown version", '{"format":"tessera-tag","version":2,"time":5,"created":5}'],
    ["a negative time", '{"format":"tessera-tag","version":1,"time":-5,"created":5}'],
    ["a fraction", '{"format":"tessera-tag","version":1,"time":0.5,"created":5}'],
    ["a number", 5],
    ["bytes", new Uint8Array(4).fill(255)],
    ["long text", JSON.stringify("x".repeat(5000))],
    ["nested lists", "[".repeat(1000)],
  ]
  for (const [label, value] of values) {
    it(`fail with FormatError for ${label}, and can be removed`, async () => {
      const [one, all, opened, left] = await inMemory(Effect.gen(function* () {
        yield* makeTagged("mem://a")
        yield* TileArray.putMetadata("mem://a", { "tessera.tag.bad": value })
        return [
          yield* Effect.flip(TileArray.open("mem://a", { at: "tag:bad" })),
          yield* Effect.flip(TileArray.listTags("mem://a")),
          yield* xOf(yield* TileArray.open("mem://a", { at: "tag:release-1" })),
          yield* Effect.zipRight(TileArray.deleteTag("mem://a", "bad"), TileArray.listTags("mem://a")),
        ]
      }))
      assertEquals([one._tag, all._tag, opened, left.length], ["FormatError", "FormatError", [1], 2])
    })
  }

  it("are InvalidOption for options of the wrong type", async () => {
    const tags = await inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://a", Points, { at: 1 })
      const calls = [
        TileArray.putTag("mem://a", "a", null as never),
        TileArray.putTag("mem://a", "a", { start: 5 } as never),
        TileArray.putTag("mem://a", "a", { at: -1 }),
        TileArray.putTag("mem://a", "a", { replace: "yes" as never }),
        TileArray.putTag(5 as never, "a"),
        TileArray.listTags("mem://a", null as never),
        TileArray.listTags("", {}),
        TileArray.open("mem://a", null as never),
      ]
      return yield* Effect.forEach(
        calls,
        (call) =>
          Effect.match(call as Effect.Effect<unknown, TileArray.PutTagError>, {
            onFailure: ({ _tag }) => _tag as string,
            onSuccess: () => "none",
          }),
      )
    }))
    assertEquals(new Set(tags), new Set(["InvalidOption"]))
  })
})
