/** Signals at random moments: an interrupted command leaves its target as it was. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { start } from "./start_process.ts"

/** Signals per command. */
const SIGNAL_COUNT = 3
/** Maximum time from the signal to the end of the process; machines that run tests are slow. */
const MAX_WAIT = 10_000

const signals = [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const

/** Returns all files below a folder with a hash of their content. */
const snapshot = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path, entry.isDirectory() ? "folder" : createHash("sha256").update(readFileSync(path)).digest("hex")]
    }),
  )

const rows = (count: number): string =>
  "x,name,value\n" + Array.from({ length: count }, (_, i) => `${i},name ${i},${i / 7}\n`).join("")

const done = async (args: ReadonlyArray<string>): Promise<number> => {
  const before = Date.now()
  const { code, err } = await start(args).ended
  assertEquals(code, 0, err)
  return Date.now() - before
}

describe("signals at random moments", () => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-random-signals-"))
  const [file, array] = [join(folder, "cells.csv"), join(folder, "array")]

  let run = 0

  /** Runs a command to its end in one folder, then interrupts it in others; compares the folders before and after. */
  const interrupted = async (
    prepare: (folder: string) => void,
    args: (folder: string) => ReadonlyArray<string>,
  ): Promise<void> => {
    if (!existsSync(array)) {
      writeFileSync(file, rows(100_000))
      await done(["import", file, array, "--sparse", "--dims", "x", "--memory", "1MiB"])
    }
    const name = args("")[0]
    const whole = join(folder, `whole ${++run}`)
    mkdirSync(whole)
    prepare(whole)
    const duration = await done(args(whole))
    rmSync(whole, { recursive: true })
    for (let moment = 0; moment < SIGNAL_COUNT; moment++) {
      const place = join(folder, `moment ${run} ${moment}`)
      mkdirSync(place)
      prepare(place)
      const before = snapshot(place)
      const [signal, code] = signals[moment % signals.length]
      const delay = duration * (0.3 + 0.7 * Math.random())
      const { child, ended } = start(args(place))
      await new Promise((resolve) => setTimeout(resolve, delay))
      const sent = Date.now()
      try {
        process.kill(child.pid!, signal)
      } catch {
        // it has ended
      }
      const result = await ended
      const where = `${name}: ${signal} after ${delay} of ${duration} ms: ${result.err}`
      assert(Date.now() - sent < MAX_WAIT, where)
      // the process may be killed after the command is complete, while the runtime ends
      if (result.code !== 0) assertEquals(result.code, code, where)
      if (result.code !== 0 && result.out === "") {
        assertEquals(snapshot(place), before, where)
      }
      rmSync(place, { recursive: true })
    }
  }

  it("leave no import", () =>
    interrupted(
      () => {},
      (at) => ["import", file, join(at, "new"), "--sparse", "--dims", "x", "--memory", "1MiB"],
    ))

  it("leave no appended cells", () =>
    interrupted(
      (at) => cpSync(array, join(at, "array"), { recursive: true }),
      (at) => ["import", file, join(at, "array"), "--append", "--memory", "1MiB"],
    ))

  it("leave no copy", () => interrupted(() => {}, (at) => ["copy", array, join(at, "new"), "--memory", "4MiB"]))

  it("leave no copy of a group", () =>
    interrupted(
      (at) => {
        mkdirSync(join(at, "group", "__group"), { recursive: true })
        writeFileSync(join(at, "group", "__tiledb_group.tdb"), "")
        cpSync(array, join(at, "group", "array"), { recursive: true })
        rmSync(join(at, "group", "__group"), { recursive: true })
      },
      (at) => ["group", "copy", join(at, "group"), join(at, "new"), "--memory", "4MiB"],
    ))

  it("leave no exported file", () => interrupted(() => {}, (at) => ["export", array, join(at, "cells.ndjson")]))

  it("leave no manifest", () =>
    interrupted(
      (at) => cpSync(array, join(at, "array"), { recursive: true }),
      (at) => ["publish", join(at, "array")],
    ))

  it("leave no deleted cells", () =>
    interrupted(
      (at) => cpSync(array, join(at, "array"), { recursive: true }),
      (at) => ["delete", join(at, "array"), "--where", "value > 5"],
    ))

  it("clean up", () => rmSync(folder, { recursive: true }))
})
