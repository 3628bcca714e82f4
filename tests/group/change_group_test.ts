/** Creating groups, and changing their members and metadata. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import { ArraySchema, Attr, Dim, Group, Metadata, WriteError } from "../../mod.ts"
import { Storage } from "../../platform/storage/service.ts"
import { makeArray, onEachStorage } from "../support/change_array.ts"
import { details, member, over, uuid } from "./group_files.ts"

const schema = ArraySchema.dense({ dims: { x: Dim.int32([1, 4]) }, attrs: { a: Attr.int32() } })
const key = Uint8Array.from({ length: 32 }, (_, i) => i)

const membersAt = (uri: string, at?: number) =>
  Effect.map(
    Group.open(uri, { at }),
    (group) => Group.members(group).map(({ uri, type, name, relative }) => [name, uri, type, relative] as const),
  )

const names = (uri: string, at?: number) => Effect.map(membersAt(uri, at), (all) => all.map(([name]) => name))

const whyNot = (group: string, changes: Group.MemberChanges) =>
  Effect.map(Effect.flip(Group.change(group, changes)), (error) => {
    assert(error instanceof WriteError, String(error))
    return error.message
  })

const files = (folder: string) =>
  Effect.flatMap(Storage, (storage) => Effect.map(storage.list(folder), (all) => all.map((e) => e.name)))

/** Returns a URI in the form that engines store. */
const whole = (uri: string): string => uri.startsWith("/") ? `file://${uri}` : uri

