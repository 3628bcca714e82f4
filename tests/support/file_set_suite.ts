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
import { createUnique, listStream } from "../../platform/storage/service.ts"
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
    const all = await run(storage.list(`${root}/top`))
    assertEquals(Chunk.toReadonlyArray(await run(Stream.runCollect(listStream(storage, `${root}/top`)))), all)
    assertEquals(Chunk.size(await run(Stream.runCollect(listStream(storage, `${root}/nothing`)))), 0)
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
