/** The parts of a request, its input and its target that decide whether it is resumed or overwrites existing files. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Csv, Sparse, type StorageService, TileArray } from "../../mod.ts"
import { StorageError } from "../../platform/mod.ts"
import { UNFINISHED_FILE } from "../../src/array/open/unfinished.ts"
import { inFolder, makePoints, over, Points, type Program } from "./local_folder.ts"

/** Returns the error that a program fails with. */
const refused = async (storage: StorageService, program: Program<unknown>): Promise<string> => {
  const result = await over(storage, Effect.either(program))
  assert(result._tag === "Left", `it succeeded: ${JSON.stringify(result)}`)
  const { _tag, message } = result.left as { _tag: string; message: string }
  return `${_tag}: ${message}`
}

/** Runs a program that is killed before the `nth` call of this kind: later calls have no effect. */
const killedAt = async (
  storage: StorageService,
  op: keyof StorageService,
  name: RegExp,
  nth: number,
  program: Program<unknown>,
): Promise<void> => {
  let [seen, isKilled] = [0, false]
  const around =
    (called: Exclude<keyof StorageService, "createAs" | "inFlight" | "comparesVersions">) =>
    (uri: string, ...rest: Array<never>): Effect.Effect<never> =>
      Effect.suspend(() => {
        if (called === op && name.test(uri) && ++seen === nth) isKilled = true
        if (isKilled) return Effect.fail(new StorageError({ op: called, uri, reason: "Unknown" })) as never
        return (storage[called] as (uri: string, ...rest: Array<never>) => Effect.Effect<never>)(uri, ...rest)
      })
  const calls = [
    "list",
    "size",
    "read",
    "readRanges",
    "readTail",
    "write",
    "openWrite",
    "create",
    "createFolder",
    "remove",
    "removeFolder",
  ] as const
  const killing = { ...storage, ...Object.fromEntries(calls.map((call) => [call, around(call)])) } as StorageService
  await over(killing, Effect.exit(program))
  assert(isKilled, "it was not killed")
}

const commits = /\/__commits\/|\.ok$/
const mark = /__tessera_unfinished\.json$/

const cellsOf = (uri: string, options: TileArray.OpenOptions = {}) =>
  Effect.map(Effect.flatMap(TileArray.open(uri, options), (array) => Sparse.read(array)), ({ length }) => length)

const key = Uint8Array.from({ length: 32 }, (_, i) => i)
const otherKey = Uint8Array.from({ length: 32 }, (_, i) => i + 1)

describe("resuming a copy or import with another key", () => {
  const keys = [[key, undefined], [undefined, key], [key, otherKey]] as const
  for (const [first, second] of keys) {
    const name = (bytes: Uint8Array | undefined) =>
      bytes === undefined ? "no key" : bytes === key ? "a key" : "another key"
    it(`is rejected: ${name(first)}, then ${name(second)}`, () =>
      inFolder(async (folder, storage) => {
        const [source, copied, imported] = ["source", "copied", "imported"].map((name) => join(folder, name))
        await over(storage, makePoints(source))
        const copy = (key: Uint8Array | undefined, resume = false) =>
          TileArray.copy(source, copied, { key: key ?? null, resume })
        const importing = (key: Uint8Array | undefined, resume = false) =>
          Csv.create(imported, Stream.make("x,y\n1,2\n"), { resume, ...(key === undefined ? {} : { key }) })
        for (const [program, target] of [[copy, copied], [importing, imported]] as const) {
          await killedAt(storage, "create", commits, 1, program(first))
          const text = readFileSync(join(target, UNFINISHED_FILE), "utf8")
          for (const key of [first, second]) {
            if (key !== undefined) {
              assert(!text.includes(Array.from(key, (n) => n.toString(16).padStart(2, "0")).join("")))
            }
          }
          assertMatch(
            await refused(storage, program(second, true)),
            /InvalidOption.*with another source or other options/,
          )
          await over(storage, program(first, true))
          const opened = await over(storage, TileArray.open(target, first === undefined ? {} : { key: first }))
          assertEquals(opened.schema.attributes.length, target === copied ? 1 : 2)
        }
      }))
  }
})

