import { describe, it } from "node:test"
import { assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Group, TileArray } from "../../mod.ts"
import { layerDefault } from "../../platform/mod.ts"
import { replayMembers } from "../../src/group/open_group.ts"
import { details, entry, type Files, member, metadata, over, uuid } from "./group_files.ts"

const mark: Files = { "g/__tiledb_group.tdb": "" }
const name = (t: number, suffix = "_2") => `g/__group/__${t}_${t}_${uuid(t)}${suffix}`
const names = (files: Files, options: Group.OpenOptions = {}) =>
  over(files, Effect.map(Group.open("mem://g", options), (g) => g.members.map((m) => m.name ?? m.uri)))

describe("members", () => {
  const files: Files = {
    ...mark,
    [name(10)]: details(2, [member("a", { name: "first" }), member("b")]),
    [name(20)]: details(2, [member("a", { name: "first", deleted: true }), member("c", { name: "third" })]),
    [name(30)]: details(2, [member("b", { deleted: true })]),
  }

  it("are replayed, in the order of time", async () => {
    assertEquals(await names(files), ["third"])
    assertEquals(await names(files, { at: 25 }), ["mem://g/b", "third"])
    assertEquals(await names(files, { at: 10 }), ["mem://g/b", "first"])
    assertEquals(await names(files, { at: 9 }), [])
    assertEquals(await names(files, { start: 20, end: 29 }), ["third"])
    assertEquals(await names(files, { at: new Date(10) }), ["mem://g/b", "first"])
  })

  it("of version 1 are those in the newest file", async () => {
    const old: Files = {
      ...mark,
      [name(10, "")]: details(1, [member("a"), member("b")]),
      [name(20, "_1")]: details(1, [member("b")]),
    }
    assertEquals(await names(old), ["mem://g/b"])
    assertEquals(await names(old, { at: 15 }), ["mem://g/a", "mem://g/b"])
    // a group that continues with version 2 starts with the members in the last file of version 1
    assertEquals(await names({ ...old, [name(30)]: details(2, [member("c")]) }), ["mem://g/b", "mem://g/c"])
  })

  it("are not read from unfinished and other files", async () => {
    const torn = { ...files, [`${name(40)}.tmp`]: "half", "g/__group/readme": "hello" }
    assertEquals(await names(torn), ["third"])
  })

  it("have the URIs in the file, resolved against the group", async () => {
    const members = await over(
      {
        ...mark,
        [name(1)]: details(2, [
          member("sub/../x", { name: "1" }),
          member("mem://else/y", { name: "2", relative: false, type: "array" }),
          member("../h", { name: "3" }),
        ]),
      },
      Effect.map(Group.open("mem://top/../g/"), (g) => g.members).pipe(
        Effect.catchAll(() => Effect.map(Group.open("mem://g/"), Group.members)),
      ),
    )
    assertEquals(members, [
      { uri: "mem://g/x", type: "group", name: "1", relative: true },
      { uri: "mem://else/y", type: "array", name: "2", relative: false },
      // the authority of a URI is its root: nothing is above it
      { uri: "mem://g/h", type: "group", name: "3", relative: true },
    ])
  })

  it("may contain percent signs and spaces, which are not escapes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tessera group %41 "))
    try {
      cpSync(fileURLToPath(new URL("../golden/demo/weather", import.meta.url)), join(folder, "p%41q x"), {
        recursive: true,
      })
      mkdirSync(join(folder, "g/__group"), { recursive: true })
      writeFileSync(join(folder, "g/__tiledb_group.tdb"), "")
      const list = [
        member("../p%41q x", { name: "relative", type: "array" }),
        member(`file://${folder}/p%41q x`, { name: "absolute", type: "array", relative: false }),
      ]
      writeFileSync(join(folder, name(1)), details(2, list))
      for (const root of [folder, `file://${folder}`]) {
        const program = Effect.gen(function* () {
          const { members } = yield* Group.open(`${root}/g`)
          return yield* Effect.forEach(members, (m) => TileArray.open(m.uri))
        })
        const arrays = await Effect.runPromise(Effect.provide(program, layerDefault))
        assertEquals(arrays.map((a) => a.uri), [`file://${folder}/p%41q x`, `${root}/p%41q x`])
        assertEquals(arrays.map((a) => a.schema.attributes.length), [2, 2])
        const tree = await Effect.runPromise(Effect.provide(Group.tree(root), layerDefault))
        assertEquals(tree.map((t) => [t.name, t.children.map((c) => c.name)]), [
          ["g", ["absolute", "relative"]],
          ["p%41q x", []],
        ])
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("are the added ones that were not removed, after the newest complete file", () => {
    const file = fc.record({
      whole: fc.boolean(),
      members: fc.array(fc.record({ name: fc.constantFrom("a", "b", "c"), deleted: fc.boolean() })),
    })
    fc.assert(fc.property(fc.array(file), (files) => {
      const whole = files.map((f) => f.whole).lastIndexOf(true)
      const events = files.slice(Math.max(whole, 0)).flatMap((f) => f.members)
      const left = ["a", "b", "c"].filter((n) => events.filter((e) => e.name === n).at(-1)?.deleted === false)
      const replayed = replayMembers(
        files.map((f) => ({ whole: f.whole, members: f.members.map((m) => member(m.name, m)) })),
      )
      assertEquals(replayed.map((m) => m.name), left)
    }))
  })
})

describe("a group", () => {
  it("that does not exist fails with the kind of the existing object", async () => {
    const hint = (files: Files) => over(files, Effect.map(Effect.flip(Group.open("mem://g")), (e) => e.message))
    assertMatch(await hint({}), /^mem:\/\/g: there is no group here/)
    assertMatch(await hint({ "g/file": "" }), /this folder is not a group/)
    assertMatch(await hint({ "g/__array_schema.tdb": "" }), /this is an array, not a group/)
    assertMatch(await hint({ ...mark, [name(1)]: "not a tile" }), /generic tile needs 34 bytes/)
  })

  it("has metadata like arrays", async () => {
    const at = (t: number) => `g/__meta/__${t}_${t}_${uuid(t)}`
    const files: Files = {
      ...mark,
      [at(10)]: metadata([entry("k", "one"), entry("gone", "x")]),
      [at(20)]: metadata([entry("k", "two"), entry("gone", null)]),
    }
    const read = (options: Group.OpenOptions = {}) =>
      over(
        files,
        Effect.flatMap(
          Group.open("mem://g", options),
          (g) => Effect.map(Group.metadata(g), (m) => m.map((i) => i.name)),
        ),
      )
    assertEquals(await read(), ["k"])
    assertEquals(await read({ at: 15 }), ["gone", "k"])
  })

  it("without encryption can be opened with a key", async () => {
    const files: Files = { ...mark, [name(1)]: details(2, [member("a")]) }
    assertEquals(await names(files, { key: new Uint8Array(32) }), ["mem://g/a"])
  })
})
