import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Group, layerDefault } from "../../mod.ts"
import { treeOf } from "../../src/group/list_objects.ts"
import { walkOf } from "../../src/group/walk.ts"
import { details, type Files, member, over, uuid } from "./group_files.ts"

const group = (path: string, members?: ReadonlyArray<ReturnType<typeof member>>): Files => ({
  [`${path}/__tiledb_group.tdb`]: "",
  ...(members === undefined ? {} : { [`${path}/__group/__1_1_${uuid(1)}_2`]: details(2, members) }),
})
const array = (path: string): Files => ({ [`${path}/__schema/__1_1_${uuid(1)}`]: "" })

const walked = (files: Files, uri: string) =>
  over(
    files,
    Effect.map(Stream.runCollect(Group.walk(uri)), (c) => Chunk.toReadonlyArray(c).map((v) => [v.depth, v.uri])),
  )

describe("objects", () => {
  it("are detected by the contents of their folder", async () => {
    const type = (files: Files) => over(files, Group.objectType("mem://x"))
    assertEquals(await type({}), undefined)
    assertEquals(await type({ "x": "a file" }), undefined)
    assertEquals(await type({ "x/__schema": "a file" }), undefined)
    assertEquals(await type(array("x")), "array")
    assertEquals(await type({ "x/__array_schema.tdb": "" }), "array")
    assertEquals(await type(group("x")), "group")
    assertEquals(await type({ "x/__group/a": "" }), "group")
    assertEquals(await type({ ...group("x"), ...array("x") }), "array")
  })

  it("in a local folder are listed, next to circular links", async () => {
    const top = mkdtempSync(join(tmpdir(), "tessera-links-"))
    try {
      for (const name of ["array/__schema", "group/inner/__schema"]) mkdirSync(join(top, name), { recursive: true })
      writeFileSync(join(top, "group/__tiledb_group.tdb"), "")
      for (const at of [top, join(top, "group")]) {
        symlinkSync("loop", join(at, "loop"))
        symlinkSync("..", join(at, "up"))
      }
      symlinkSync(".", join(top, "group", "same"))
      const runLocal = <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof layerDefault>>) =>
        Effect.runPromise(Effect.provide(program, layerDefault))
      const names = async (uri: string) => (await runLocal(Group.ls(uri))).map(({ name }) => name)
      assertEquals(await names(top), ["array", "group"])
      assertEquals(await names(join(top, "group")), ["inner", "same"])
      const tree = await runLocal(Group.tree(top))
      assertEquals(tree.map(({ name, cut }) => [name, cut]), [["array", undefined], ["group", undefined]])
      assertEquals(tree[1].children.map(({ name, cut }) => [name, cut]), [["inner", undefined], ["same", undefined]])
      const visits = await runLocal(Stream.runCount(Group.walk(top)))
      assert(visits > 4 && visits < 200, `${visits}: the system ends the circle`)
    } finally {
      rmSync(top, { recursive: true })
    }
  })

  it("in a folder with two links to itself (2^40 paths) are listed up to a limit", async () => {
    const top = mkdtempSync(join(tmpdir(), "tessera-links-"))
    try {
      writeFileSync(join(top, "__tiledb_group.tdb"), "")
      for (const name of ["a", "b"]) symlinkSync(".", join(top, name))
      const run = <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof layerDefault>>) =>
        Effect.runPromise(Effect.provide(program, layerDefault))
      const visits = await run(Stream.runCollect(walkOf(top, {}, 100)))
      const met = Chunk.size(visits)
      // each opened group has at most two links: the system follows 40 links in one path
      assert(met > 100 && met <= 200, `${met} visits`)
      assertEquals(new Set(Chunk.map(visits, ({ uri }) => uri)).size, met)
      const count = (nodes: ReadonlyArray<Group.ObjectTree>): number =>
        nodes.reduce((sum, { children }) => sum + 1 + count(children), 0)
      const limits = (nodes: ReadonlyArray<Group.ObjectTree>): number =>
        nodes.reduce((sum, { children, cut }) => sum + (cut === "limit" ? 1 : 0) + limits(children), 0)
      const tree = await run(treeOf(top, {}, 100))
      assertEquals(count(tree), met)
      assert(limits(tree) > 20, `${limits(tree)} groups are not opened`)
    } finally {
      rmSync(top, { recursive: true })
    }
  })

  it("in a folder, an old group and a group are listed", async () => {
    const files: Files = {
      "top/readme": "hello",
      "top/plain/file": "no object",
      ...array("top/a"),
      ...group("top/old"),
      ...array("top/old/in"),
      ...group("top/new", [member("../a", { type: "array", name: "its a" }), member("gone")]),
      ...array("top/new/left"),
    }
    const ls = (uri: string) => over(files, Effect.map(Group.ls(uri), (l) => l.map((e) => [e.uri, e.type, e.name])))
    assertEquals(await ls("mem://top/"), [
      ["mem://top/a", "array", "a"],
      ["mem://top/new", "group", "new"],
      ["mem://top/old", "group", "old"],
    ])
    assertEquals(await ls("mem://top/old"), [["mem://top/old/in", "array", "in"]])
    // groups that were removed from a group, or never added to it, are not listed
    assertEquals(await ls("mem://top/new"), [["mem://top/new/gone", "group", null], ["mem://top/a", "array", "its a"]])
    assertEquals(await ls("mem://top/a"), [])
    assertMatch(await over(files, Effect.map(Effect.flip(Group.ls("mem://nope")), (e) => e.message)), /nothing here/)
  })

  it("in circles are visited once", async () => {
    const files: Files = {
      ...group("g", [member("a"), member("b")]),
      ...group("g/a", [member("../b"), member("."), member("..")]),
      ...group("g/b", [member("../a"), member("x", { type: "array" }), member("nowhere")]),
    }
    assertEquals(await walked(files, "mem://g"), [
      [1, "mem://g/a"],
      [2, "mem://g/a"],
      [2, "mem://g"],
      [2, "mem://g/b"],
      [3, "mem://g/a"],
      [3, "mem://g/b/nowhere"],
      [3, "mem://g/b/x"],
      [1, "mem://g/b"],
    ])
    const shape = (nodes: ReadonlyArray<Group.ObjectTree>): unknown =>
      nodes.map((n) => [n.uri.slice("mem://".length), n.cut ?? shape(n.children)])
    assertEquals(shape(await over(files, Group.tree("mem://g"))), [
      ["g/a", [
        ["g/a", "seen"],
        ["g", "seen"],
        ["g/b", [["g/a", "seen"], ["g/b/nowhere", "missing"], ["g/b/x", []]]],
      ]],
      ["g/b", "seen"],
    ])
  })

  it("in groups that branch repeatedly are visited once", async () => {
    // 2^40 paths lead to the last one
    let files: Files = group("g40", [])
    for (let i = 0; i < 40; i++) {
      files = {
        ...files,
        ...group(`g${i}`, [1, 2].map((k) => member(`mem://g${i + 1}`, { relative: false, name: String(k) }))),
      }
    }
    assertEquals((await walked(files, "mem://g0")).length, 80)
  })
})