describe("resuming an import with another input", () => {
  const text = (rows: number, from: number) =>
    `x,n\n${Array.from({ length: rows }, (_, i) => `${i},${100_000 + from + i}`).join("\n")}\n`
  const options = { arrayType: "sparse", dims: ["x"], memory: 200_000 } as const
  const pieces = (all: string, size: number) =>
    Stream.fromIterable(
      Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size)),
    )
  const sum = (target: string) =>
    Effect.map(
      Effect.flatMap(TileArray.open(target), (array) => Sparse.read(array)),
      ({ columns }) => (columns.n.values as BigInt64Array).reduce((sum, n) => sum + n, 0n),
    )

  /** Before the third checkpoint, and after the last write. */
  for (
    const [when, op, name, nth] of [["half-way", "write", mark, 3], ["at its end", "create", commits, 1]] as const
  ) {
    it(`is rejected, killed ${when}: a file of the same size`, () =>
      inFolder(async (folder, storage) => {
        const [file, target] = [join(folder, "data.csv"), join(folder, "target")]
        writeFileSync(file, text(60_000, 0))
        await killedAt(storage, op, name, nth, Csv.create(target, file, options))
        writeFileSync(file, text(60_000, 1))
        assertMatch(await refused(storage, Csv.create(target, file, { ...options, resume: true })), /has changed/)
        writeFileSync(file, text(60_000, 0))
        await over(storage, Csv.create(target, file, { ...options, resume: true }))
        assertEquals(await over(storage, sum(target)), 60_000n * 100_000n + 59_999n * 30_000n)
      }))

    it(`is rejected, killed ${when}: a different or shorter stream`, () =>
      inFolder(async (folder, storage) => {
        const target = join(folder, "target")
        const whole = text(60_000, 0)
        await killedAt(storage, op, name, nth, Csv.create(target, pieces(whole, 70_001), options))
        for (
          const other of [
            text(60_000, 1),
            text(10, 0),
            whole.slice(0, 200_007),
            ...(nth === 1 ? [text(60_001, 0)] : []),
          ]
        ) {
          const resumed = Csv.create(target, pieces(other, 70_001), { ...options, resume: true })
          assertMatch(await refused(storage, resumed), /has changed/)
        }
        // chunk sizes, strings or bytes do not matter
        const bytes = Stream.map(pieces(whole, 1 << 20), (piece) => new TextEncoder().encode(piece))
        await over(storage, Csv.create(target, bytes, { ...options, resume: true }))
        assertEquals(await over(storage, sum(target)), 60_000n * 100_000n + 59_999n * 30_000n)
      }))
  }
})

describe("resuming an import at a time", () => {
  const time = "2024-02-29T12:00:00.250Z"
  const forms = { text: time, number: Date.parse(time), bigint: BigInt(Date.parse(time)), Date: new Date(time) }
  for (const [form, at] of Object.entries(forms)) {
    it(`accepts the same time as ${form}, and rejects another one`, () =>
      inFolder(async (folder, storage) => {
        const target = join(folder, "target")
        const importing = (at: TileArray.CreateOptions["at"], resume: boolean) =>
          Csv.create(target, Stream.make("x,y\n1,2\n"), { resume, ...(at === undefined ? {} : { at }) })
        await killedAt(storage, "create", commits, 1, importing(time, false))
        for (const other of [new Date(Date.parse(time) + 1), undefined]) {
          assertMatch(await refused(storage, importing(other, true)), /with another source or other options/)
        }
        await over(storage, importing(at, true))
        const [fragment] = await over(storage, Effect.flatMap(TileArray.open(target), TileArray.fragments))
        assertEquals(fragment.start, Date.parse(time))
      }))
  }
})

describe("resuming a copy", () => {
  it("is rejected for another time of the source", () =>
    inFolder(async (folder, storage) => {
      const [source, target] = [join(folder, "source"), join(folder, "target")]
      await over(
        storage,
        Effect.gen(function* () {
          const array = yield* TileArray.create(source, Points)
          for (const at of [1, 5, 8]) yield* TileArray.putMetadata(array, { [`at ${at}`]: at }, { at })
          yield* Sparse.write(array, { x: [1, 2], n: [1, 2] }, { at: 1 })
        }),
      )
      const copy = (at: number, resume = false) =>
        Effect.flatMap(TileArray.open(source, { at }), (array) => TileArray.copy(array, target, { resume }))
      await killedAt(storage, "create", commits, 1, copy(5))
      assertMatch(await refused(storage, copy(8, true)), /InvalidOption.*with another source or other options/)
      const copied = await over(storage, copy(5, true))
      assertEquals([copied.cells, copied.metadata], [2, 2])
    }))

  it("without a time uses the time of the first attempt", () =>
    inFolder(async (folder, storage) => {
      const [source, target] = [join(folder, "source"), join(folder, "target")]
      await over(storage, makePoints(source))
      await killedAt(storage, "create", commits, 1, TileArray.copy(source, target))
      await over(storage, Effect.sleep("5 millis"))
      await over(storage, TileArray.copy(source, target, { resume: true }))
      assertEquals(await over(storage, cellsOf(target)), 40)
    }))

  for (const formatVersion of [3, 5, 9]) {
    it(`continues while the old array still exists, as format ${formatVersion}`, () =>
      inFolder(async (folder, storage) => {
        const [source, target] = [join(folder, "source"), join(folder, "target")]
        const copy = (options: TileArray.CopyOptions) => TileArray.copy(source, target, { formatVersion, ...options })
        for (
          const [op, name, old] of [["openWrite", /target/, true], [
            "create",
            /\.ok$|__fragment_metadata/,
            false,
          ]] as const
        ) {
          await over(
            storage,
            Effect.all([makePoints(source, 30), makePoints(target, 12, { formatVersion })], { mode: "either" }),
          )
          const isLate = op === "create" && formatVersion >= 5
          if (op === "create" && !isLate) continue
          await killedAt(storage, op, name, 1, copy({ overwrite: true }))
          if (old) assertEquals(await over(storage, cellsOf(target)), 12)
          await over(storage, copy({ resume: true }))
          assertEquals(await over(storage, cellsOf(target)), 30)
          assertEquals(existsSync(join(target, UNFINISHED_FILE)), false)
        }
        // the new schema is stored and its mark remains: the target is the new array
        await killedAt(storage, "remove", mark, 1, copy({ overwrite: true }))
        const before = readdirSync(target).filter((name) => !name.startsWith("__tessera_unfinished")).sort()
        await over(storage, copy({ resume: true }))
        assertEquals(readdirSync(target).sort(), before)
        assertEquals(await over(storage, cellsOf(target)), 30)
      }))
  }
})
