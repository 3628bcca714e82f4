/** Groups on the network: which members are followed, and which are only listed. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Group } from "../../mod.ts"
import {
  httpFiles,
  layerNative,
  localFiles,
  makeCounters,
  makeMemoryStorage,
  makeRouter,
  StorageService,
  withCounters,
} from "../../platform/mod.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import { layerStorage } from "../../platform/runtime/default_layer.ts"
import type { GroupMember } from "../../schema/mod.ts"
import { memberOrigin } from "../../src/group/follow.ts"
import { startWebServer } from "../support/web_server.ts"
import { details, member, uuid } from "./group_files.ts"

type Objects = Readonly<Record<string, ReadonlyArray<GroupMember>>>

const to = (uri: string, more: Partial<GroupMember> = {}): GroupMember =>
  member(uri, { relative: false, name: uri, ...more })
const below = (uri: string): GroupMember => member(uri, { name: uri })

const array = (uri: string): GroupMember => to(uri, { type: "array" })

/** Returns the files of groups by their paths. */
const filesOf = (groups: Objects): Map<string, Uint8Array> => {
  const files = new Map<string, Uint8Array>()
  for (const [uri, members] of Object.entries(groups)) {
    files.set(`${uri}/__tiledb_group.tdb`, new Uint8Array(0))
    files.set(`${uri}/__group/__1_1_${uuid(1)}_2`, details(2, members))
  }
  return files
}

/**
 * Runs an effect over one memory storage that contains groups at URIs of any scheme; returns its result and the URIs of
 * all calls.
 */
