/** Repairs of damaged arrays: every corruption of the catalogue, orphans, faults at each call, and the command line. */
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Dense, Dim, Sparse, TileArray } from "../../mod.ts"
import { layerNative, layerWebp, makeMemoryStorage, StorageService, withFaults } from "../../platform/mod.ts"
import { faults } from "../../platform/storage/middleware/faults.ts"
import { QUARANTINE_FOLDER } from "../../src/repair/quarantine.ts"
import { cli, weather } from "../cli/run_cli.ts"
import { arrayKey, type ArrayName, writeArray } from "../verify/arrays.ts"
import { corruptions } from "../verify/corruptions.ts"
import { findingsOf } from "../verify/findings.ts"

type Files = Map<string, Uint8Array>

const keyOf = (name: ArrayName) => name === "encrypted" ? { key: arrayKey } : {}

const runOn = <A, E>(files: Files, program: Effect.Effect<A, E, never>): Promise<Exit.Exit<A, E>> => {
  const storage = Layer.succeed(StorageService, makeMemoryStorage(files))
  return Effect.runPromiseExit(
    Effect.provide(program, Layer.merge(storage, Layer.provide(layerWebp, layerNative))) as never,
  )
}

const must = async <A, E>(files: Files, program: Effect.Effect<A, E, never>): Promise<A> => {
  const exit = await runOn(files, program)
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return exit.value
}

/** Reads all cells at a time as text; `undefined` if the read fails. */
const read = async (name: ArrayName, files: Files, at?: number): Promise<string | undefined> => {
  const program = Effect.gen(function* () {
    const array = yield* TileArray.open(`mem://${name}`, { ...(at === undefined ? {} : { at }), ...keyOf(name) })
    const { fields } = array.schema.arrayType === "dense"
      ? yield* Dense.read(array)
      : yield* Sparse.read(array, { order: "row" })
    return JSON.stringify(
      Object.fromEntries(
        Object.entries(fields).map(([field, { values, offsets, validity }]) => [
          field,
          [values, offsets, validity].map((part) => part === undefined ? null : [...part].map(String)),
        ]),
      ),
    )
  })
  const exit = await runOn(files, program as never)
  return Exit.isSuccess(exit) ? exit.value as string : undefined
}

const TIMES = [5, 10, 15, 20, 25, undefined]

const statesOf = async (name: ArrayName, files: Files): Promise<ReadonlyArray<string | undefined>> => {
  const states = []
  for (const at of TIMES) states.push(await read(name, new Map(files), at))
  return states
}

const repairOf = (name: ArrayName, options: TileArray.RepairOptions) =>
  TileArray.repair(`mem://${name}`, { ...keyOf(name), ...options }) as unknown as Effect.Effect<TileArray.RepairResult>

/** Checks whose problems a repair solves by writing the fragment again. */
const rebuilt = new Set([
  "RTreeLevels",
  "TileStatistics",
  "FragmentStatistics",
  "Mbr",
  "TileBounds",
  "TileSum",
  "TileNullCount",
])