describe("groups", () => {
  onEachStorage("are created empty, once", (root) =>
    Effect.gen(function* () {
      yield* Group.create(`${root}/g/`)
      assertEquals(yield* names(`${root}/g`), [])
      assertEquals(yield* Group.objectType(`${root}/g`), "group")
      assertEquals((yield* Effect.flip(Group.create(`${root}/g`)))._tag, "AlreadyExists")
      yield* makeArray(`${root}/a`, schema)
      assertEquals((yield* Effect.flip(Group.create(`${root}/a`)))._tag, "AlreadyExists")
      assertEquals((yield* Effect.flip(Group.create("")))._tag, "InvalidOption")
    }))

  onEachStorage(
    "add and remove members, relative or absolute, with or without names",
    (root) =>
      Effect.gen(function* () {
        const g = `${root}/g`
        yield* Group.create(g)
        yield* makeArray(`${root}/g/a`, schema)
        yield* makeArray(`${root}/b`, schema)
        yield* Group.create(`${root}/g/sub`)
        yield* Group.add(g, { uri: "a", relative: true, name: "first" }, { at: 10 })
        yield* Group.add(yield* Group.open(g), [
          { uri: `${root}/b/` },
          { uri: "sub", relative: true },
          { uri: "../later", relative: true, name: "later", type: "group" },
        ], { at: 20 })
        yield* Group.remove(g, "first", { at: 30 })
        yield* Group.change(g, { remove: [`${root}/b`], add: [{ uri: "a", relative: true, name: "again" }] }, {
          at: 40,
        })
        yield* Group.remove(g, [`${root}/g/sub`, "later"], { at: 50 })
        assertEquals(yield* names(g, 9), [])
        assertEquals(yield* membersAt(g, 10), [["first", `${g}/a`, "array", true]])
        assertEquals(
          (yield* membersAt(g, 20)).toSorted(),
          [
            [null, `${g}/sub`, "group", true],
            [null, whole(`${root}/b`), "array", false],
            ["first", `${g}/a`, "array", true],
            ["later", `${root}/later`, "group", true],
          ].toSorted() as never,
        )
        assertEquals(yield* names(g, 40), ["again", "later", null])
        assertEquals(yield* names(g), ["again"])
        assertEquals((yield* files(`${g}/__group`)).length, 5)
        assertEquals(yield* Group.objectType(`${root}/b`), "array")
      }),
  )

  onEachStorage(
    "replace the member with the same name, in the order of the changes",
    (root) =>
      Effect.gen(function* () {
        const g = `${root}/g`
        yield* Group.create(g)
        for (const n of ["a", "b", "c"]) {
          yield* Group.add(g, { uri: n, relative: true, name: "it", type: "array" }, { at: 10 })
          assertEquals((yield* membersAt(g)).map(([, uri]) => uri), [`${g}/${n}`])
        }
      }),
  )

  onEachStorage("keep concurrent changes", (root) =>
    Effect.gen(function* () {
      const g = `${root}/g`
      yield* Group.create(g)
      const all = Array.from({ length: 20 }, (_, i) => `m${String(i).padStart(2, "0")}`)
      yield* Effect.forEach(all, (name) => Group.add(g, { uri: name, relative: true, name, type: "array" }), {
        concurrency: "unbounded",
      })
      assertEquals(yield* names(g), all)
    }))

  onEachStorage("reject invalid members, and remain unchanged", (root) =>
    Effect.gen(function* () {
      const g = `${root}/g`
      yield* Group.create(g)
      yield* Group.add(g, [
        { uri: "x", relative: true, name: "one", type: "array" },
        { uri: "x", relative: true, name: "two", type: "array" },
      ])
      for (
        const [changes, why] of [
          [{ add: [{ uri: "none", relative: true, name: "n" }] }, `n: there is no array or group at ${g}/none`],
          [{ add: [{ uri: `${root}/none` }] }, `${root}/none: there is no array or group`],
          [{ add: [{ uri: "some/where", type: "array" }] }, "some/where: this is not a complete path or URI"],
          [{ add: [{ uri: "/a", relative: true, type: "array" }] }, "/a: a relative URI starts at the group"],
          [{ add: [{ uri: "" }] }, "a member has a path or URI"],
          [{ add: [{ uri: "/a", name: "", type: "array" }] }, "a name has at least one letter"],
          [{ add: [{ uri: "/a", type: "file" as never }] }, "a member is an array or a group, not file"],
          [{
            add: [{ uri: "/a", name: "n", type: "array" }, { uri: "/b", name: "n", type: "array" }],
          }, "n: it is added or removed twice"],
          [{ remove: ["one", "one"] }, "one: it is added or removed twice"],
          [{ remove: ["one"], add: [{ uri: "/b", name: "one", type: "array" }] }, "one: it is added or removed twice"],
          [{ remove: ["three"] }, "three: the group has no member of this name or URI"],
          [{ remove: ["x"] }, "x: several members have this URI; remove them by their names"],
        ] as ReadonlyArray<readonly [Group.MemberChanges, string]>
      ) assertStringIncludes(yield* whyNot(g, changes), why)
      for (
        const [changes, why] of [
          [{ added: [] }, "added: unknown option; valid options: add, remove"],
          [{ remove: "one" }, "remove: give a list of members"],
          [null, "this is null"],
        ] as ReadonlyArray<readonly [unknown, string]>
      ) {
        const error = yield* Effect.flip(Group.change(g, changes as never))
        assertEquals(error._tag, "InvalidOption")
        assertStringIncludes(error.message, why)
      }
      assertEquals(yield* names(g), ["one", "two"])
      assertEquals((yield* files(`${g}/__group`)).length, 1)
      yield* Group.change(g, {})
      assertEquals((yield* files(`${g}/__group`)).length, 1)
      assertEquals((yield* Effect.flip(Group.add(`${root}/none`, { uri: "/a", type: "array" })))._tag, "ArrayNotFound")
    }))

  onEachStorage("have metadata like arrays", (root) =>
    Effect.gen(function* () {
      const g = `${root}/g`
      yield* Group.create(g)
      yield* Group.putMetadata(g, { title: "All", grid: Metadata.numpy(Int8Array.of(1, 2)) }, { at: 10 })
      yield* Group.editMetadata(yield* Group.open(g), (metadata) =>
        Effect.zipRight(metadata.put({ n: 1.5 }), metadata.delete(["title"])), { at: 20 })
      yield* Group.deleteMetadata(g, ["grid"], { at: 30 })
      const valuesAt = (at: number) =>
        Effect.map(Effect.flatMap(Group.open(g, { at }), Group.metadata), (items) =>
          Object.fromEntries(Metadata.values(items)))
      const grid = { type: "int8", shape: [2], values: Int8Array.of(1, 2) }
      assertEquals(yield* valuesAt(10), { title: "All", grid } as never)
      assertEquals(yield* valuesAt(20), { n: 1.5, grid } as never)
      assertEquals(yield* valuesAt(30), { n: 1.5 })
      assertEquals((yield* Effect.flip(Group.putMetadata(`${root}/none`, { k: 1 })))._tag, "ArrayNotFound")
      assertEquals((yield* Effect.flip(Group.putMetadata(g, { k: null as never })))._tag, "WriteError")
    }))

  onEachStorage("are encrypted with a key", (root) =>
    Effect.gen(function* () {
      const g = `${root}/g`
      yield* Group.create(g)
      yield* Group.add(g, { uri: "x", relative: true, name: "one", type: "array" }, { key })
      yield* Group.putMetadata(yield* Group.open(g, { key }), { secret: 1 })
      const group = yield* Group.open(g, { key })
      assertEquals(Group.members(group).length, 1)
      assertEquals((yield* Group.metadata(group)).length, 1)
      assertEquals((yield* Effect.flip(Group.open(g)))._tag, "DecryptionFailed")
      assertEquals((yield* Effect.flip(Group.add(g, { uri: "/a", type: "array" })))._tag, "DecryptionFailed")
    }))

  it("of version 1 keep their version, with all members in every file", async () => {
    const name = (t: number, suffix = "") => `g/__group/__${t}_${t}_${uuid(t)}${suffix}`
    for (const suffix of ["", "_1"]) {
      const old = {
        "g/__tiledb_group.tdb": "",
        [name(10)]: details(1, [member("a"), member("b")]),
        [name(20, suffix)]: details(1, [member("b", { name: "bee" }), member("c")]),
      }
      await over(
        old,
        Effect.gen(function* () {
          const g = "mem://g"
          yield* Group.change(g, { remove: ["bee"], add: [{ uri: "d", relative: true, name: "dee", type: "array" }] })
          assertEquals(yield* membersAt(g), [
            [null, "mem://g/c", "group", true],
            ["dee", "mem://g/d", "array", true],
          ])
          const added = (yield* files(`${g}/__group`)).filter((file) => !Object.hasOwn(old, `g/__group/${file}`))
          assertEquals(added.map((file) => /^__\d+_\d+_[0-9a-f]{32}$/.test(file)), [true])
        }),
      )
    }
  })
})
