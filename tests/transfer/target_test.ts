/** The target of a copy or an import: the allowed contents, the removed files, and the files of a killed program. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { Csv, Dense, Group, Sparse, type StorageService, TileArray } from "../../mod.ts"
import { makeLocalStorage, makeMemoryStorage, withFaults } from "../../platform/mod.ts"
import { removeArray } from "../../src/array/create/remove_array.ts"
import { UNFINISHED_FILE } from "../../src/array/open/unfinished.ts"
import { inFolder, makePoints, over, Points, type Program } from "./local_folder.ts"

const csv = (rows: number, from = 0): string =>
  `x,name\n${Array.from({ length: rows }, (_, i) => `${from + i},name ${from + i}`).join("\n")}\n`

/** Returns all files in a folder with their contents, and the folders. */
const snapshot = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(folder.length), entry.isFile() ? readFileSync(path, "base64") : "folder"]
    }).sort(),
  )

/** Adds files of other programs, as they occur next to arrays. */
const addStrangers = (folder: string): void => {
  mkdirSync(join(folder, "photos/empty"), { recursive: true })
  writeFileSync(join(folder, "notes.txt"), "mine")
  writeFileSync(join(folder, "photos/cat.jpg"), "a cat")
  writeFileSync(join(folder, ".hidden"), "hidden")
}

const failing = "x,name\n1,a\n2,b\n3\n"

describe("a target that is not empty", () => {
  const attempts: Readonly<Record<string, (target: string, source: string) => Program<unknown>>> = {
    "an import": (target) => Csv.create(target, Stream.make(csv(10))),
    "an import that would fail": (target) => Csv.create(target, Stream.make(failing)),
    "a copy": (target, source) => TileArray.copy(source, target),
    "a copy with overwrite": (target, source) => TileArray.copy(source, target, { overwrite: true }),
    "an import with resume": (target) => Csv.create(target, Stream.make(csv(10)), { resume: true }),
  }
  for (const [action, attempt] of Object.entries(attempts)) {
    it(`is rejected by ${action} before the first write`, () =>
      inFolder(async (folder, storage) => {
        const [target, source] = [join(folder, "target"), join(folder, "source")]
        await over(storage, makePoints(source))
        mkdirSync(target)
        addStrangers(target)
        const before = snapshot(folder)
        const error = await over(storage, Effect.flip(attempt(target, source))) as { _tag: string; message: string }
        assertEquals(error._tag, "AlreadyExists")
        assertMatch(error.message, /the folder is not empty: it has ".hidden" and 2 other names/)
        assertEquals(snapshot(folder), before)
      }))
  }

  it("is rejected if it contains a pipe or a link, listed or not, at any depth", () =>
    inFolder(async (folder, storage) => {
      mkdirSync(join(folder, "out"))
      const pipe = (path: string) => void execFileSync("mkfifo", [path])
      const link = (to: string) => (path: string) => symlinkSync(to, path)
      const nowhere = link(join(folder, "nowhere"))
      const cases: ReadonlyArray<readonly [string, (path: string) => void, RegExp]> = [
        ["__fragments", link("../out"), /its folder "__fragments" is a symbolic link/],
        ["pipe", pipe, /it has "pipe";/],
        ["dangling", nowhere, /it has "dangling";/],
        ["__meta", nowhere, /it has "__meta";/],
        ["__fragments/pipe", pipe, /it has "__fragments";/],
        ["__commits/dangling", nowhere, /it has "__commits";/],
        ["__fragments/linked", link("../../out"), /it has "__fragments";/],
      ]
      for (const [i, [name, make, message]] of cases.entries()) {
        const target = join(folder, `target ${i}`)
        mkdirSync(dirname(join(target, name)), { recursive: true })
        make(join(target, name))
        for (const options of [{}, { overwrite: true }, { resume: true }]) {
          const error = await over(storage, Effect.flip(Csv.create(target, Stream.make(csv(3)), options))) as Error
          assertMatch(error.message, message, name)
          assertEquals([readdirSync(target), readdirSync(join(folder, "out"))], [[name.split("/")[0]], []], name)
        }
      }
    }))

  it("is rejected inside of an array, and if a folder has the name of the mark", () =>
    inFolder(async (folder, storage) => {
      const array = join(folder, "array")
      await over(storage, makePoints(array))
      mkdirSync(join(array, UNFINISHED_FILE))
      writeFileSync(join(array, UNFINISHED_FILE, "notes.txt"), "mine")
      const before = snapshot(folder)
      for (const inner of ["__meta", "__fragment_meta", "__labels/l7", "__fragments/more/deep", "__new"]) {
        const error = await over(storage, Effect.flip(Csv.create(join(array, inner), Stream.make(csv(3)))))
        assertMatch(error.message, /it would be inside the array .*array; choose another target/)
        assertEquals(error._tag, "AlreadyExists")
      }
      const source = join(folder, "source")
      await over(storage, makePoints(source, 3))
      for (
        const overwrite of [
          Csv.create(array, Stream.make(csv(3)), { overwrite: true }),
          TileArray.copy(source, array, { overwrite: true }),
        ]
      ) {
        const error = await over(storage, Effect.flip(overwrite as Program<unknown>)) as Error & { _tag: string }
        assertEquals(error._tag, "AlreadyExists")
        assertMatch(error.message, /__tessera_unfinished.json is a folder/)
      }
      rmSync(source, { recursive: true })
      assertEquals(snapshot(folder), before)
      // other names in the folder of an array, and names like those of array folders elsewhere, are allowed
      await over(storage, Csv.create(join(array, "mine"), Stream.make(csv(3))))
      await over(storage, Csv.create(join(folder, "__b"), Stream.make(csv(3))))
    }))

  it("is rejected if it is a group, or an array without overwrite, and remains unchanged", () =>
    inFolder(async (folder, storage) => {
      const [group, array, source] = ["group", "array", "source"].map((name) => join(folder, name))
      await over(storage, Effect.all([Group.create(group), makePoints(array), makePoints(source, 9)]))
      const before = snapshot(folder)
      for (
        const [target, options, message] of [
          [group, {}, /there is a group here/],
          [group, { overwrite: true }, /there is a group here/],
          [array, {}, /there is an array here already/],
          [array, { resume: true }, /there is an array here already/],
        ] as const
      ) {
        const error = await over(storage, Effect.flip(TileArray.copy(source, target, options)))
        assertEquals([error._tag, message.test(error.message)], ["AlreadyExists", true], error.message)
      }
      const both = await over(storage, Effect.flip(TileArray.copy(source, array, { overwrite: true, resume: true })))
      assertEquals(both._tag, "InvalidOption")
      assertEquals(snapshot(folder), before)
    }))
})

