import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { Buffer } from "node:buffer"
import { execFile, execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { NotFound, StorageError } from "../../../platform/errors.ts"
import { readFailure, storageFailure } from "../../../platform/storage/errno.ts"
import { compareBytewise } from "../../../platform/storage/utf8_order.ts"
import { localFiles, makeLocalStorage } from "../../../platform/storage/local/local.ts"
import { layerMemory, makeMemoryStorage } from "../../../platform/storage/memory.ts"
import { makeRouter } from "../../../platform/storage/router.ts"
import { type Entry, listAll, Storage } from "../../../platform/storage/service.ts"
import {
  layerTrace,
  makeCounters,
  type StorageCall,
  withCounters,
} from "../../../platform/storage/middleware/counters.ts"
import { type Backend, storageSuite } from "../../support/storage_suite.ts"

const folder = (): { path: string; close: () => void } => {
  const path = mkdtempSync(join(tmpdir(), "tessera storage %41 "))
  return { path, close: () => rmSync(path, { recursive: true, force: true }) }
}

const router = (): Storage => makeRouter({ file: localFiles, mem: makeMemoryStorage() })

const inFolder = (storage: () => Storage, uri = false) => (): Backend => {
  const { path, close } = folder()
  return uri ? { storage: storage(), root: `file://${path}`, close } : { storage: storage(), root: path, close }
}

storageSuite("memory", () => ({ storage: makeMemoryStorage(), root: "mem://root" }))
storageSuite("memory, under plain names", () => ({ storage: makeMemoryStorage(), root: "root" }))
storageSuite("local files by path", inFolder(() => localFiles))
storageSuite("local files by file:// URI", inFolder(() => localFiles, true))
storageSuite("local files, cached", inFolder(() => makeLocalStorage({ durability: "cached" })))
storageSuite("router, memory", () => ({ storage: router(), root: "mem://some/where" }))
storageSuite("router, local", inFolder(router))
storageSuite("router, local by URI", inFolder(router, true))
storageSuite(
  "traced memory",
  () => ({ storage: withCounters(makeMemoryStorage(), makeCounters()), root: "mem://root" }),
)
storageSuite("traced local files", inFolder(() => withCounters(localFiles, makeCounters())))

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)
const fails = <A, E>(effect: Effect.Effect<A, E>): Promise<E> => Effect.runPromise(Effect.flip(effect))

const inside = async (body: (path: string) => Promise<void>): Promise<void> => {
  const { path, close } = folder()
  try {
    await body(path)
  } finally {
    close()
  }
}

describe("names", () => {
  it("compare as their UTF-8 bytes do", () => {
    const names = [
      "",
      "a",
      "aa",
      "b",
      "\u007f",
      "\u0080",
      "\ud7ff",
      "\ue000",
      "\uffff",
      "\u{10000}",
      "\u{10ffff}",
      "a\u{10000}",
    ]
    for (const a of names) {
      for (const b of names) {
        assertEquals(Math.sign(compareBytewise(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)), `${a} ${b}`)
      }
    }
  })
})

