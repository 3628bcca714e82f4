/** Removal, moves and copies of arrays and groups: with files of others around them, links, and faults at each call. */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Dim, Group, layerDefault, Objects, Sparse, TileArray } from "../../mod.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { makeLocalStorage } from "../../platform/storage/local/local.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import { faults, withFaults } from "../../platform/storage/middleware/faults.ts"
import { makeRouter } from "../../platform/storage/router.ts"
import { Storage } from "../../platform/storage/service.ts"
import { cli } from "../cli/run_cli.ts"
import { type Ground, grounds } from "../laws/ground.ts"
import { inMemory } from "../support/in_memory.ts"

const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 999]) }, attrs: { n: Attr.uint8() } })

const makeArray = (uri: string, formatVersion = 22) =>
  Effect.gen(function* () {
    yield* TileArray.create(uri, Points, { at: 1, formatVersion })
    const array = yield* TileArray.open(uri)
    for (const k of [1, 2, 3]) yield* Sparse.write(array, { x: [k], n: [k] }, { at: 10 * k })
    yield* TileArray.putMetadata(uri, { name: "points" })
  })

const cellsIn = (uri: string, at?: number) =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri, at === undefined ? {} : { at })
    return [...(yield* Sparse.read(array, { order: "row" })).columns.x.values].map(Number)
  })

/** A group with an array and a group in its folder, an array elsewhere, and files of others. */
const makeTree = (root: string) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    yield* Group.create(`${root}/all`)
    yield* makeArray(`${root}/all/points`)
    yield* Group.create(`${root}/all/inner`)
    yield* makeArray(`${root}/all/inner/deep`)
    yield* makeArray(`${root}/elsewhere`)
    const absolute = (path: string) => root.startsWith("/") ? `file://${root}/${path}` : `${root}/${path}`
    yield* Group.add(`${root}/all`, [
      { uri: "points", relative: true, name: "points" },
      { uri: absolute("all/inner"), name: "inner" },
      { uri: absolute("elsewhere"), name: "elsewhere" },
    ])
    yield* Group.add(`${root}/all/inner`, { uri: absolute("all/inner/deep") })
    for (const path of strangers) yield* storage.write(`${root}/${path}`, Uint8Array.of(1))
  })

const strangers = [
  "all/notes.txt",
  "all/points/notes.txt",
  "all/points/__fragments/notes/a0.tdb",
  "all/inner/deep/__commits/x.txt",
  "all/points2/x",
  "allx/x",
]

type Services = Storage | Codecs

