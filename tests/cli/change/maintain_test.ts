/** The commands plan, consolidate and vacuum, on a copy of the demo array. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cli, weather } from "../run_cli.ts"

const inCopy = async (run: (array: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-maintain-"))
  try {
    cpSync(weather, join(folder, "weather"), { recursive: true })
    await run(join(folder, "weather"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const json = async (args: ReadonlyArray<string>) => {
  const { code, out, err } = await cli([...args, "--json"])
  assertEquals([code, err], [0, ""])
  return JSON.parse(out)
}

describe("plan, consolidate and vacuum", () => {
  it("combine the fragments of an array and remove the old ones", () =>
    inCopy(async (array) => {
      const before = await cli(["read", array])
      const task = await json(["plan", array])
      assertEquals(task.fragments.length, 2)
      const { written, inputs } = await json(["consolidate", array])
      assertEquals([written.length, inputs.length], [1, 2])
      assertEquals(await json(["consolidate", array]).then((result) => result.written), [])
      const young = await json(["vacuum", array])
      assertEquals([young.removed.length, young.kept.length], [0, 2])
      const dry = await json(["vacuum", array, "--age", "0s", "--dry-run"])
      assertEquals(dry.removed.length, 3)
      const fragments = readdirSync(join(array, "__fragments")).length
      assertEquals(await json(["vacuum", array, "--age", "0s"]).then((result) => result.removed), dry.removed)
      assertEquals(readdirSync(join(array, "__fragments")).length, fragments - 2)
      assertEquals(await cli(["read", array]), before)
    }))

  it("combine the other kinds of files", () =>
    inCopy(async (array) => {
      for (const mode of ["fragment_meta", "commits", "array_meta"]) {
        await json(["consolidate", array, "--mode", mode])
        await json(["vacuum", array, "--mode", mode, "--age", "0s"])
      }
      assert(readdirSync(join(array, "__commits")).some((name) => name.endsWith(".con")))
    }))

  it("tidy in one call, and a second call does nothing", () =>
    inCopy(async (array) => {
      const cells = await cli(["read", array])
      const drop = ["--drop-history", "--level-factor", "100"]
      assertStringIncludes((await cli(["tidy", array, "--age", "0s", "--dry-run"])).err, "add --drop-history")
      const dry = await json(["tidy", array, "--age", "0s", "--dry-run", ...drop])
      assertEquals(dry.tasks.length, 1)
      const { before, after } = await json(["tidy", array, "--age", "0s", ...drop])
      assert(before.files > after.files && after.bytes > 0 && before.bytes > after.bytes)
      const second = await json(["tidy", array, "--age", "0s", ...drop])
      assertEquals([second.before, second.after], [after, after])
      assertEquals(await cli(["read", array]), cells)
    }))

  it("reject invalid options with exit code 2, and missing arrays with 3", () =>
    inCopy(async (array) => {
      for (
        const [args, message] of [
          [["consolidate", array, "--mode", "all"], "--mode"],
          [["consolidate", array, "--size-ratio", "2"], "sizeRatio"],
          [["vacuum", array, "--age", "soon"], "--age"],
        ] as const
      ) {
        const { code, err } = await cli(args)
        assertEquals(code, 2, args.join(" "))
        assertStringIncludes(err, message)
      }
      assertEquals((await cli(["vacuum", join(array, "none")])).code, 3)
      const missing = ["consolidate", array, "--fragments", `__1_1_${"0".repeat(32)}_22`]
      assertEquals((await cli(missing)).code, 1)
    }))
})

describe("verify", () => {
  it("prints findings as text and as JSON, with exit code 5 for errors", () =>
    inCopy(async (array) => {
      assertEquals(await cli(["verify", array]), { code: 0, out: "", err: "no errors; warnings: 0, notes: 0\n" })
      writeFileSync(join(array, "notes.txt"), "notes")
      const notes = await cli(["verify", array, "--quiet"])
      assertEquals([notes.code, notes.err], [0, ""])
      assertStringIncludes(notes.out, "info UnknownFile: notes.txt")
      const [fragment] = readdirSync(join(array, "__fragments"))
      rmSync(join(array, "__fragments", fragment, "a0.tdb"))
      const text = await cli(["verify", array, "--quick"])
      assertEquals(text.code, 5)
      assertStringIncludes(text.out, "error MissingFile: ")
      assertStringIncludes(text.err, "1 error")
      const { out } = await cli(["verify", array, "--quick", "--json"])
      const findings = out.trim().split("\n").map((line) => JSON.parse(line))
      assertEquals(findings.map(({ check }) => check), ["UnknownFile", "MissingFile"])
      assertEquals([findings[1].fragment, findings[1].field], [fragment, "temperature"])
    }))

  it("fails with exit code 3 for missing arrays and 2 for unknown options", () =>
    inCopy(async (array) => {
      assertEquals((await cli(["verify", join(array, "none")])).code, 3)
      assertEquals((await cli(["verify", array, "--slow"])).code, 2)
    }))
})