describe("memory storage", () => {
  it("reads and writes the provided map", async () => {
    const files = new Map([["array/file", Uint8Array.of(1)]])
    const storage = makeMemoryStorage(files)
    assertEquals(await run(storage.read("mem://array/file")), Uint8Array.of(1))
    await run(storage.write("mem://array/other/", Uint8Array.of(2)))
    assertEquals([...files.keys()], ["array/file", "array/other"])
    assertEquals((await run(storage.list("mem://"))).map((entry) => entry.name), ["array"])
  })

  it("counts versions and takes times from the clock; a copy shares the bytes of its source", async () => {
    const files = new Map([["own", Uint8Array.of(1)]])
    const storage = makeMemoryStorage(files)
    const tag = async (name: string) => (await run(storage.head(name))).etag
    assertEquals((await run(storage.head("own"))).lastModified, undefined)
    const own = await tag("own")
    files.set("own", Uint8Array.of(2))
    assert(own !== await tag("own"), "changed by the program")
    await run(Effect.provide(
      Effect.zipRight(TestClock.setTime(12_345), storage.write("own", Uint8Array.of(3))),
      TestContext.TestContext,
    ))
    assertEquals((await run(storage.list("mem://"))).map(({ lastModified }) => lastModified), [12_345])
    await run(storage.copy("own", "copy"))
    assert(files.get("own") === files.get("copy"))
    assert(await tag("own") !== await tag("copy"))
    await run(storage.write("own", Uint8Array.of(4)))
    assertEquals(await run(storage.read("copy")), Uint8Array.of(3))
  })

  it("lists 2,500 files below a folder in three pages", async () => {
    const files = new Map(Array.from({ length: 2500 }, (_, i) => [`a/${i % 7}/${i}`, Uint8Array.of(1)]))
    const counters = makeCounters()
    const listed = listAll(withCounters(makeMemoryStorage(files), counters), "mem://a")
    assertEquals(Chunk.size(await run(Stream.runCollect(listed))), 2500)
    assertEquals([counters.calls.listAllPage, counters.calls.listPage], [3, 0])
  })

  it("is empty in every new layer", async () => {
    const program = Effect.flatMap(Storage, (storage) => storage.create("mem://file", Uint8Array.of(1)))
    await run(Effect.provide(program, layerMemory))
    await run(Effect.provide(program, layerMemory))
  })
})

