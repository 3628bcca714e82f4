/**
 * Tests that every storage backend passes for several files: pages of listings, copies, bulk removal. A part of the
 * storage suite.
 */
import { assert, assertEquals } from "@std/assert"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { AlreadyExists, NotFound } from "../../platform/errors.ts"
import { withFaults } from "../../platform/storage/middleware/faults.ts"
import { createUnique, type Entry, listAll, listStream } from "../../platform/storage/service.ts"
import type { Backend } from "./storage_suite.ts"

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)
const fails = <A, E>(effect: Effect.Effect<A, E>): Promise<E> => Effect.runPromise(Effect.flip(effect))
const bytes = (...values: Array<number>): Uint8Array => Uint8Array.from(values)
const oddNames = ["a b", "100%", "%20", "ümläut", "\u{1f600}", "a#b?c", "a+b&c=d", "..."]

/** Adds the tests of this part. */
export const fileSetSuite = (test: (name: string, body: (backend: Backend) => Promise<void>) => void): void => {
  test("reports whether a file exists", async ({ storage, root }) => {
    assertEquals(await run(storage.exists(`${root}/folder/file`)), false)
    for (const name of ["file", ...oddNames]) {
      await run(storage.write(`${root}/folder/${name}`, bytes()))
      assertEquals(await run(storage.exists(`${root}/folder/${name}`)), true, name)
    }
    assertEquals(await run(storage.exists(`${root}/folder`)), false, "a folder is not a file")
    assertEquals(await run(storage.exists(`${root}/folder/file/below`)), false)
    await run(storage.remove(`${root}/folder/file`))
    assertEquals(await run(storage.exists(`${root}/folder/file`)), false)
  })

  test("copies files of any size and name, over existing files and into new folders", async ({ storage, root }) => {
    for (const length of [0, 1, 1000, (8 << 20) + 5]) {
      const content = new Uint8Array(length)
      for (let i = 0; i < length; i += 997) content[i] = i >>> 4
      await run(storage.write(`${root}/from ${length}`, content))
      for (const to of ["to", "new/folder/file"]) {
        await run(storage.copy(`${root}/from ${length}`, `${root}/${to}`))
        const copied = await run(storage.read(`${root}/${to}`))
        assert(copied.length === length && copied.every((byte, i) => byte === content[i]), `${length} ${to}`)
      }
      assertEquals(await run(storage.size(`${root}/from ${length}`)), length, "the source stays")
    }
    await run(storage.write(`${root}/from`, bytes(1, 2)))
    for (const name of oddNames) {
      await run(storage.copy(`${root}/from`, `${root}/odd/${name}`))
      await run(storage.copy(`${root}/odd/${name}`, `${root}/back`))
      assertEquals(await run(storage.read(`${root}/back`)), bytes(1, 2))
    }
    await run(storage.copy(`${root}/from`, `${root}/from`))
    assertEquals(await run(storage.read(`${root}/from`)), bytes(1, 2), "onto itself")
    await run(storage.write(`${root}/from`, bytes(3)))
    assertEquals(await run(storage.read(`${root}/back`)), bytes(1, 2), "the copy does not follow its source")
  })

  test("copies nothing from a missing file", async ({ storage, root }) => {
    await run(storage.write(`${root}/to`, bytes(1)))
    assert(await fails(storage.copy(`${root}/nothing`, `${root}/to`)) instanceof NotFound)
    assertEquals(await run(storage.read(`${root}/to`)), bytes(1))
    assertEquals((await run(storage.list(root))).map(({ name }) => name), ["to"])
  })

  test("does not show a part of an interrupted copy", async ({ storage, root }) => {
    const content = new Uint8Array((8 << 20) + 5).fill(7)
    await run(storage.write(`${root}/from`, content))
    const fiber = Effect.runFork(storage.copy(`${root}/from`, `${root}/to`))
    await run(Effect.sleep(1))
    const exit = await run(Fiber.interrupt(fiber))
    const names = (await run(storage.list(root))).map(({ name }) => name)
    assertEquals(names, Exit.isSuccess(exit) || names.includes("to") ? ["from", "to"] : ["from"])
    if (names.includes("to")) assertEquals(await run(storage.size(`${root}/to`)), content.length)
  })

  test("removes many files, and only those; missing files are not an error", async ({ storage, root }) => {
    const uris = [...Array.from({ length: 60 }, (_, i) => `f${i}`), ...oddNames].map((name) => `${root}/many/${name}`)
    for (const uri of uris) await run(storage.write(uri, bytes(1)))
    await run(storage.write(`${root}/many/stays`, bytes(1)))
    assertEquals(await run(storage.removeAll([])), [])
    assertEquals(await run(storage.removeAll([...uris, `${root}/many/missing`, `${root}/no/such/file`])), [])
    assertEquals((await run(storage.list(`${root}/many`))).map(({ name }) => name), ["stays"])
    assertEquals(await run(storage.exists(uris[0])), false)
    assertEquals(await run(storage.removeAll(uris)), [], "again")
  })

  test("removes no folder that has the name of a file", async ({ storage, root }) => {
    await run(storage.write(`${root}/place/inner`, bytes(1)))
    await run(storage.write(`${root}/file`, bytes(1)))
    const failures = await run(storage.removeAll([`${root}/place`, `${root}/file`]))
    assertEquals(failures.filter(({ reason }) => reason !== "Occupied"), [])
    assertEquals((await run(storage.list(root))).map(({ name }) => name), ["place"])
    assertEquals(await run(storage.read(`${root}/place/inner`)), bytes(1))
  })

  test("removes files concurrently with other removals", async ({ storage, root }) => {
    const uris = Array.from({ length: 40 }, (_, i) => `${root}/many/${i}`)
    for (const uri of uris) await run(storage.write(uri, bytes(1)))
    const parts = [uris.slice(0, 25), uris.slice(15), uris]
    const removals = parts.map((part) => storage.removeAll(part))
    assertEquals(await run(Effect.all(removals, { concurrency: "unbounded" })), [[], [], []])
    assertEquals(await run(storage.list(`${root}/many`)), [])
  })

  test("lists page by page the same entries as at once, with any names", async ({ storage, root }) => {
    for (const name of ["b", "a", "folder/inner", ...oddNames]) {
      await run(storage.write(`${root}/top/${name}`, bytes(1)))
    }
    const short = ({ name, kind }: Entry): string => `${kind} ${name}`
    const all = (await run(storage.list(`${root}/top`))).map(short)
    const paged = await run(Stream.runCollect(Stream.map(listStream(storage, `${root}/top`), short)))
    assertEquals(Chunk.toReadonlyArray(paged), all)
    assertEquals(Chunk.size(await run(Stream.runCollect(listStream(storage, `${root}/nothing`)))), 0)
  })

  test("lists all files below a folder, without its folders", async ({ storage, root }) => {
    const paths = [
      "a",
      "b/inner",
      "b/c/d/deep",
      "b-",
      "b.",
      "e/f",
      ...oddNames,
      ...oddNames.map((name) => `odd/${name}/x`),
    ]
    for (const path of paths) await run(storage.write(`${root}/top/${path}`, bytes(1, 2)))
    await run(storage.write(`${root}/top-of-all`, bytes(1)))
    for (const uri of [`${root}/top`, `${root}/top/`]) {
      const files = Chunk.toReadonlyArray(await run(Stream.runCollect(listAll(storage, uri))))
      assertEquals(files.map(({ path }) => path).sort(), [...paths].sort())
      assert(files.every(({ size }) => (size ?? 2) === 2))
      const inB = files.map(({ path }) => path).filter((path) => /^b\/[^/]*$|^b[-.]$|^a$/.test(path))
      assertEquals(inB.filter((path) => !path.includes("/")), ["a", "b-", "b."], "files of a folder are in order")
    }
    for (const uri of [`${root}/nothing`, `${root}/to`, `${root}/top/a`]) {
      assertEquals(Chunk.size(await run(Stream.runCollect(listAll(storage, uri)))), 0, uri)
    }
    assertEquals(Chunk.size(await run(Stream.runCollect(Stream.take(listAll(storage, root), 3)))), 3)
  })

  test("describes a file by size, and by time and tag where it has them", async ({ storage, root }) => {
    const uri = `${root}/folder/file`
    assert(await fails(storage.head(uri)) instanceof NotFound)
    const start = Date.now()
    await run(storage.write(uri, bytes(1, 2, 3)))
    const first = await run(storage.head(uri))
    assertEquals(first.size, 3)
    assert(await fails(storage.head(`${root}/folder`)) instanceof NotFound, "a folder is not a file")
    const near = (time: number | undefined) => time === undefined || (time > start - 5000 && time < Date.now() + 5000)
    assert(near(first.lastModified), `${first.lastModified} ${start}`)
    assertEquals((await run(storage.head(uri))).etag, first.etag, "as long as nothing changes")
    const [entry] = Chunk.toReadonlyArray(await run(Stream.runCollect(listStream(storage, `${root}/folder`))))
    assertEquals([entry.size ?? 3, entry.etag ?? first.etag, entry.lastModified ?? first.lastModified], [
      3,
      first.etag,
      first.lastModified,
    ])
    const [file] = Chunk.toReadonlyArray(await run(Stream.runCollect(listAll(storage, root))))
    const { name: _name, kind: _kind, ...info } = entry
    assertEquals(file, { path: "folder/file", ...info })
    await run(storage.write(uri, bytes(4, 5, 6, 7)))
    const second = await run(storage.head(uri))
    assertEquals(second.size, 4)
    if (first.etag !== undefined) assert(second.etag !== undefined && second.etag !== first.etag, "changed content")
    await run(storage.copy(uri, `${root}/folder/copy`))
    const copied = await run(storage.head(`${root}/folder/copy`))
    assertEquals(copied.size, 4)
    assert(near(copied.lastModified), "a copy is new")
  })

  test("removes each file or leaves it whole when the removal is interrupted", async ({ storage, root }) => {
    const uris = Array.from({ length: 300 }, (_, i) => `${root}/many/${i}`)
    for (const uri of uris) await run(storage.write(uri, bytes(1, 2)))
    const fiber = Effect.runFork(storage.removeAll(uris))
    await run(Effect.yieldNow())
    await run(Fiber.interrupt(fiber))
    for (const { name } of await run(storage.list(`${root}/many`))) {
      assertEquals(await run(storage.size(`${root}/many/${name}`)), 2)
    }
    assertEquals(await run(storage.removeAll(uris)), [])
    assertEquals(await run(storage.list(`${root}/many`)), [])
  })

  test("lists everything after a listing that was interrupted or left early", async ({ storage, root }) => {
    for (let i = 0; i < 30; i++) await run(storage.write(`${root}/${i % 3}/${i}`, bytes(1)))
    for (
      const listing of [listAll(storage, root), listStream(storage, `${root}/1`)] as ReadonlyArray<
        Stream.Stream<unknown, unknown>
      >
    ) {
      const fiber = Effect.runFork(Stream.runDrain(listing))
      await run(Effect.yieldNow())
      await run(Fiber.interrupt(fiber))
      await run(Stream.runDrain(Stream.take(listing, 1)))
    }
    assertEquals(Chunk.size(await run(Stream.runCollect(listAll(storage, root)))), 30)
    assertEquals((await run(storage.list(`${root}/1`))).length, 10)
  })

  test("reports its own file after a create whose response was lost", async ({ storage, root }) => {
    const uri = `${root}/__commits/__1_1_0123456789abcdef0123456789abcdef_22.wrt`
    const lossy = withFaults(storage, { at: 0, fault: "partial" }).storage
    await fails(lossy.create(uri, bytes(1, 2, 3)))
    assertEquals(await run(storage.read(uri)), bytes(1, 2, 3), "the file is there, whole")
    assert(await fails(lossy.create(uri, bytes(1, 2, 3))) instanceof AlreadyExists)
    await run(createUnique(lossy, uri, bytes(1, 2, 3)))
    assertEquals(await run(storage.read(uri)), bytes(1, 2, 3))
  })
}