describe("Objects.remove", () => {
  for (const version of [5, 11, 22]) {
    it(`removes an array of format ${version}, and no other file`, () =>
      inMemory(Effect.gen(function* () {
        const storage = yield* Storage
        yield* makeArray("mem://a", version)
        yield* storage.write("mem://a/notes.txt", Uint8Array.of(1))
        yield* storage.write("mem://ab/notes.txt", Uint8Array.of(1))
        const planned = yield* Objects.remove("mem://a", { dryRun: true })
        assertEquals(yield* cellsIn("mem://a"), [1, 2, 3])
        assertEquals(yield* Objects.remove("mem://a"), planned)
        assertEquals([planned.objects, planned.kept], [[{ uri: "mem://a", type: "array" }], ["mem://a/notes.txt"]])
        assert(planned.files > 8 && planned.bytes > 0)
        assertEquals((yield* storage.list("mem://a")).map(({ name }) => name), ["notes.txt"])
        assertEquals(yield* storage.exists("mem://ab/notes.txt"), true)
        const again = yield* Effect.flip(Objects.remove("mem://a"))
        assertEquals([again._tag, "reason" in again && again.reason], ["ArrayNotFound", "OtherFiles"])
        yield* Objects.remove("mem://a", { force: true })
        assertEquals(yield* storage.list("mem://a"), [])
        assertEquals((yield* Effect.flip(Objects.remove("mem://a")))._tag, "ArrayNotFound")
      })))
  }

  it("removes a group with everything in its folder, and reports what remains", () =>
    inMemory(Effect.gen(function* () {
      yield* makeTree("mem://root")
      const storage = yield* Storage
      const { objects, kept, references } = yield* Objects.remove("mem://root/all")
      assertEquals(objects.map(({ uri, type }) => [uri.slice("mem://root/".length), type]), [
        ["all/inner/deep", "array"],
        ["all/inner", "group"],
        ["all/points", "array"],
        ["all", "group"],
      ])
      const inAll = strangers.filter((path) => path.startsWith("all/"))
      assertEquals([...kept].sort(), inAll.map((path) => `mem://root/${path}`).sort())
      assertEquals(references, ["mem://root/elsewhere"])
      for (const path of strangers) assertEquals(yield* storage.read(`mem://root/${path}`), Uint8Array.of(1))
      assertEquals(yield* cellsIn("mem://root/elsewhere"), [1, 2, 3])
      assertEquals(yield* Group.objectType("mem://root/all"), undefined)
    })))

  it("removes members elsewhere only on request", () =>
    inMemory(Effect.gen(function* () {
      yield* makeTree("mem://root")
      const { references } = yield* Objects.remove("mem://root/all", { members: true })
      assertEquals(references, [])
      assertEquals(yield* TileArray.exists("mem://root/elsewhere"), false)
      const storage = yield* Storage
      for (const path of strangers) assertEquals(yield* storage.read(`mem://root/${path}`), Uint8Array.of(1))
    })))

  it("refuses roots, unknown options and folders of others", () =>
    inMemory(Effect.gen(function* () {
      const storage = yield* Storage
      yield* storage.write("mem://plain/file", Uint8Array.of(1))
      for (const uri of ["mem://", "mem:///", "/", ".", "..", "../..", "s3://bucket", "s3://bucket/", "file:///"]) {
        const error = yield* Effect.flip(Objects.remove(uri, { force: true }))
        assertEquals(error._tag, "InvalidOption", uri)
      }
      assertEquals((yield* Effect.flip(Objects.remove("mem://plain")))._tag, "ArrayNotFound")
      assertEquals(
        (yield* Effect.flip(Objects.remove("mem://plain", { recursive: true } as never)))._tag,
        "InvalidOption",
      )
      assertEquals(yield* storage.exists("mem://plain/file"), true)
    })))

  it("removes links, and never their targets", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tessera objects "))
    const run = <A, E>(effect: Effect.Effect<A, E, Services>) => Effect.runPromise(Effect.provide(effect, layerDefault))
    try {
      await run(makeTree(folder))
      mkdirSync(join(folder, "outside"))
      writeFileSync(join(folder, "outside", "file"), "keep")
      symlinkSync(join(folder, "outside"), join(folder, "all", "link"))
      symlinkSync(join(folder, "elsewhere"), join(folder, "all", "linked array"))
      const { kept } = await run(Objects.remove(join(folder, "all")))
      assertEquals(readFileSync(join(folder, "outside", "file"), "utf8"), "keep")
      assertEquals(await run(cellsIn(join(folder, "elsewhere"))), [1, 2, 3])
      assert(kept.length > 0 && existsSync(join(folder, "all", "link")))
      await run(Objects.remove(join(folder, "all"), { force: true }))
      assertEquals(existsSync(join(folder, "all")), false)
      assertEquals(readFileSync(join(folder, "outside", "file"), "utf8"), "keep")
      assertEquals(await run(cellsIn(join(folder, "elsewhere"))), [1, 2, 3])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe("Objects.move and Objects.copy", () => {
  it("keep history, members and files of others; absolute members inside move along", () =>
    inMemory(Effect.gen(function* () {
      yield* makeTree("mem://root")
      yield* Objects.copy("mem://root/all", "mem://other/place")
      yield* Objects.remove("mem://root/all", { force: true })
      assertEquals(yield* cellsIn("mem://other/place/points", 20), [1, 2])
      const members = Group.members(yield* Group.open("mem://other/place"))
      assertEquals(
        members.map(({ name, uri, relative }) => [name, uri, relative]).sort(),
        [
          ["elsewhere", "mem://root/elsewhere", false],
          ["inner", "mem://other/place/inner", true],
          ["points", "mem://other/place/points", true],
        ],
      )
      const inner = Group.members(yield* Group.open("mem://other/place/inner"))
      assertEquals(inner.map(({ uri }) => uri), ["mem://other/place/inner/deep"])
      const { renamed, files } = yield* Objects.move("mem://other/place", "mem://third")
      assertEquals([renamed, files > 20], [false, true])
      assertEquals(yield* cellsIn("mem://third/inner/deep"), [1, 2, 3])
      const storage = yield* Storage
      assertEquals(yield* storage.list("mem://other"), [])
      assertEquals(yield* storage.read("mem://third/notes.txt"), Uint8Array.of(1))
    })))

  it("rename local folders, and create missing parents", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tessera objects "))
    const run = <A, E>(effect: Effect.Effect<A, E, Services>) => Effect.runPromise(Effect.provide(effect, layerDefault))
    try {
      await run(makeTree(folder))
      const { renamed } = await run(Objects.move(join(folder, "all"), join(folder, "new", "parent", "all")))
      assertEquals(renamed, true)
      assertEquals(existsSync(join(folder, "all")), false)
      assertEquals(await run(cellsIn(join(folder, "new/parent/all/inner/deep"))), [1, 2, 3])
      const members = Group.members(await run(Group.open(join(folder, "new/parent/all"))))
      assertEquals(members.filter(({ relative }) => relative).length, 2)
      const copied = await run(Objects.copy(join(folder, "new/parent/all"), join(folder, "copy")))
      assert(copied.files > 20)
      assertEquals(await run(cellsIn(join(folder, "copy/points"), 20 as never)), [1, 2])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("move between storages, and leave no empty folders", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tessera objects "))
    const storage = makeRouter({ file: makeLocalStorage(), mem: makeMemoryStorage() })
    const run = <A, E>(effect: Effect.Effect<A, E, Services>) =>
      Effect.runPromise(Effect.provide(effect, Layer.merge(Layer.succeed(Storage, storage), layerNative)))
    try {
      await run(makeTree(folder))
      await run(Objects.move(join(folder, "all"), "mem://moved"))
      assertEquals(readdirSync(folder).sort(), ["allx", "elsewhere"])
      assertEquals(await run(cellsIn("mem://moved/points")), [1, 2, 3])
      await run(Objects.move("mem://moved", join(folder, "back")))
      assertEquals(await run(cellsIn(join(folder, "back/inner/deep"))), [1, 2, 3])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("refuse targets that exist or are inside the source, and folders without an object", () =>
    inMemory(Effect.gen(function* () {
      const storage = yield* Storage
      yield* makeTree("mem://root")
      for (const act of [Objects.move, Objects.copy]) {
        const tag = (from: string, to: string) => Effect.map(Effect.flip(act(from, to)), ({ _tag }) => _tag)
        assertEquals(yield* tag("mem://root/all", "mem://root/elsewhere"), "AlreadyExists")
        assertEquals(yield* tag("mem://root/all", "mem://root/allx/x"), "AlreadyExists")
        assertEquals(yield* tag("mem://root/all", "mem://root/all"), "AlreadyExists")
        assertEquals(yield* tag("mem://root/all", "mem://root/all/new"), "AlreadyExists")
        assertEquals(yield* tag("mem://root/none", "mem://root/new"), "ArrayNotFound")
        assertEquals(yield* tag("mem://root/allx", "mem://root/new"), "ArrayNotFound")
        assertEquals(yield* tag("mem://root/all", "mem://"), "InvalidOption")
      }
      for (const path of strangers) assertEquals(yield* storage.read(`mem://root/${path}`), Uint8Array.of(1))
      assertEquals(yield* storage.list("mem://root/new"), [])
    })))
})

/** Runs an operation with each fault at each writing call. */
const eachFault = async (
  make: () => Ground,
  act: (uri: string) => Effect.Effect<unknown, unknown, Services>,
  check: (
    ground: Ground,
    where: string,
    run: <A>(effect: Effect.Effect<A, unknown, Services>) => Promise<A>,
  ) => Promise<void>,
): Promise<void> => {
  const runOn = (storage: Storage) => <A>(effect: Effect.Effect<A, unknown, Services>) =>
    Effect.runPromiseExit(Effect.provide(effect, Layer.merge(Layer.succeed(Storage, storage), layerNative)))
  const must = (storage: Storage) => async <A>(effect: Effect.Effect<A, unknown, Services>): Promise<A> => {
    const exit = await runOn(storage)(effect)
    if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
    return exit.value
  }
  const empty = make()
  await must(empty.storage)(makeTree(empty.uri))
  const whole = empty.copy()
  const counted = withFaults(whole.storage)
  await must(counted.storage)(act(whole.uri))
  const calls = counted.calls()
  whole.close()
  for (const fault of faults) {
    for (let at = 0; at < calls; at += 1 + Math.floor(calls / 12)) {
      const ground = empty.copy()
      const faulty = withFaults(ground.storage, { at, fault })
      await runOn(faulty.storage)(act(ground.uri))
      await Effect.runPromise(faulty.release)
      await check(ground, `${fault} at ${at}`, must(ground.storage))
      ground.close()
    }
  }
  empty.close()
}

for (const [name, make] of Object.entries(grounds)) {
  describe(`faults at each call (${name})`, () => {
    it("of a removal: arrays are complete or gone, other files stay, and a second call removes the rest", () =>
      eachFault(make, (uri) => Objects.remove(`${uri}/all`), async ({ uri, storage }, where, run) => {
        for (const array of ["points", "inner/deep"]) {
          // as soon as the schema is removed, there is no array
          const cells = Effect.catchTag(cellsIn(`${uri}/all/${array}`), "ArrayNotFound", () => Effect.succeed("none"))
          const seen = await run(cells as Effect.Effect<ReadonlyArray<number> | string, unknown, Services>)
          if (seen !== "none") assertEquals(seen, [1, 2, 3], where)
        }
        await run(Effect.catchTag(Objects.remove(`${uri}/all`), "ArrayNotFound", () => Effect.void))
        assertEquals(await run(Group.objectType(`${uri}/all`)), undefined, where)
        assertEquals(await run(cellsIn(`${uri}/elsewhere`)), [1, 2, 3], where)
        for (const path of strangers) assertEquals(await run(storage.read(`${uri}/${path}`)), Uint8Array.of(1), where)
        const left = (await run(storage.list(`${uri}/all/points`))).map(({ name }) => name)
        assertEquals(left, ["__fragments", "notes.txt"], where)
      }))

    it("of a move: the object is at the source or at the target, and nothing is lost", () =>
      eachFault(make, (uri) => Objects.move(`${uri}/all`, `${uri}/new/all`), async ({ uri, storage }, where, run) => {
        const places = []
        for (const place of [`${uri}/all`, `${uri}/new/all`]) {
          const whole = await run(
            Effect.all([cellsIn(`${place}/points`), cellsIn(`${place}/inner/deep`)]).pipe(
              Effect.map((cells) => cells.every(({ length }) => length === 3)),
              Effect.orElseSucceed(() => false),
            ),
          )
          const isGroup = await run(Group.objectType(place)) === "group"
          if (whole && isGroup) places.push(place)
        }
        assert(places.length > 0, where)
        for (const path of strangers.filter((path) => path.startsWith("all/"))) {
          const at = [`${uri}/${path}`, `${uri}/new/${path}`]
          const seen = await run(Effect.all(at.map((each) => storage.exists(each))))
          assert(seen.includes(true), `${where}: ${path}`)
        }
        assertEquals(await run(cellsIn(`${uri}/elsewhere`)), [1, 2, 3], where)
      }))

    it("of a copy: the target is complete or missing, and the source unchanged", () =>
      eachFault(
        make,
        (uri) => Objects.copy(`${uri}/all`, `${uri}/new/all`),
        async ({ uri, storage, files }, where, run) => {
          assertEquals(await run(cellsIn(`${uri}/all/points`)), [1, 2, 3], where)
          const isGroup = await run(Group.objectType(`${uri}/new/all`)) === "group"
          if (isGroup) assertEquals(await run(cellsIn(`${uri}/new/all/inner/deep`)), [1, 2, 3], where)
          else if (!where.startsWith("stop") && !where.startsWith("partial-crash")) {
            assertEquals(files().filter((file) => /(^|\/)new\//.test(file)), [], where)
          }
          for (const path of strangers) assertEquals(await run(storage.read(`${uri}/${path}`)), Uint8Array.of(1), where)
        },
      ))
  })
}

describe("tessera rm and mv", () => {
  it("print what they do, and list what they would do", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tessera objects "))
    try {
      await Effect.runPromise(Effect.provide(makeTree(folder), layerDefault))
      const all = join(folder, "all")
      const dry = await cli(["rm", all, "--dry-run", "--json"])
      assertEquals([dry.code, JSON.parse(dry.out).objects.length], [0, 4])
      const moved = await cli(["mv", all, join(folder, "moved")])
      assertEquals([moved.code, moved.out], [0, `${join(folder, "moved")}\n`])
      assertEquals((await cli(["rm", join(folder, "allx")])).code, 1 + 2)
      assertEquals((await cli(["mv", join(folder, "moved"), join(folder, "elsewhere")])).code !== 0, true)
      const removed = await cli(["rm", join(folder, "moved")])
      assertEquals(removed.code, 0)
      assert(/remain: they do not belong to an array or a group/.test(removed.err), removed.err)
      assert(/elsewhere remains: it is a member outside/.test(removed.err), removed.err)
      assertEquals((await cli(["rm", folder + "/moved", "--force"])).code, 0)
      assertEquals(existsSync(join(folder, "moved")), false)
      assertEquals((await cli(["rm", "/"])).code, 2)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