describe("local storage", () => {
  it("rejects a URL with a missing slash as a path, because its credentials would become names of folders", () => {
    for (const uri of ["http:/host/a?sig=SECRET", "HTTPS:host/a?sig=SECRET", "s3:/bucket/a?sig=SECRET"]) {
      const error = Effect.runSync(Effect.flip(makeLocalStorage().createFolder(uri)))
      assertEquals(error.reason, "Unsupported")
      assert(!error.message.includes("SECRET"), error.message)
    }
  })

  it("lists a large folder in a few pages, each with sizes, times and tags", () =>
    inside(async (path) => {
      for (let i = 0; i < 20_000; i++) writeFileSync(join(path, `n${i}`), "ab")
      const counters = makeCounters()
      const storage = withCounters(localFiles, counters)
      const pages: Array<number> = []
      const entries: Array<Entry> = []
      for (let next: string | undefined, first = true; first || next !== undefined; first = false) {
        const page = await run(storage.listPage(path, next))
        pages.push(page.entries.length)
        entries.push(...page.entries)
        next = page.next
      }
      assertEquals(pages, Array.from({ length: 8 }, () => 2500))
      assert(entries.every(({ size, lastModified, etag }) => size === 2 && lastModified! > 1e12 && etag !== undefined))
      assertEquals(entries.map(({ name }) => name), (await run(localFiles.list(path))).map(({ name }) => name))
      const some = Stream.take(listAll(storage, path), 10)
      counters.calls.listPage = 0
      assertEquals(Chunk.size(await run(Stream.runCollect(some))), 10)
      assertEquals(counters.calls.listPage, 1, "no page more than needed")
      const fiber = Effect.runFork(storage.listPage(path))
      assert(Exit.isExit(await run(Fiber.interrupt(fiber))))
    }))

  it("lists files below a folder without following links to folders", () =>
    inside(async (path) => {
      mkdirSync(join(path, "real", "inner"), { recursive: true })
      writeFileSync(join(path, "real", "inner", "file"), "abc")
      symlinkSync(path, join(path, "real", "cycle"))
      symlinkSync(join(path, "real", "inner", "file"), join(path, "link"))
      const files = Chunk.toReadonlyArray(await run(Stream.runCollect(listAll(localFiles, path))))
      assertEquals(files.map(({ path, size, isLink }) => [path, size, isLink]), [
        ["link", 3, true],
        ["real/inner/file", 3, undefined],
      ])
    }))

  it("copies files with the file system, and removes an interrupted copy", () =>
    inside(async (path) => {
      const [from, to] = [join(path, "from"), join(path, "__schema", "to")]
      writeFileSync(from, new Uint8Array(64 << 20).fill(7))
      for (const delay of [0, 1, 5]) {
        const fiber = Effect.runFork(localFiles.copy(from, to))
        await run(Effect.sleep(delay))
        const exit = await run(Fiber.interrupt(fiber))
        await run(Effect.sleep(500))
        if (Exit.isFailure(exit)) assertEquals(readdirSync(join(path, "__schema")), [])
        assertEquals(readdirSync(path).sort(), ["__schema", "from"], "no temporary file")
        rmSync(to, { force: true })
      }
      chmodSync(from, 0o400)
      await run(localFiles.copy(from, to))
      assertEquals(await run(localFiles.size(to)), 64 << 20)
      assertEquals(await run(localFiles.mode!(to)), 0o400, "with the permissions of the source")
      await run(localFiles.copy(from, to))
      execFileSync("mkfifo", [join(path, "pipe")])
      assert(await fails(localFiles.copy(join(path, "pipe"), to)) instanceof NotFound)
    }))

  it("follows links to files and folders, and ignores broken links", () =>
    inside(async (path) => {
      mkdirSync(join(path, "real"))
      writeFileSync(join(path, "real", "file"), "abc")
      symlinkSync(join(path, "real"), join(path, "folder"))
      symlinkSync(join(path, "real", "file"), join(path, "link"))
      symlinkSync(join(path, "nowhere"), join(path, "dangling"))
      const kinds = (await run(localFiles.list(path))).map(({ name, kind }) => `${name} ${kind}`)
      assertEquals(kinds, ["folder folder", "link file", "real folder"])
      assertEquals(await run(localFiles.size(join(path, "folder", "file"))), 3)
      assert(await fails(localFiles.read(join(path, "dangling"))) instanceof NotFound)
      await run(localFiles.write(join(path, "link"), Uint8Array.of(1)))
      assertEquals(await run(localFiles.read(join(path, "real", "file"))), Uint8Array.of(1), "written through the link")
      await run(localFiles.remove(join(path, "folder")))
      assertEquals(await run(localFiles.size(join(path, "real", "file"))), 1, "only the link is removed")
    }))

  it("lists a folder with links that are circular, too long, or without permission; only those links fail", () =>
    inside(async (path) => {
      mkdirSync(join(path, "real"))
      writeFileSync(join(path, "file"), "abc")
      symlinkSync("self", join(path, "self"))
      symlinkSync("pong", join(path, "ping"))
      symlinkSync("ping", join(path, "pong"))
      symlinkSync("a".repeat(300), join(path, "long"))
      symlinkSync(join("file", "below"), join(path, "below a file"))
      symlinkSync(".", join(path, "here"))
      mkdirSync(join(path, "locked", "inner"), { recursive: true })
      symlinkSync(join(path, "locked", "inner"), join(path, "refused"))
      chmodSync(join(path, "locked"), 0)
      try {
        // root may read all folders
        const refused = process.getuid?.() === 0 ? ["refused folder"] : []
        const kinds = (await run(localFiles.list(path))).map(({ name, kind }) => `${name} ${kind}`)
        assertEquals(kinds, ["file file", "here folder", "locked folder", "real folder", ...refused])
        assertEquals((await run(localFiles.list(join(path, "here", "here")))).length, kinds.length)
        for (const name of ["self", "ping", "pong"]) {
          const uri = join(path, name)
          for (
            const call of [
              localFiles.read(uri),
              localFiles.readTail(uri, 1),
              localFiles.readRanges(uri, [{ offset: 0, length: 1 }]),
              localFiles.size(uri),
              localFiles.list(uri),
            ]
          ) {
            const error = await fails(call as Effect.Effect<unknown, unknown>)
            assert(error instanceof StorageError, `${name}: ${error}`)
          }
        }
        assert(await fails(localFiles.read(join(path, "long"))) instanceof NotFound)
      } finally {
        chmodSync(join(path, "locked"), 0o700)
      }
    }))

  it("converts the error codes of the file system to reasons", () => {
    const reasonOf = (cause: unknown) => storageFailure("write", "file")(cause).reason
    assertEquals(reasonOf({ code: "EACCES" }), "Denied")
    assertEquals(reasonOf({ code: "EPERM" }), "Denied")
    assertEquals(reasonOf({ code: "EMFILE" }), "Unavailable")
    assertEquals(reasonOf({ code: "constructor" }), "Unknown")
    assertEquals(reasonOf(Object.assign(new Error(), { name: "NotCapable" })), "Denied", "Deno without permission")
    assertEquals(reasonOf(undefined), "Unknown")
    assertEquals(readFailure("read", "file")({ code: "EACCES" })._tag, "StorageError")
  })

  it("does not wait for the writer of a named pipe", () =>
    inside(async (path) => {
      execFileSync("mkfifo", [join(path, "pipe")])
      assert(await fails(localFiles.read(join(path, "pipe"))) instanceof NotFound)
      assertEquals(await run(localFiles.list(path)), [])
    }))

  it("lets one of several processes create a complete file", () =>
    inside(async (path) => {
      const script = fileURLToPath(new URL("create_race.ts", import.meta.url))
      const before = "Deno" in globalThis ? ["run", "-A", script] : [script]
      const made = await Promise.all([1, 2, 3].map((mark) =>
        new Promise<ReadonlyArray<number>>((done, broken) => {
          const cwd = fileURLToPath(new URL("../../..", import.meta.url))
          execFile(process.execPath, [...before, path, String(mark)], { cwd }, (error, out) => {
            if (error !== null) broken(error)
            else done(JSON.parse(out))
          })
        })
      ))
      assertEquals(made.flat().sort((a, b) => a - b), Array.from({ length: 100 }, (_, i) => i))
      for (const [i, files] of made.entries()) {
        for (const file of files) {
          assertEquals(await run(localFiles.read(join(path, String(file)))), new Uint8Array(10_000).fill(i + 1))
        }
      }
      assertEquals(readdirSync(path).length, 100, "no leavings")
    }))

  it("reads percent signs of paths and of URIs literally", () =>
    inside(async (path) => {
      await run(localFiles.write(join(path, "a%20b"), Uint8Array.of(1)))
      await run(localFiles.write(`file://${path}/c%20d`, Uint8Array.of(2)))
      await run(localFiles.write(`file://${path}/100% é#?`, Uint8Array.of(3, 3)))
      assertEquals(readdirSync(path).sort(), ["100% é#?", "a%20b", "c%20d"])
      assertEquals(await run(localFiles.size(`file://localhost${path}/c%20d`)), 1)
      assertEquals(await run(localFiles.size(join(path, "100% é#?"))), 2)
    }))

  it("rejects URIs of other schemes, and names them", async () => {
    for (
      const [uri, reason, word] of [
        ["s3://bucket/key", "Unsupported", "s3"],
        ["file://elsewhere/file", "Unsupported", "elsewhere"],
        ["", "Unknown", "empty"],
        ["with\0zero", "Unknown", ""],
      ]
    ) {
      const error = await fails(localFiles.read(uri))
      assert(error instanceof StorageError, `${uri}: ${String(error)}`)
      assertEquals(error.reason, reason)
      assertStringIncludes(error.message, word)
    }
  })

  it("does not remove the root of the file system", async () => {
    for (const uri of ["/", "//", "file:///", "/."]) {
      assertEquals((await fails(localFiles.remove(uri))).reason, "Denied")
    }
  })

  it("does not write unfinished files into folders in which TileDB reads every file", () =>
    inside(async (path) => {
      const temporaries = (folder: string) =>
        readdirSync(join(path, folder)).filter((name) => name.startsWith(".")).length
      const place: Readonly<Record<string, string>> = {
        "array/__meta": "array",
        "array/__schema/__enumerations": "array",
        "array/__fragments/__1_1_0a_22": "array/__fragments/__1_1_0a_22",
        "array/folder": "array/folder",
      }
      for (const [folder, where] of Object.entries(place)) {
        await run(Effect.scoped(Effect.gen(function* () {
          const file = yield* localFiles.openWrite(join(path, folder, "file"))
          yield* file.write(Uint8Array.of(1))
          assertEquals(temporaries(where), 1, folder)
          if (where !== folder) assertEquals(temporaries(folder), 0, folder)
          yield* file.finish
          assertEquals(temporaries(where), 0, folder)
        })))
        assertEquals(readdirSync(join(path, folder)).includes("file"), true)
      }
    }))

  it("leaves no files after a failed write, and does not show a write in progress", () =>
    inside(async (path) => {
      mkdirSync(join(path, "folder"))
      writeFileSync(join(path, "folder", "inner"), "x")
      const error = await fails(localFiles.write(join(path, "folder"), Uint8Array.of(1)))
      assert(error instanceof StorageError)
      assertEquals(readdirSync(path), ["folder"])
      writeFileSync(join(path, ".tessera-0.tmp"), "half")
      assertEquals((await run(localFiles.list(path))).map((entry) => entry.name), ["folder"])
    }))
})