describe("a copy or import that fails", () => {
  it("keeps an existing empty folder, and leaves no file in it", () =>
    inFolder(async (folder, storage) => {
      const target = join(folder, "empty")
      mkdirSync(target)
      addStrangers(folder)
      const before = snapshot(folder)
      await over(storage, Effect.flip(Csv.create(target, Stream.make(failing))))
      assertEquals(snapshot(folder), before)
      // created parent folders are removed too
      await over(storage, Effect.flip(Csv.create(join(folder, "a/b/c"), Stream.make(failing))))
      assertEquals(snapshot(folder), before)
    }))

  it("keeps the files that another program adds, for a failure at any call", () =>
    inFolder(async (folder, storage) => {
      const source = join(folder, "source")
      await over(storage, makePoints(source))
      let tried = 0
      for (let at = 1;; at++) {
        const target = join(folder, `target-${at}`)
        const faulty = withFaults(storage, { at, fault: at % 2 === 0 ? "fail" : "partial" })
        // another program writes a file as soon as the folder exists
        const intruding: StorageService = {
          ...faulty.storage,
          createFolder: (uri) =>
            Effect.tap(
              faulty.storage.createFolder(uri),
              () => Effect.sync(() => writeFileSync(join(uri, "stranger.txt"), "not yours")),
            ),
        }
        const exit = await over(intruding, Effect.exit(TileArray.copy(source, target)))
        if (faulty.struck() === undefined) break
        if (exit._tag === "Success") continue
        tried++
        const left = existsSync(target) ? snapshot(target) : {}
        const files = Object.entries(left).filter(([, content]) => content !== "folder")
        const strangers = files.filter(([path]) => path.endsWith("stranger.txt"))
        assertEquals(files.length, strangers.length, `call ${at}, ${faulty.struck()!.op}: ${JSON.stringify(files)}`)
        if (at > 2) assert(strangers.length > 0, `call ${at}`)
      }
      assert(tried > 10, `${tried} faults`)
    }))

  it("removes its files when it is interrupted", () =>
    inFolder(async (folder, storage) => {
      addStrangers(folder)
      const before = snapshot(folder)
      const endless = Stream.concat(
        Stream.make(csv(5000)),
        Stream.repeatEffect(Effect.delay(Effect.succeed("1,x\n"), "1 millis")),
      )
      const importing = Csv.create(join(folder, "target"), endless, { memory: 1000 })
      await over(
        storage,
        Effect.gen(function* () {
          const fiber = yield* Effect.fork(importing)
          while (!existsSync(join(folder, "target", "__fragments"))) yield* Effect.sleep("2 millis")
          yield* Fiber.interrupt(fiber)
        }),
      )
      assertEquals(snapshot(folder), before)
    }))
})

