/**
 * Tests that every storage backend passes, as one suite that the test of each backend runs.
 */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { Buffer } from "node:buffer"
import { describe, it } from "node:test"
import { AlreadyExists, NotFound, StorageError } from "../../platform/errors.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { fileSetSuite } from "./file_set_suite.ts"
import { fileWriterSuite } from "./file_writer_suite.ts"

/** A tested backend: `root` is a URI below which there are no files. */
export interface Backend {
  readonly storage: Storage
  readonly root: string
  readonly close?: () => void
}

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)
const fails = <A, E>(effect: Effect.Effect<A, E>): Promise<E> => Effect.runPromise(Effect.flip(effect))
const bytes = (...values: Array<number>): Uint8Array => Uint8Array.from(values)
const counted = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i * 31 + (i >>> 8))

const assertStorageError = (error: unknown, reason: string): void => {
  assert(error instanceof StorageError, `got ${String(error)}`)
  assertEquals(error.reason, reason)
}

/** Runs the suite on the backend that `open` returns, a new one for each test. */
export const storageSuite = (name: string, open: () => Backend): void => {
  const test = (name: string, body: (backend: Backend) => Promise<void>): void => {
    it(name, async () => {
      const backend = open()
      try {
        await body(backend)
      } finally {
        backend.close?.()
      }
    })
  }

  describe(`storage: ${name}`, () => {
    test("reads written files, completely and in ranges", async ({ storage, root }) => {
      await run(storage.write(`${root}/file`, bytes(1, 2, 3)))
      assertEquals(await run(storage.read(`${root}/file`)), bytes(1, 2, 3))
      assertEquals(await run(storage.size(`${root}/file`)), 3)
    })

    test("lists the direct names in a folder, in byte order", async ({ storage, root }) => {
      const names = ["b", "B", "a", "a.b", "a0", "ａ", "é", "e", "\u{1f600}", "__x", "10", "9"]
      for (const each of names) await run(storage.write(`${root}/folder/${each}`, bytes(1)))
      const encoder = new TextEncoder()
      const hex = (each: string) => [...encoder.encode(each)].map((byte) => byte.toString(16).padStart(2, "0")).join("")
      const want = [...names].sort((a, b) => hex(a) < hex(b) ? -1 : 1)
      const listed = await run(storage.list(`${root}/folder`))
      assertEquals(listed.map((entry) => entry.name), want)
      assert(listed.every((entry) => entry.kind === "file" && (entry.size ?? 1) === 1))
      assertEquals((await run(storage.list(`${root}/folder/`))).map((entry) => entry.name), want, "with a slash behind")
    })

    test("lists folders as folders, one level deep", async ({ storage, root }) => {
      await run(storage.write(`${root}/top/one/two/deep`, bytes(1)))
      await run(storage.write(`${root}/top/one/side`, bytes(1)))
      await run(storage.write(`${root}/top/file`, bytes(1)))
      const kinds = async (uri: string) => (await run(storage.list(uri))).map(({ name, kind }) => `${kind} ${name}`)
      assertEquals(await kinds(`${root}/top`), ["file file", "folder one"])
      assertEquals(await kinds(`${root}/top/one`), ["file side", "folder two"])
      assertEquals(await kinds(`${root}/top/one/two`), ["file deep"])
    })

    test("distinguishes a name from names that start with it", async ({ storage, root }) => {
      await run(storage.write(`${root}/ab/file`, bytes(1)))
      assertEquals(await run(storage.list(`${root}/a`)), [])
      await run(storage.remove(`${root}/a`))
      assertEquals(await run(storage.size(`${root}/ab/file`)), 1)
    })

    test("returns an empty listing for a missing folder, and for a file", async ({ storage, root }) => {
      assertEquals(await run(storage.list(`${root}/nothing/at/all`)), [])
      await run(storage.write(`${root}/file`, bytes(1)))
      assertEquals(await run(storage.list(`${root}/file`)), [])
      assertEquals(await run(storage.list(`${root}/file/below`)), [])
    })

    test("fails with NotFound and the URI for a missing file", async ({ storage, root }) => {
      await run(storage.write(`${root}/folder/file`, bytes(1)))
      for (const uri of [`${root}/nothing`, `${root}/folder`, `${root}/folder/file/below`, `${root}/no/such/folder`]) {
        for (
          const call of [
            storage.size(uri),
            storage.read(uri),
            storage.readRanges(uri, [{ offset: 0, length: 1 }]),
            storage.readRanges(uri, []),
            storage.readTail(uri, 1),
          ]
        ) {
          const error = await fails(call as Effect.Effect<unknown, NotFound | StorageError>)
          assert(error instanceof NotFound, `${uri}: ${String(error)}`)
          assertEquals(error.uri, uri)
        }
      }
    })

    test("reads ranges in the given order, overlapping, empty or no ranges", async ({ storage, root }) => {
      const file = counted(1000)
      await run(storage.write(`${root}/file`, file))
      const ranges = [
        { offset: 900, length: 100 },
        { offset: 0, length: 1 },
        { offset: 895, length: 10 },
        { offset: 1000, length: 0 },
        { offset: 5, length: 0 },
        { offset: 0, length: 1000 },
      ]
      const parts = await run(storage.readRanges(`${root}/file`, ranges))
      assertEquals(parts, ranges.map(({ offset, length }) => file.slice(offset, offset + length)))
      assertEquals(await run(storage.readRanges(`${root}/file`, [])), [])
    })

    test("reads any ranges as slices of the file", async ({ storage, root }) => {
      const file = counted(300)
      await run(storage.write(`${root}/file`, file))
      const range = FastCheck.tuple(FastCheck.nat(300), FastCheck.nat(300)).map(([a, b]) => ({
        offset: Math.min(a, b),
        length: Math.abs(a - b),
      }))
      await FastCheck.assert(
        FastCheck.asyncProperty(FastCheck.array(range, { maxLength: 5 }), async (ranges) => {
          const parts = await run(storage.readRanges(`${root}/file`, ranges))
          assertEquals(parts, ranges.map(({ offset, length }) => file.slice(offset, offset + length)))
        }),
        { numRuns: 50 },
      )
    })

    test("reads ranges into the provided memory, or into new memory", async ({ storage, root }) => {
      const file = counted(1000)
      await run(storage.write(`${root}/file`, file))
      const ranges = [{ offset: 3, length: 5 }, { offset: 500, length: 0 }, { offset: 10, length: 90 }]
      const expected = ranges.map(({ offset, length }) => file.slice(offset, offset + length))
      for (const size of [0, 97, 98, 1000]) {
        const into = new Uint8Array(size).fill(255)
        const parts = await run(storage.readRanges(`${root}/file`, ranges, into))
        assertEquals(parts.map((part) => part.slice()), expected)
        const inside = parts.filter((part) => part.buffer === into.buffer)
        assert(inside.every((part) => (part.byteOffset - into.byteOffset) % 8 === 0), `${size}`)
        assert(inside.length === 0 || inside.length === ranges.length, `${size}`)
      }
      const short = storage.readRanges(`${root}/file`, [{ offset: 990, length: 11 }], new Uint8Array(100))
      const error = await fails(short)
      assert(error instanceof StorageError && error.reason === "Truncated", String(error))
    })

    test("rejects ranges past the end as Truncated, of any size", async ({ storage, root }) => {
      await run(storage.write(`${root}/file`, counted(10)))
      for (const [offset, length] of [[0, 11], [10, 1], [11, 0], [5, 2 ** 52], [2 ** 52, 1], [9, 2]]) {
        assertStorageError(await fails(storage.readRanges(`${root}/file`, [{ offset, length }])), "Truncated")
      }
      const mixed = [{ offset: 0, length: 10 }, { offset: 0, length: 11 }]
      assertStorageError(await fails(storage.readRanges(`${root}/file`, mixed)), "Truncated")
    })

    test("rejects invalid ranges", async ({ storage, root }) => {
      await run(storage.write(`${root}/file`, counted(10)))
      for (const [offset, length] of [[-1, 1], [0, -1], [0.5, 1], [0, NaN], [2 ** 53, 1], [Infinity, 1]]) {
        assertStorageError(await fails(storage.readRanges(`${root}/file`, [{ offset, length }])), "Unknown")
      }
      assertStorageError(await fails(storage.readTail(`${root}/file`, -1)), "Unknown")
    })

    test("reads the tail and the size in one call", async ({ storage, root }) => {
      const file = counted(100)
      await run(storage.write(`${root}/file`, file))
      assertEquals(await run(storage.readTail(`${root}/file`, 8)), { bytes: file.slice(92), size: 100 })
      assertEquals(await run(storage.readTail(`${root}/file`, 100)), { bytes: file, size: 100 })
      assertEquals(await run(storage.readTail(`${root}/file`, 1e9)), { bytes: file, size: 100 })
      assertEquals(await run(storage.readTail(`${root}/file`, 0)), { bytes: bytes(), size: 100 })
    })

    test("stores empty files", async ({ storage, root }) => {
      await run(storage.write(`${root}/written`, bytes()))
      await run(storage.create(`${root}/created`, bytes()))
      for (const uri of [`${root}/written`, `${root}/created`]) {
        assertEquals(await run(storage.size(uri)), 0)
        assertEquals(await run(storage.read(uri)), bytes())
        assertEquals(await run(storage.readTail(uri, 8)), { bytes: bytes(), size: 0 })
      }
      assertEquals((await run(storage.list(root))).length, 2)
    })

    test("overwrites existing files with longer and shorter ones", async ({ storage, root }) => {
      for (const length of [10, 1000, 3, 0, 5]) {
        await run(storage.write(`${root}/file`, counted(length)))
        assertEquals(await run(storage.read(`${root}/file`)), counted(length))
      }
      assertEquals((await run(storage.list(root))).map((entry) => entry.name), ["file"], "no other files")
    })

    test("creates new files only, and does not change existing files", async ({ storage, root }) => {
      for (const content of [bytes(), bytes(1, 2)]) {
        const uri = `${root}/of/${content.length}`
        await run(storage.create(uri, content))
        const error = await fails(storage.create(uri, bytes(9)))
        assert(error instanceof AlreadyExists, String(error))
        assertEquals(error.uri, uri)
        assert(await fails(storage.create(uri, bytes())) instanceof AlreadyExists)
        assertEquals(await run(storage.read(uri)), content)
      }
      assertEquals((await run(storage.list(`${root}/of`))).map((entry) => entry.name), ["0", "2"], "no other files")
    })

    test("lets one of many concurrent creators succeed", async ({ storage, root }) => {
      const tries = await run(Effect.all(
        Array.from(
          { length: 20 },
          (_, i) =>
            Effect.either(Effect.zipRight(Effect.yieldNow(), storage.create(`${root}/race/file`, bytes(i, i, i)))),
        ),
        { concurrency: "unbounded" },
      ))
      const winners = tries.flatMap((either, i) => either._tag === "Right" ? [i] : [])
      assertEquals(winners.length, 1)
      assert(tries.every((either) => either._tag === "Right" || either.left instanceof AlreadyExists))
      assertEquals(await run(storage.read(`${root}/race/file`)), bytes(winners[0], winners[0], winners[0]))
    })

    test("removes files and whole folders, and ignores missing ones", async ({ storage, root }) => {
      await run(storage.write(`${root}/folder/one/a`, bytes(1)))
      await run(storage.write(`${root}/folder/b`, bytes(1)))
      await run(storage.write(`${root}/folder2`, bytes(1)))
      await run(storage.remove(`${root}/folder2`))
      await run(storage.remove(`${root}/folder2`))
      assertEquals((await run(storage.list(root))).map((entry) => entry.name), ["folder"])
      await run(storage.remove(`${root}/folder/b/below/a/file`))
      assertEquals((await run(storage.list(`${root}/folder`))).map((entry) => entry.name), ["b", "one"])
      await run(storage.remove(`${root}/folder`))
      assertEquals(await run(storage.list(root)), [])
      assert(await fails(storage.read(`${root}/folder/one/a`)) instanceof NotFound)
      await run(storage.create(`${root}/folder/b`, bytes(2)))
      assertEquals(await run(storage.read(`${root}/folder/b`)), bytes(2))
    })

    test("supports names with spaces, percent signs and any letters", async ({ storage, root }) => {
      const names = [
        "a b",
        "100%",
        "%20",
        "%zz",
        "ümläut",
        "日本語",
        "\u{1f600}",
        "a#b?c",
        "a+b&c=d",
        "'\"",
        "~",
        "...",
      ]
      for (const [i, each] of names.entries()) await run(storage.write(`${root}/${each}/in ner`, bytes(i)))
      const listed = (await run(storage.list(root))).map((entry) => entry.name)
      assertEquals(new Set(listed), new Set(names))
      for (const [i, each] of names.entries()) {
        assertEquals(await run(storage.read(`${root}/${each}/in ner`)), bytes(i))
      }
    })

    test("returns new buffers, and keeps no buffers of the caller", async ({ storage, root }) => {
      const buffer = bytes(1, 2, 3)
      await run(storage.write(`${root}/file`, buffer))
      buffer[0] = 99
      const first = await run(storage.read(`${root}/file`))
      first[1] = 99
      const [range] = await run(storage.readRanges(`${root}/file`, [{ offset: 0, length: 3 }]))
      assertEquals(range, bytes(1, 2, 3))
      range[2] = 99
      assertEquals((await run(storage.readTail(`${root}/file`, 3))).bytes, bytes(1, 2, 3))
    })

    test("writes views, not their whole buffers", async ({ storage, root }) => {
      await run(storage.write(`${root}/file`, counted(100).subarray(10, 20)))
      await run(storage.create(`${root}/other`, counted(100).subarray(10, 20)))
      assertEquals(await run(storage.read(`${root}/file`)), counted(100).slice(10, 20))
      assertEquals(await run(storage.read(`${root}/other`)), counted(100).slice(10, 20))
    })

    test("stores large files", async ({ storage, root }) => {
      const large = new Uint8Array(24 * 1024 * 1024)
      for (let i = 0; i < large.length; i += 4093) large[i] = i >>> 12
      await run(storage.write(`${root}/large`, large))
      assertEquals(await run(storage.size(`${root}/large`)), large.length)
      const parts = await run(storage.readRanges(`${root}/large`, [
        { offset: large.length - 5000, length: 5000 },
        { offset: 7_000_001, length: 9_000_000 },
      ]))
      assert(Buffer.compare(parts[0], large.subarray(large.length - 5000)) === 0)
      assert(Buffer.compare(parts[1], large.subarray(7_000_001, 16_000_001)) === 0)
      assert(Buffer.compare(await run(storage.read(`${root}/large`)), large) === 0)
    })

    test("does nothing before it is run, and runs again on each run", async ({ storage, root }) => {
      const create = storage.create(`${root}/file`, bytes(1))
      const read = storage.read(`${root}/file`)
      assertEquals(await run(storage.list(root)), [])
      await run(create)
      assertEquals(await run(read), bytes(1))
      assert(await fails(create) instanceof AlreadyExists)
      await run(storage.write(`${root}/file`, bytes(2)))
      assertEquals(await run(read), bytes(2))
    })

    fileWriterSuite(test)
    fileSetSuite(test)
  })
}
