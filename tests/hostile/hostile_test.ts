/** The small sweep: 500 mutations of the packed fixtures, in the runtime that runs the tests. `run.ts` is the full one. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import process from "node:process"
import { sweep } from "./sweep.ts"

const deno = "Deno" in globalThis
const runtime = { name: deno ? "Deno" : "Bun", command: deno ? [process.execPath, "run", "-A"] : [process.execPath] }

describe("hostile bytes", () => {
  it("are rejected with a location, or read, in 500 cases", { timeout: 120_000 }, async () => {
    const lines: Array<string> = []
    const print = (line: string) => lines.push(line)
    const result = await sweep({ runtime, seed: "1", fixtures: "packed", count: 500, rounds: 5, print })
    assertEquals(lines, [])
    assertEquals(result.cases, 500)
    assert(result.subjects >= 100, `only ${result.subjects} subjects`)
    // most mutations must have an effect
    assert(result.noticed > 200, `only ${result.noticed} were noticed`)
  })
})