const over = async <A, E>(
  groups: Objects,
  effect: Effect.Effect<A, E, StorageService | Codecs>,
) => {
  const calls: Array<string> = []
  const files = new Map(
    Array.from(filesOf(groups), ([uri, bytes]) => [uri.replace(/^mem:\/\//, "").replace(/^\//, ""), bytes]),
  )
  const storage = withCounters(makeMemoryStorage(files), makeCounters(), ({ uri }) => void calls.push(uri))
  const layer = Layer.merge(Layer.succeed(StorageService, storage), layerNative)
  return { answer: await Effect.runPromise(Effect.provide(effect, layer)), calls }
}

/** Returns the tree of names: the children of followed members, the reason for others. */
const shape = (nodes: ReadonlyArray<Group.ObjectTree>): unknown =>
  Object.fromEntries(nodes.map((n) => [n.name ?? n.uri, n.cut ?? shape(n.children)]))

const treeOf = async (groups: Objects, uri: string, allow?: ReadonlyArray<string>) => {
  const { answer, calls } = await over(groups, Group.tree(uri, { allow }))
  return { tree: shape(answer), calls }
}

const walkOf = async (groups: Objects, uri: string, allow?: ReadonlyArray<string>) => {
  const { answer } = await over(groups, Stream.runCollect(Group.walk(uri, { allow })))
  return Chunk.toReadonlyArray(answer).map((v) => [v.depth, v.uri, v.foreign === true])
}

const good = "https://good.example/data/g"

const elsewhere = [
  "https://evil.example/g",
  "http://good.example/data/g2",
  "https://good.example:8443/data/g2",
  "https://good.example.:443/g2",
  "https://sub.good.example/g2",
  "https://good.example@evil.example/g2",
  "https://good.example\\@evil.example/g2",
  "https://[::1]/g2",
  "https://",
  "https://bad host/g2",
  "file:///etc",
  "FILE:///etc",
  "file://good.example/etc",
  "/etc",
  "etc/x",
  "//good.example/g2",
  "mem://secret",
  "s3://bucket/g",
  " https://good.example/g2",
  "https:/good.example/g2",
  "https:\\\\good.example\\g2",
  "data:text/plain,x",
  "",
]

const same = [
  "https://good.example/other",
  "HTTPS://Good.Example:443/data/g2",
  "https://good.example/data/g/inside",
]

describe("a group from a web server", () => {
  it("is followed to its own origin, in any spelling", async () => {
    for (const uri of same) {
      const { tree } = await treeOf({ [good]: [to(uri)], [uri]: [below("x")] }, good)
      assertEquals(tree, { [uri]: { x: "missing" } }, uri)
    }
  })

  it("lists members elsewhere, and does not open them", async () => {
    for (const uri of elsewhere) {
      const groups = { [good]: [to(uri)], ...(uri === "" ? {} : { [uri]: [below("x")] }) }
      const { tree, calls } = await treeOf(groups, good)
      assertEquals(tree, { [uri]: "foreign" }, uri)
      for (const call of calls) assert(call === good || call.startsWith(`${good}/`), call)
      assertEquals(await walkOf(groups, good), [[1, uri, true]])
      const { answer, calls: listing } = await over(groups, Group.ls(good))
      assertEquals(answer, [{ uri, type: "group", name: uri, foreign: true }])
      for (const call of listing) assert(call === good || call.startsWith(`${good}/`), call)
      const opened = await over(groups, Group.open(good))
      assertEquals(opened.answer.members.map((m) => m.uri), [uri])
    }
  })

  it("marks arrays elsewhere as foreign", async () => {
    const { answer } = await over(
      { [good]: [array("file:///etc/a"), array("https://good.example/a")] },
      Group.tree(good),
    )
    assertEquals(answer, [
      { uri: "file:///etc/a", type: "array", name: "file:///etc/a", children: [], cut: "foreign" },
      { uri: "https://good.example/a", type: "array", name: "https://good.example/a", children: [] },
    ])
  })

  it("is followed to allowed origins and schemes", async () => {
    for (
      const [uri, allow] of [
        ["https://b.example/g", ["https://b.example"]],
        ["https://b.example/g", ["HTTPS://B.Example:443/"]],
        ["https://b.example/g", ["https:"]],
        ["http://[::1]:80/g", ["http://[0:0:0:0:0:0:0:1]"]],
        ["https://bücher.example/g", ["https://xn--bcher-kva.example"]],
        ["file:///data/g", ["file:"]],
        ["/data/g", ["file://"]],
        ["mem://g", ["x:", "mem:"]],
        ["s3://Bucket/g", ["s3://bucket"]],
        ["s3://bucket/g", ["s3:"]],
      ] as const
    ) {
      const { tree } = await treeOf({ [good]: [to(uri)], [uri]: [below("x")] }, good, allow)
      assertEquals(tree, { [uri]: { x: "missing" } }, uri)
    }
    for (
      const [uri, allow] of [
        ["http://b.example/g", ["https://b.example"]],
        ["https://b.example:444/g", ["https://b.example"]],
        ["https://b.example.evil.example/g", ["https://b.example"]],
        ["s3://bucket2/g", ["s3://bucket"]],
        ["mem://g", ["file:"]],
        ["https://", ["https:"]],
      ] as const
    ) {
      const { tree } = await treeOf({ [good]: [to(uri)], [uri]: [below("x")] }, good, allow)
      assertEquals(tree, { [uri]: "foreign" }, uri)
    }
  })

  it("rejects an invalid allow-list", async () => {
    for (
      const allow of [
        "https://a.example",
        ["a.example"],
        [""],
        ["*"],
        ["https://a.example/path"],
        ["https://a.example?x"],
        ["https://user@a.example"],
        ["https://"].map((x) => x + "/"),
        ["/data"],
        ["file:///data"],
        [1],
      ]
    ) {
      for (const run of [Group.ls, Group.tree, (u: string, o: never) => Stream.runDrain(Group.walk(u, o))]) {
        const { answer, calls } = await over(
          {},
          Effect.flip(run(good, { allow } as never) as Effect.Effect<unknown, Error, StorageService | Codecs>),
        )
        assertEquals([(answer as { _tag?: string })._tag, calls], ["InvalidOption", []], String(allow))
        assertStringIncludes(answer.message, "allow: ")
      }
    }
    const { answer } = await over({}, Effect.flip(Group.ls(good, { allowed: [] } as never)))
    assertStringIncludes(answer.message, "allowed: unknown option")
    assertStringIncludes(answer.message, "allow")
  })

  it("restricts the groups below it, each by its own origin", async () => {
    const b = "https://b.example/g"
    const groups: Objects = {
      // the start is local, so that it is followed anywhere
      "mem://start": [to(good), to("mem://local"), to("file:///home/g")],
      "mem://local": [to("file:///home/g2"), to("https://c.example/g")],
      "file:///home/g": [],
      "file:///home/g2": [],
      "https://c.example/g": [to("mem://start"), to("https://c.example/own")],
      "https://c.example/own": [to(good)],
      [good]: [to(b), to("https://good.example/h"), to("mem://secret")],
      "https://good.example/h": [to(b), to("file:///etc")],
      // B is followed to B and to the allowed origins, not back to A
      [b]: [to("https://b.example/h"), to(good), to("file:///etc")],
      "https://b.example/h": [],
      "mem://secret": [],
    }
    const cut = { [b]: "foreign", "https://good.example/h": { [b]: "foreign", "file:///etc": "foreign" } }
    const local = {
      "file:///home/g2": {},
      "https://c.example/g": { "mem://start": "foreign", "https://c.example/own": { [good]: "foreign" } },
    }
    assertEquals((await treeOf(groups, "mem://start")).tree, {
      "file:///home/g": {},
      [good]: { ...cut, "mem://secret": "foreign" },
      "mem://local": local,
    })
    const allowed = await treeOf(groups, good, ["https://b.example"])
    assertEquals(allowed.tree, {
      [b]: { "https://b.example/h": {}, [good]: "foreign", "file:///etc": "foreign" },
      "https://good.example/h": { [b]: "seen", "file:///etc": "foreign" },
      "mem://secret": "foreign",
    })
    const walked = await walkOf(groups, "mem://start")
    const opened = walked.filter(([, , foreign]) => foreign === false).map(([, uri]) => uri)
    assertEquals(opened.includes(b) || opened.includes("mem://secret") || opened.includes("file:///etc"), false)
  })

  it("is not followed to local files through allowed local groups", async () => {
    const groups: Objects = {
      [good]: [to("mem://g")],
      "mem://g": [to("mem://h"), to("file:///etc"), to("https://c.example/g")],
      "mem://h": [to("file:///etc")],
    }
    const { tree } = await treeOf(groups, good, ["mem:"])
    const expected = {
      "mem://h": { "file:///etc": "foreign" },
      "file:///etc": "foreign",
      "https://c.example/g": "foreign",
    }
    assertEquals(tree, { "mem://g": expected })
    assertEquals((await walkOf(groups, good, ["mem:"])).filter(([, , foreign]) => foreign === true).length, 3)
  })

  it("resolves relative members below itself", async () => {
    for (
      const [path, resolved] of [["a", "a"], ["a/b", "a/b"], ["a/../b", "b"], ["a%20b", "a%20b"], ["a%2Fb", "a%2Fb"]]
    ) {
      const { tree } = await treeOf({ [good]: [below(path)], [`${good}/${resolved}`]: [below("x")] }, good)
      assertEquals(tree, { [path]: { x: "missing" } }, path)
    }
    // a signed URI of a group keeps its query
    const signed = `${good}?sig=1`
    assertEquals((await treeOf({ [signed]: [below("a")], [`${signed}/a`]: [] }, signed)).tree, { a: {} })
    for (
      const path of [
        "..",
        "../h",
        "a/../../h",
        "%2e%2e/h",
        "a%2f..%2f..%2f..%2fh",
        "%2E%2E%2Fh",
        "a%5c..%5c..%5ch",
        ".%2e/h",
      ]
    ) {
      for (const start of [good, signed]) {
        const { tree, calls } = await treeOf({ [start]: [below(path)] }, start)
        assertEquals(tree, { [path]: "foreign" }, path)
        for (const call of calls) assert(call === start || call.startsWith(`${start}/__`), call)
      }
    }
    // the options may allow the rest of the server
    const allowed = await treeOf({ [good]: [below("../h")], "https://good.example/data/h": [] }, good, [
      "https://good.example",
    ])
    assertEquals(allowed.tree, { "../h": {} })
  })

  it("is rejected if relative members are absolute URIs, or would become queries", async () => {
    for (
      const path of [
        "https://evil.example/g",
        "file:///etc",
        "file:/etc",
        "/etc",
        "a?x=1",
        "a#x",
        "a\\..\\..\\h",
        "a\0",
      ]
    ) {
      const { answer, calls } = await over({ [good]: [below("a"), below(path)] }, Effect.flip(Group.tree(good)))
      assert("path" in answer && answer._tag === "FormatError", String(answer))
      assertEquals([answer.uri, answer.path], [`${good}/__group/__1_1_${uuid(1)}_2`, "members.1.uri"])
      for (const call of calls) assert(call === good || call.startsWith(`${good}/__`), call)
    }
  })
})

describe("a local group", () => {
  it("is followed anywhere", async () => {
    for (const start of ["mem://x/g", "/data/g", "file:///data/g"]) {
      for (const uri of ["https://b.example/g", "s3://b/g", "mem://h", "file:///h", "/h"]) {
        const { tree } = await treeOf({ [start]: [to(uri)], [uri]: [below("x")] }, start)
        assertEquals(tree, { [uri]: { x: "missing" } }, `${start} ${uri}`)
      }
      const above = start.slice(0, start.lastIndexOf("/"))
      const { tree } = await treeOf({ [start]: [below("../h"), below("a?b"), below("c:d")], [`${above}/h`]: [] }, start)
      assertEquals(tree, { "../h": {}, "a?b": "missing", "c:d": "missing" })
    }
  })

  it("is rejected if relative members are absolute URIs, and does not add them", async () => {
    for (const path of ["https://evil.example/g", "file:///etc", "file:/etc", "/etc", "a\0"]) {
      const { answer } = await over({ "mem://g": [below(path)] }, Effect.flip(Group.open("mem://g")))
      assertEquals([answer._tag, "path" in answer && answer.path], ["FormatError", "members.0.uri"])
      const adding = Group.add("mem://g", { uri: path, relative: true, type: "array" })
      assertEquals((await over({ "mem://g": [] }, Effect.flip(adding))).answer._tag, "WriteError")
      // removed members are ignored
      const removed = { "mem://g": [below("a"), member(path, { deleted: true })] }
      assertEquals((await over(removed, Group.open("mem://g"))).answer.members.length, 1)
    }
  })
})

describe("origins", () => {
  it("are those that requests are sent to", () => {
    for (
      const [uri, origin] of [
        ["HTTP://Host:80/a/b?c", "http://host"],
        ["https://host:443", "https://host"],
        ["https://host:8443/a", "https://host:8443"],
        ["https://good@evil/x", "https://evil"],
        ["https://good\\@evil/x", "https://evil"],
        ["https://BÜCHER.example/", "https://xn--bcher-kva.example"],
        ["https://[0:0::1]/", "https://[::1]"],
        ["https://", undefined],
        ["https://a b/", undefined],
        ["https://host:99999/", undefined],
        ["/a", "file:"],
        ["a", "file:"],
        ["file:///a", "file:"],
        ["mem://a", "mem:"],
        ["S3://Bucket/a", "s3://bucket"],
      ]
    ) assertEquals(memberOrigin(uri!), origin, uri)
  })
})

describe("over real servers and files", () => {
  it("does not read other servers or local files for a hostile server", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tessera follow "))
    const other = await startWebServer({ files: filesOf({ secret: [] }) })
    const files = new Map<string, Uint8Array>()
    const server = await startWebServer({ files })
    try {
      await Effect.runPromise(Effect.provide(Group.create(`${folder}/g`), Layer.succeed(StorageService, localFiles)))
      const members = [
        below("inside"),
        to(`${server.origin}/beside`),
        to(`${other.origin}/secret`),
        to(`${server.origin.replace("http://", "http://x@")}\\@${other.origin.slice(7)}/secret`),
        to(`${folder}/g`),
        to(`file://${folder}/g`),
      ]
      for (const [path, bytes] of filesOf({ "g": members, "g/inside": [], "beside": [] })) files.set(path, bytes)
      const calls: Array<string> = []
      const layer = Layer.merge(
        Layer.effect(
          StorageService,
          Effect.map(
            StorageService,
            (storage) => withCounters(storage, makeCounters(), ({ uri }) => void calls.push(uri)),
          ),
        ).pipe(Layer.provide(layerStorage)),
        layerNative,
      )
      const tree = (allow?: ReadonlyArray<string>) =>
        Effect.runPromise(Effect.provide(Group.tree(`${server.origin}/g`, { allow }), layer))
      const cuts = (await tree()).map(({ cut }) => cut)
      assertEquals(cuts.filter((cut) => cut === "foreign").length, 4)
      assertEquals(cuts.filter((cut) => cut === undefined).length, 2)
      assertEquals(other.seen, [])
      for (const call of calls) assert(call.startsWith(server.origin), call)
      const allowed = (await tree([other.origin, "file:"])).filter(({ cut }) => cut === undefined)
      assert(allowed.length >= 4)
      assert(other.seen.length > 0)
    } finally {
      await Promise.all([server.close(), other.close()])
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe("headers without an origin", () => {
  const headers = { authorization: "Bearer secret" }
  const follow: Readonly<Record<string, (uri: string) => Effect.Effect<unknown, unknown, StorageService | Codecs>>> = {
    tree: (uri) => Group.tree(uri),
    walk: (uri) => Effect.ignore(Stream.runDrain(Group.walk(uri))),
  }
  for (const [name, followed] of Object.entries(follow)) {
    it(`are not sent to a server that only a local group refers to (${name})`, async () => {
      const files = filesOf({ mine: [array("x")], other: [array("y")] })
      const evil = await startWebServer({ files })
      const good = await startWebServer({ files })
      try {
        const local = filesOf({ local: [to(`${evil.origin}/other`), to(`${good.origin}/mine`, { name: "z" })] })
        const storage = makeRouter({ mem: makeMemoryStorage(local), http: httpFiles({ headers }) })
        const layer = Layer.merge(Layer.succeed(StorageService, storage), layerNative)
        const run = <A, E>(effect: Effect.Effect<A, E, StorageService | Codecs>) =>
          Effect.runPromise(Effect.provide(effect, layer))
        await run(followed("mem://local"))
        assert(evil.seen.length > 0 && good.seen.length > 0)
        assertEquals([...evil.seen, ...good.seen].map((seen) => seen.headers.authorization).filter(Boolean), [])
        // after the program opens a URI itself, its origin is allowed
        await run(Group.open(`${good.origin}/mine`))
        evil.seen.length = 0
        assertEquals(good.seen.at(-1)!.headers.authorization, headers.authorization)
        await run(followed("mem://local"))
        assert(evil.seen.every((seen) => seen.headers.authorization === undefined))
      } finally {
        await evil.close()
        await good.close()
      }
    })
  }
})
