/** `deno task demo`, in the runtime that runs this test. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"

const left = (): number => readdirSync(tmpdir()).filter((name) => name.startsWith("tessera-demo-")).length

describe("the demo", () => {
  it("makes arrays, writes twice, reads, looks back, and leaves nothing", () => {
    const before = left()
    const args = ["Deno" in globalThis ? ["run", "-A"] : [], join(import.meta.dirname!, "..", "examples", "demo.ts")]
      .flat()
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" })
    assertEquals([status, stderr], [0, ""])
    const lines = stdout.split("\n").map((line) => line.replace(/ +/g, " ").trim())
    for (
      const line of [
        "day 59 1 10 corrected 11 corrected 4",
        "day 59 1 2 3 4",
        "Pazarcık 2023-02-06T01:17 37.2 37 7.8 10",
        "Gaziantep 2023-02-06T01:17 37.2 37 7.5 10",
        "day 60 7.5 8 6.5",
      ]
    ) assertEquals(lines.filter((its) => its === line), [line])
    assertEquals(left(), before)
  })
})