/** Returns a storage that stops at call number `at`, like a killed program. */
const killedAt = (storage: StorageService, at: number) => withFaults(storage, { at, fault: "stop" })

describe("a copy or import that is killed", () => {
  const transfers: Readonly<Record<string, (folder: string, options?: TileArray.CopyOptions) => Program<unknown>>> = {
    "a copy": (folder, options = {}) =>
      TileArray.copy(join(folder, "source"), join(folder, "target"), { maxFragmentSize: 60, ...options }),
    "an import of sparse cells": (folder, { overwrite, resume } = {}) =>
      Csv.create(join(folder, "target"), join(folder, "data.csv"), {
        arrayType: "sparse",
        dims: ["x"],
        memory: 300,
        overwrite,
        resume,
      }),
    "an import of dense rows": (folder, { overwrite, resume } = {}) =>
      Csv.create(join(folder, "target"), join(folder, "data.csv"), { memory: 300, overwrite, resume }),
    "an import of dense cells by their coordinates": (folder, { overwrite, resume } = {}) =>
      Csv.create(join(folder, "target"), join(folder, "data.csv"), {
        dims: ["x"],
        tile: { x: 10 },
        memory: 300,
        overwrite,
        resume,
      }),
  }
  const read = (folder: string) =>
    Effect.flatMap(
      TileArray.open(join(folder, "target")),
      (array) =>
        array.schema.arrayType === "sparse"
          ? Effect.map(Sparse.read(array), ({ columns }) => columns as unknown)
          : Effect.map(Dense.read(array), ({ columns }) => columns as unknown),
    )
  const prepare = async (folder: string, storage: StorageService) => {
    await over(storage, makePoints(join(folder, "source")))
    // more rows than are written together
    writeFileSync(join(folder, "data.csv"), csv(9000))
  }

  for (const [name, transfer] of Object.entries(transfers)) {
    it(`${name}: never opens as an array, is reported, resumed and replaced`, () =>
      inFolder(async (folder, storage) => {
        await prepare(folder, storage)
        await over(storage, transfer(folder))
        const whole = await over(storage, read(folder))
        const kept = new Set<number>()
        const [target, saved] = [join(folder, "target"), join(folder, "saved")]
        // every call at the beginning, then every fourth: each takes three complete transfers
        for (let at = 0;; at += at < 16 ? 1 : 4) {
          rmSync(target, { recursive: true })
          const faulty = killedAt(storage, at)
          const exit = await over(faulty.storage, Effect.exit(transfer(folder)))
          await Effect.runPromise(faulty.release)
          if (exit._tag === "Success") break
          const opened = await over(storage, Effect.either(read(folder)))
          const isThere = opened._tag === "Right"
          // the mark may still exist after the schema is stored
          if (isThere) assertEquals(opened.right, whole)
          else assertEquals((opened.left as { _tag: string })._tag, "ArrayNotFound")
          const isMarked = existsSync(join(target, UNFINISHED_FILE))
          if (isMarked && !isThere) {
            const again = await over(storage, Effect.flip(transfer(folder))) as Error
            assertMatch(
              again.message,
              /an unfinished (copy|import) of .*, begun at 2.*Z, is here; set `resume` or `overwrite`/,
            )
          }
          if (existsSync(target)) cpSync(target, saved, { recursive: true })
          else mkdirSync(saved)

          if (!isThere || isMarked) {
            const fragments = existsSync(join(target, "__fragments")) ? readdirSync(join(target, "__fragments")) : []
            await over(storage, transfer(folder, { resume: true }))
            assertEquals(await over(storage, read(folder)), whole, `resumed after call ${at}`)
            const after = readdirSync(join(target, "__fragments"))
            kept.add(fragments.filter((name) => after.includes(name)).length)
          }
          rmSync(target, { recursive: true })
          cpSync(saved, target, { recursive: true })
          rmSync(saved, { recursive: true })
          await over(storage, transfer(folder, { overwrite: true }))
          assertEquals(await over(storage, read(folder)), whole, `replaced after call ${at}`)
          assertEquals(existsSync(join(target, UNFINISHED_FILE)), false)
        }
        assert(kept.size >= 2, `a resumed one keeps fragments: ${[...kept]}`)
      }))
  }

  it("is resumed only by the same request", () =>
    inFolder(async (folder, storage) => {
      await prepare(folder, storage)
      await over(killedAt(storage, 20).storage, Effect.exit(transfers["a copy"](folder)))
      const error = await over(storage, Effect.flip(transfers["a copy"](folder, { resume: true, select: [] })))
      assertMatch((error as Error).message, /an unfinished copy of .* is here, with another source or other options/)
      await over(
        storage,
        Effect.flatMap(
          TileArray.open(join(folder, "source"), Points),
          (array) => Sparse.write(array, { x: [7777], n: [1] }),
        ),
      )
      const changed = await over(storage, Effect.flip(transfers["a copy"](folder, { resume: true })))
      assertEquals((changed as { _tag: string })._tag, "InvalidOption")
      const created = await over(storage, Effect.flip(TileArray.create(join(folder, "target"), Points)))
      assertMatch(created.message, /an unfinished copy or import is here/)
    }))

  it("is not resumed with a damaged or forged mark", () =>
    inFolder(async (folder, storage) => {
      await prepare(folder, storage)
      const target = join(folder, "target")
      const faulty = killedAt(storage, 20)
      await over(faulty.storage, Effect.exit(transfers["a copy"](folder)))
      const mark = JSON.parse(readFileSync(join(target, UNFINISHED_FILE), "utf8"))
      writeFileSync(join(folder, "notes.txt"), "mine")
      const before = readFileSync(join(folder, "notes.txt"), "utf8")
      const withCheckpoint = (field: string, value: unknown): string =>
        JSON.stringify({ ...mark, checkpoint: { ...mark.checkpoint, [field]: value } })
      for (
        const text of [
          "",
          "{",
          "[]",
          JSON.stringify({ ...mark, schemaName: "../../notes.txt" }),
          withCheckpoint("fragments", ["../notes.txt"]),
          withCheckpoint("commit", "/etc/passwd"),
          withCheckpoint("inputCells", -1),
        ]
      ) {
        writeFileSync(join(target, UNFINISHED_FILE), text)
        const error = await over(storage, Effect.flip(transfers["a copy"](folder, { resume: true })))
        assertEquals((error as { _tag: string })._tag, "FormatError", text)
      }
      await over(storage, transfers["a copy"](folder, { overwrite: true }))
      assertEquals(readFileSync(join(folder, "notes.txt"), "utf8"), before)
    }))
})

