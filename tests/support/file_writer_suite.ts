/**
 * Tests that every storage backend passes for files that are written in chunks, and for folders. A part of the storage
 * suite.
 */
import { assert, assertEquals } from "@std/assert"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { Buffer } from "node:buffer"
import { AlreadyExists, NotFound, StorageError } from "../../platform/errors.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { Backend } from "./storage_suite.ts"

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)
const fails = <A, E>(effect: Effect.Effect<A, E>): Promise<E> => Effect.runPromise(Effect.flip(effect))
const bytes = (...values: Array<number>): Uint8Array => Uint8Array.from(values)
const counted = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i * 31 + (i >>> 8))

/** Writes a file in chunks of these lengths, all from one buffer. */
const writePieces = (storage: Storage, uri: string, content: Uint8Array, lengths: ReadonlyArray<number>) =>
  Effect.scoped(Effect.gen(function* () {
    const file = yield* storage.openWrite(uri)
    const buffer = new Uint8Array(Math.max(0, ...lengths))
    let at = 0
    for (const length of lengths) {
      buffer.set(content.subarray(at, at + length))
      yield* file.write(buffer.subarray(0, length))
      buffer.fill(255)
      at += length
    }
    yield* file.finish
  }))

const names = (storage: Storage, uri: string) =>
  Effect.map(storage.list(uri), (entries) => entries.map((entry) => entry.name))