describe("router", () => {
  it("names the unsupported scheme", async () => {
    for (const uri of ["s3://bucket/key", "constructor://x", "HTTP://host/x"]) {
      const error = await fails(router().read(uri))
      assert(error instanceof StorageError)
      assertEquals(error.reason, "Unsupported")
      assertStringIncludes(error.message, uri.slice(0, uri.indexOf(":")).toLowerCase())
    }
  })

  it("keeps its storages apart", () =>
    inside(async (path) => {
      const storage = router()
      await run(storage.write("MEM://file", Uint8Array.of(1)))
      await run(storage.write(join(path, "file"), Uint8Array.of(2)))
      assertEquals(await run(storage.read("mem://file")), Uint8Array.of(1))
      assertEquals(await run(storage.read(join(path, "file"))), Uint8Array.of(2))
    }))
})

describe("trace", () => {
  it("counts calls, requests and bytes when they are made", async () => {
    const trace = makeCounters()
    const seen: Array<StorageCall> = []
    const storage = withCounters(makeMemoryStorage(), trace, (call) => seen.push(call))
    const uri = "mem://file"
    const write = storage.write(uri, new Uint8Array(100))
    assertEquals(trace, makeCounters(), "nothing has run yet")
    await run(write)
    await run(storage.list("mem://"))
    await run(storage.size(uri))
    await run(storage.read(uri))
    await run(storage.readRanges(uri, [{ offset: 0, length: 7 }, { offset: 50, length: 5 }, { offset: 0, length: 0 }]))
    await run(storage.readTail(uri, 8))
    await fails(storage.create(uri, new Uint8Array(5)))
    await fails(storage.readRanges(uri, [{ offset: 99, length: 2 }]))
    await run(storage.remove(uri))
    assertEquals(trace, {
      calls: {
        ...makeCounters().calls,
        list: 1,
        size: 1,
        read: 1,
        readRanges: 2,
        readTail: 1,
        write: 1,
        create: 1,
        remove: 1,
      },
      requests: 11,
      bytesRead: 100 + 12 + 8,
      bytesWritten: 100,
    })
    assertEquals(seen.length, 9)
    assertEquals(seen.filter((call) => call.failed).map((call) => call.operation), ["create", "readRanges"])
    assertEquals(seen[4], { operation: "readRanges", uri, requests: 3, bytesRead: 12, bytesWritten: 0, failed: false })
  })

  it("can be provided on top of another layer", async () => {
    const trace = makeCounters()
    const program = Effect.flatMap(Storage, (storage) => storage.list("mem://"))
    await run(Effect.provide(program, Layer.provide(layerTrace(trace), layerMemory)))
    assertEquals(trace.calls.list, 1)
  })
})
