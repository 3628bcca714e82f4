/** The scripts in `examples/` that need only this library, in the runtime that runs this test. */
import { afterEach, beforeEach, describe, it } from "node:test"
import { assertEquals, assertMatch } from "@std/assert"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { examples } from "./interop/applications/examples.ts"

const scripts = join(import.meta.dirname!, "..", "examples")

/** Runs a script; returns the lines on stdout, with single blanks, and stderr. */
const run = (script: string, ...args: ReadonlyArray<string>) => {
  const command = ["Deno" in globalThis ? ["run", "-A"] : [], join(scripts, script), ...args].flat()
  // temporary files are created in a folder that the test checks
  const env = { ...process.env, TMPDIR: folder }
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8", env })
  assertEquals(status, 0, stderr)
  return { lines: stdout.trimEnd().split("\n").map((line) => line.replace(/ +/g, " ").trim()), stderr }
}

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tessera-examples-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe("examples", () => {
  it("demo.ts creates arrays, writes twice, reads, reads an earlier time, and leaves no files", () => {
    const { lines, stderr } = run("demo.ts")
    assertEquals(stderr, "")
    for (
      const line of [
        "day 59 1 10 corrected 11 corrected 4",
        "day 59 1 2 3 4",
        "Pazarcık 2023-02-06T01:17 37.2 37 7.8 10",
        "Gaziantep 2023-02-06T01:17 37.2 37 7.5 10",
        "day 60 7.5 8 6.5",
      ]
    ) assertEquals(lines.filter((printed) => printed === line), [line])
    assertEquals(readdirSync(folder), [])
  })

  it("import_csv.ts prints the inferred datatypes and cells", () => {
    const file = join(folder, "quakes.csv")
    writeFileSync(file, 'place,lat,lon,depth\nTōhoku,38.3,142.4,29\n"Valdivia, Chile",-38.1,-73.4,\n')
    const { lines, stderr } = run("import_csv.ts", file, join(folder, "quakes"), "lat", "lon")
    assertMatch(lines[0], /^2 rows in \d+ bytes: lat: float64, lon: float64, place: string_utf8, depth: int64$/)
    assertEquals(lines.slice(1), ['[-38.1,-73.4,"Valdivia, Chile",null]', '[38.3,142.4,"Tōhoku","29"]'])
    assertEquals(stderr.split("\n").at(-2), "2 rows, 73 of 73 bytes")
  })

  it("tracing.ts exports spans with their attributes, and metrics", () => {
    const { lines, stderr } = run("tracing.ts")
    assertEquals(stderr, "")
    assertEquals(lines[0], "400 cells")
    const names = ["TileArray.create", "Dense.write", "TileArray.reopen", "readTiles", "Dense.read"]
    for (const name of names) assertEquals(lines.filter((line) => line.startsWith(`tessera.${name} {`)).length, 1, name)
    assertEquals(lines.includes("tessera.tiles.decoded {} 4"), true)
  })

  it("are all run, here or with arrays that applications write", () => {
    assertEquals(
      readdirSync(scripts).sort(),
      [...new Set(["demo.ts", "import_csv.ts", "tracing.ts", ...examples.map(({ script }) => script)])].sort(),
    )
  })
})