/** Adds the tests of this part. */
export const fileWriterSuite = (test: (name: string, body: (backend: Backend) => Promise<void>) => void): void => {
  test("writes a file in chunks, and the caller may reuse their memory", async ({ storage, root }) => {
    const length = FastCheck.oneof(FastCheck.nat(20), FastCheck.nat(1000), FastCheck.nat(300_000))
    await FastCheck.assert(
      FastCheck.asyncProperty(FastCheck.array(length, { maxLength: 8 }), async (lengths) => {
        const content = counted(lengths.reduce((sum, each) => sum + each, 0))
        await run(writePieces(storage, `${root}/folder/file`, content, lengths))
        assert(Buffer.compare(await run(storage.read(`${root}/folder/file`)), content) === 0)
      }),
      { numRuns: 10, examples: [[[]], [[0]], [[1 << 18, 1, 1 << 18]], [[(1 << 18) + 1, 5]], [[5, 1 << 18, 0, 7]]] },
    )
    assertEquals(await run(names(storage, `${root}/folder`)), ["file"], "no other files")
  })

  test("shows a file written in chunks once it is finished, and the previous file until then", async ({ storage, root }) => {
    const [fresh, old] = [`${root}/folder/fresh`, `${root}/folder/old`]
    await run(storage.write(old, bytes(1, 2, 3)))
    await run(Effect.scoped(Effect.gen(function* () {
      const files = [yield* storage.openWrite(fresh), yield* storage.openWrite(old)]
      for (const file of files) yield* file.write(bytes(4, 5))
      assertEquals(yield* names(storage, `${root}/folder`), ["old"])
      assert((yield* Effect.flip(storage.size(fresh))) instanceof NotFound)
      assertEquals(yield* storage.read(old), bytes(1, 2, 3))
      for (const file of files) yield* file.write(bytes(6))
      for (const file of files) yield* file.finish
      assertEquals(yield* storage.read(old), bytes(4, 5, 6))
    })))
    assertEquals(await run(storage.read(fresh)), bytes(4, 5, 6))
    assertEquals(await run(names(storage, `${root}/folder`)), ["fresh", "old"])
  })

  test("removes the written part of a file that is not finished", async ({ storage, root }) => {
    const [fresh, old] = [`${root}/fresh`, `${root}/old`]
    await run(storage.write(old, bytes(1, 2, 3)))
    const begin = (uri: string) =>
      Effect.tap(storage.openWrite(uri), (file) => Effect.zipRight(file.write(bytes(9)), file.write(counted(500_000))))
    for (const uri of [fresh, old]) {
      await run(Effect.scoped(begin(uri)))
      assertEquals(await fails(Effect.scoped(Effect.zipRight(begin(uri), Effect.fail("no")))), "no")
      await run(Effect.gen(function* () {
        const written = yield* Deferred.make<void>()
        const writing = begin(uri).pipe(Effect.zipRight(Deferred.succeed(written, undefined)))
        const fiber = yield* Effect.fork(Effect.scoped(Effect.zipRight(writing, Effect.never)))
        yield* Deferred.await(written)
        const exit = yield* Fiber.interrupt(fiber)
        assert(Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause))
      }))
    }
    assertEquals(await run(names(storage, root)), ["old"])
    assertEquals(await run(storage.read(old)), bytes(1, 2, 3))
  })

  test("finishes a file once, and rejects later chunks", async ({ storage, root }) => {
    const uri = `${root}/file`
    const after = await run(Effect.scoped(Effect.gen(function* () {
      const file = yield* storage.openWrite(uri)
      yield* file.write(bytes(1))
      yield* file.finish
      yield* file.finish
      assert((yield* Effect.flip(file.write(bytes(2)))) instanceof StorageError)
      yield* storage.write(uri, bytes(3))
      yield* file.finish
      return yield* storage.openWrite(`${root}/other`)
    })))
    assert(await fails(after.write(bytes(1))) instanceof StorageError)
    assert(await fails(after.finish) instanceof StorageError)
    assertEquals(await run(storage.read(uri)), bytes(3))
    assertEquals(await run(names(storage, root)), ["file"])
  })

  test("writes several files in chunks concurrently, also with the same name", async ({ storage, root }) => {
    await run(Effect.forEach(
      [1, 2, 3, 1, 2, 3, 1],
      (mark) =>
        Effect.scoped(Effect.gen(function* () {
          const file = yield* storage.openWrite(`${root}/${mark}`)
          for (let i = 0; i < 5; i++) {
            yield* file.write(bytes(mark, i))
            yield* Effect.yieldNow()
          }
          yield* file.finish
        })),
      { concurrency: "unbounded" },
    ))
    for (const mark of [1, 2, 3]) {
      const want = bytes(mark, 0, mark, 1, mark, 2, mark, 3, mark, 4)
      assertEquals(await run(storage.read(`${root}/${mark}`)), want)
    }
    assertEquals(await run(names(storage, root)), ["1", "2", "3"])
  })

  test("keeps a finished file if its scope fails", async ({ storage, root }) => {
    const scope = await run(Scope.make())
    const file = await run(Scope.extend(storage.openWrite(`${root}/file`), scope))
    await run(file.write(bytes(1, 2)))
    await run(file.finish)
    await run(Scope.close(scope, Exit.fail("the rest failed")))
    assertEquals(await run(storage.read(`${root}/file`)), bytes(1, 2))
  })

  test("creates folders, repeatedly, to write into and to remove", async ({ storage, root }) => {
    for (let i = 0; i < 2; i++) {
      await run(storage.createFolder(`${root}/one/two/three`))
      await run(storage.createFolder(`${root}/one/two/`))
    }
    assertEquals(await run(storage.list(`${root}/one/two/three`)), [])
    await run(writePieces(storage, `${root}/one/two/three/file`, bytes(1, 2), [1, 1]))
    await run(storage.create(`${root}/one/two/file`, bytes()))
    await run(storage.createFolder(`${root}/one/two`))
    assertEquals(await run(names(storage, `${root}/one/two`)), ["file", "three"])
    assertEquals(await run(storage.read(`${root}/one/two/three/file`)), bytes(1, 2))
    await run(storage.remove(`${root}/one`))
    assertEquals(await run(storage.list(`${root}/one`)), [])
  })

  test("writes into the folders of an array, and to similar names", async ({ storage, root }) => {
    const files = [
      "__meta/a",
      "__schema/__enumerations/b",
      "__commits/c",
      "__fragments/__1_1_0a_22/d",
      "__x",
      "__y/__z",
    ]
    for (const file of files) {
      await run(storage.create(`${root}/created/${file}`, bytes(1)))
      assert(await fails(storage.create(`${root}/created/${file}`, bytes(2))) instanceof AlreadyExists)
      await run(storage.write(`${root}/written/${file}`, bytes(1)))
      await run(writePieces(storage, `${root}/pieces/${file}`, bytes(1), [1]))
      for (const way of ["created", "written", "pieces"]) {
        assertEquals(await run(storage.read(`${root}/${way}/${file}`)), bytes(1))
      }
    }
  })
}