describe("an array that is overwritten", () => {
  it("is unchanged until all new cells are written, and loses no files of others", () =>
    inFolder(async (folder, storage) => {
      const [source, target] = [join(folder, "source"), join(folder, "target")]
      const value = (n: number) =>
        Effect.flatMap(
          TileArray.open(target, Points),
          (array) => Effect.map(Sparse.read(array), ({ columns }) => columns.x.length === n),
        )
      await over(storage, Effect.all([makePoints(source, 30), makePoints(target, 12)]))
      addStrangers(target)
      writeFileSync(join(target, "__fragments", "notes.txt"), "in between")
      writeFileSync(join(target, "__commits", "README"), "in between")
      const strangers = () =>
        Object.entries(snapshot(target)).filter(([path]) => /notes|photos|hidden|README/.test(path))
      const expected = strangers()
      const old = snapshot(target)
      let [before, resumed] = [0, 0]
      for (let at = 0;; at++) {
        rmSync(target, { recursive: true })
        mkdirSync(target)
        for (const [path, content] of Object.entries(old)) {
          if (content === "folder") mkdirSync(join(target, path), { recursive: true })
          else {
            mkdirSync(join(target, path, ".."), { recursive: true })
            writeFileSync(join(target, path), content, "base64")
          }
        }
        const faulty = withFaults(storage, { at, fault: at % 2 === 0 ? "fail" : "stop" })
        const options = { overwrite: true, maxFragmentSize: 60 }
        const exit = await over(faulty.storage, Effect.exit(TileArray.copy(source, target, options)))
        await Effect.runPromise(faulty.release)
        assertEquals(strangers(), expected, `call ${at}`)
        if (exit._tag === "Success" && faulty.struck() === undefined) break
        const opened = await over(storage, Effect.either(value(12)))
        if (opened._tag === "Right" && opened.right) {
          before++
          if (at % 2 === 0) assertEquals(snapshot(target), old, `call ${at} fails`)
          await over(storage, TileArray.copy(source, target, options))
        } else if (opened._tag === "Left") {
          resumed++
          await over(storage, TileArray.copy(source, target, { resume: true, maxFragmentSize: 60 }))
        }
        assert(await over(storage, value(30)), `call ${at}`)
        assertEquals(strangers(), expected, `call ${at}, then`)
      }
      assert(await over(storage, value(30)))
      assert(before > 5 && resumed > 2, `${before} before, ${resumed} resumed`)
    }))

  for (const formatVersion of [5, 9, 22]) {
    it(`must not be the source of the copy, in any spelling, as format ${formatVersion}`, () =>
      inFolder(async (folder, storage) => {
        const array = join(folder, "a")
        await over(storage, makePoints(array, 40, { formatVersion }))
        symlinkSync("a", join(folder, "relative"))
        symlinkSync(array, join(folder, "absolute"))
        mkdirSync(join(folder, "x"))
        const before = snapshot(array)
        const spellings = [
          `${array}/`,
          `${folder}/./a`,
          `${folder}//a`,
          `${folder}/x/../a`,
          `${folder}/../root/a`,
          `file://${array}`,
          join(folder, "relative"),
          join(folder, "absolute"),
          relative(".", array),
        ]
        for (const target of spellings) {
          for (const options of [{ overwrite: true }, { overwrite: true, region: { x: [1, 2] } }] as const) {
            const error = await over(storage, Effect.flip(TileArray.copy(array, target, options)))
            assertEquals([error._tag, target], ["InvalidOption", target])
            assertMatch(error.message, /the target is the array that is copied/, target)
            assertEquals(snapshot(array), before)
          }
        }
      }))
  }

  it("may be in memory, in any format", async () => {
    for (const formatVersion of [3, 4, 9, 11, 22]) {
      const storage = makeMemoryStorage()
      await over(storage, Effect.all([makePoints("mem://source", 30), makePoints("mem://target", 12)]))
      await over(storage, TileArray.copy("mem://source", "mem://target", { overwrite: true, formatVersion }))
      await over(storage, TileArray.copy("mem://source", "mem://target", { overwrite: true, formatVersion }))
      const read = await over(storage, Effect.flatMap(TileArray.open("mem://target"), (array) => Sparse.read(array)))
      assertEquals([read.length, makeLocalStorage === undefined], [30, false], `format ${formatVersion}`)
    }
  })
})