describe("repair", () => {
  for (const { name, array, check, edit } of corruptions) {
    it(`of ${name} changes no cell that can be read, and removes no file`, async () => {
      const valid = await writeArray(array)
      const files = new Map(valid)
      edit(files, await writeArray("other"))
      const damaged = new Map(files)
      const before = await statesOf(array, files)
      const planned = await runOn(files, repairOf(array, { age: 0 }))
      assertEquals(new Map(files), damaged, "a plan changes nothing")
      const exit = await runOn(files, repairOf(array, { age: 0, apply: true }))
      assertEquals(exit._tag, planned._tag)
      if (Exit.isFailure(exit) || Exit.isFailure(planned)) {
        assertEquals(new Map(files), damaged)
        return
      }
      if (exit.value.unrepaired.length === planned.value.unrepaired.length) {
        assertEquals(exit.value.actions, planned.value.actions)
      }
      const after = await statesOf(array, files)
      const rebuilds = exit.value.actions.filter(({ kind }) => kind === "rebuild")
      if (rebuilds.length > 0) {
        // a wrong MBR hides cells from reads; a cell that does not match its statistics stays unchanged
        assertEquals(after, check === "Mbr" || check === "RTreeLevels" ? await statesOf(array, valid) : before)
        await must(files, TileArray.vacuum(`mem://${array}`, { age: 0 }) as never)
        assertEquals(await statesOf(array, files), after)
        const left = (await findingsOf(array, files, keyOf(array))).filter((finding) => rebuilt.has(finding.check))
        assertEquals(left, [])
      } else {
        // a dropped file may be the reason why reads failed
        for (const [i, state] of before.entries()) if (state !== undefined) assertEquals(after[i], state)
      }
      if (rebuilt.has(check) && exit.value.unrepaired.length === 0) assert(rebuilds.length > 0, "a wrong statistic")
      // nothing is deleted: all files exist, in their places or in the quarantine folder
      for (const [path, bytes] of damaged) {
        const rest = path.slice(array.length + 1)
        const moved = [...files].some(([other, content]) =>
          other.startsWith(`${array}/${QUARANTINE_FOLDER}/`) && other.endsWith(`/${rest}`) && content === bytes
        )
        assert(files.get(path) === bytes || moved || rebuilds.length > 0, path)
      }
      const again = await must(files, repairOf(array, { age: 0, apply: true }))
      assertEquals(again.actions, [], "a second repair does nothing")
    })
  }

  it("of a valid array does nothing", async () => {
    for (const name of ["points", "grid", "encrypted"] as const) {
      const files = await writeArray(name)
      const valid = new Map(files)
      const result = await must(files, repairOf(name, { apply: true, age: 0 }))
      assertEquals([result.actions, result.unrepaired, result.applied, result.quarantine], [[], [], false, null])
      assertEquals(files, valid)
    }
  })

  it("keeps fragments of writes that may be under way, and rejects invalid options", async () => {
    const files = await writeArray("points")
    const left = "__fragments/__99_99_0123456789abcdef0123456789abcdef_22"
    await must(
      files,
      Effect.flatMap(
        StorageService,
        (storage) => storage.write(`mem://points/${left}/a0.tdb`, Uint8Array.of(1)),
      ) as never,
    )
    // files that the program put into memory have no times
    const young = await must(files, repairOf("points", { apply: true, age: 60_000 }))
    assertEquals([young.actions, young.kept], [[], [left]])
    for (const options of [{ age: -1 }, { memory: 0 }, { apply: 1 }, { force: true }]) {
      const exit = await runOn(files, repairOf("points", options as never))
      assertMatch(String(exit), /InvalidOption/)
    }
    assertMatch(String(await runOn(files, TileArray.repair("mem://none") as never)), /ArrayNotFound/)
  })

  it("can be undone by moving the files back", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tessera repair "))
    try {
      const array = join(folder, "weather")
      cpSync(weather, array, { recursive: true })
      const names = readdirSync(join(array, "__fragments"))
      const left = "__1800000000000_1800000000000_0123456789abcdef0123456789abcdef_22"
      cpSync(join(array, "__fragments", names[0]), join(array, "__fragments", left), { recursive: true })
      writeFileSync(join(array, "__fragments", "notes.txt"), "a stranger's file")
      mkdirSync(join(array, "__fragments", "notes"))
      const dry = await cli(["repair", array])
      assertEquals(dry.code, 0)
      assertMatch(dry.err, /younger than --age/)
      const old = new Date(Date.now() - 2 * 86_400_000)
      for (const name of readdirSync(join(array, "__fragments", left))) {
        utimesSync(join(array, "__fragments", left, name), old, old)
      }
      const plan = await cli(["repair", array])
      assertMatch(plan.out, /would be moved to the quarantine folder/)
      assertEquals(existsSync(join(array, "__fragments", left)), true)
      const done = await cli(["repair", array, "--apply", "--json"])
      const { quarantine, applied } = JSON.parse(done.out)
      assertEquals([done.code, applied], [0, true])
      assertEquals(existsSync(join(array, "__fragments", left)), false)
      assertEquals(readdirSync(join(array, "__fragments")).sort(), [...names, "notes", "notes.txt"].sort())
      assertEquals((await cli(["repair", array, "--apply"])).err, "nothing to repair\n")
      assertEquals((await cli(["verify", array])).code, 0)
      renameSync(join(array, quarantine, "__fragments", left), join(array, "__fragments", left))
      assertMatch((await cli(["fragments", array])).err, /1 fragment has no commit/)
      assertEquals((await cli(["repair", array, "--age", "soon"])).code, 2)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe("repair with a fault at each call", () => {
  const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 999]) }, attrs: { n: Attr.uint8() }, capacity: 2 })
  const left = "__fragments/__99_99_0123456789abcdef0123456789abcdef_22"

  const prepare = async (): Promise<Files> => {
    const files: Files = new Map()
    await must(
      files,
      Effect.gen(function* () {
        const array = yield* TileArray.create("mem://a", Points, { at: 1 })
        yield* Sparse.write(array, { x: [1, 2, 3, 4], n: [1, 2, 3, 4] }, { at: 10 })
        yield* Sparse.write(array, { x: [2, 3, 5], n: [5, 6, 7] }, { at: 20 })
        const storage = yield* StorageService
        for (const name of ["a0.tdb", "d0.tdb"]) yield* storage.write(`mem://a/${left}/${name}`, Uint8Array.of(1))
        yield* storage.write("mem://a/notes.txt", Uint8Array.of(1))
        yield* TileArray.consolidate("mem://a", { mode: "fragment_meta" })
      }) as never,
    )
    const broken = [...files.keys()].find((path) => path.includes("__fragment_meta/"))!
    files.set(broken, Uint8Array.of(1, 2, 3))
    return files
  }

  it("loses no file and no cell, and a second call finishes", async () => {
    const cells = Effect.gen(function* () {
      const array = yield* TileArray.open("mem://a")
      return [...(yield* Sparse.read(array, { order: "row" })).columns.n.values].map(Number)
    }) as never as Effect.Effect<ReadonlyArray<number>>
    const act = TileArray.repair("mem://a", { apply: true, age: 0 }) as never as Effect.Effect<TileArray.RepairResult>
    const start = await prepare()
    const whole = new Map(start)
    const counted = withFaults(makeMemoryStorage(whole))
    const runFaulty = (storage: typeof StorageService.Service, program: Effect.Effect<unknown>) =>
      Effect.runPromiseExit(
        Effect.provide(program, Layer.merge(Layer.succeed(StorageService, storage), layerNative)) as never,
      )
    assert(Exit.isSuccess(await runFaulty(counted.storage, act)))
    const expected = await must(new Map(whole), cells)
    assertEquals(expected, [1, 5, 6, 4, 7])
    for (const fault of faults) {
      for (let at = 0; at < counted.calls(); at++) {
        const files = new Map(start)
        const faulty = withFaults(makeMemoryStorage(files), { at, fault })
        await runFaulty(faulty.storage, act)
        await Effect.runPromise(faulty.release)
        for (const name of ["a0.tdb", "d0.tdb"]) {
          assert([...files.keys()].some((path) => path.endsWith(`${left}/${name}`)), `${fault} at ${at}: ${name}`)
        }
        assert(files.has("a/notes.txt"))
        await must(files, act)
        assertEquals(await must(files, cells), expected, `${fault} at ${at}`)
        assertEquals([...files.keys()].some((path) => path.startsWith(`a/${left}/`)), false, `${fault} at ${at}`)
      }
    }
  })
})