describe("symbolic links at a target", () => {
  it("of labels and fragments are removed with the array, and their targets remain", () =>
    inFolder(async (folder, storage) => {
      const [target, other] = [join(folder, "target"), join(folder, "other")]
      await over(storage, Effect.all([makePoints(target), makePoints(other), makePoints(join(folder, "source"), 5)]))
      const before = snapshot(other)
      mkdirSync(join(target, "__labels"), { recursive: true })
      symlinkSync("../../other", join(target, "__labels", "x"))
      const [fragment] = readdirSync(join(other, "__fragments"))
      symlinkSync(`../../other/__fragments/${fragment}`, join(target, "__fragments", fragment))
      await over(storage, TileArray.copy(join(folder, "source"), target, { overwrite: true }))
      assertEquals(snapshot(other), before)
      assertEquals(readdirSync(join(target, "__labels")), [])
      assertEquals(readdirSync(join(target, "__fragments")).length, 1)
      const read = Effect.flatMap(TileArray.open(target), (array) => Sparse.read(array))
      assertEquals((await over(storage, read)).length, 5)
    }))

  it("in the place of a folder of the array are rejected, and their targets remain unchanged", () =>
    inFolder(async (folder, storage) => {
      const other = join(folder, "other")
      await over(storage, makePoints(other))
      for (const name of ["__fragments", "__schema", "__commits", "__meta", "__labels", "__schema/__enumerations"]) {
        const target = join(folder, `target ${name.replace("/", " ")}`)
        await over(storage, Csv.create(target, Stream.make(csv(3))))
        rmSync(join(target, name), { recursive: true, force: true })
        mkdirSync(join(other, name), { recursive: true })
        symlinkSync(join(other, name), join(target, name))
        const before = snapshot(folder)
        const attempt = Csv.create(target, Stream.make(csv(5)), { overwrite: true })
        const error = await over(storage, Effect.flip(attempt)) as { _tag: string; message: string }
        assertEquals(error._tag, "AlreadyExists", `${name}: ${error.message}`)
        assertMatch(error.message, /"__\w+" is a symbolic link/)
        const removal = await over(storage, Effect.flip(removeArray(target)))
        assertEquals(removal.reason, "Unsupported", name)
        assertEquals(snapshot(folder), before, name)
      }
    }))
})
