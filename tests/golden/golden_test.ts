/** Reads the packed selection of fixtures (written by `pack.ts`) and the array of the demo, with both codec layers. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeEngine } from "./adapter.ts"
import { unpack } from "./pack_format.ts"
import { run } from "./run.ts"

const data = join(import.meta.dirname!, "data")
const packs = readdirSync(data).filter((name) => name.endsWith(".pack.gz")).sort((a, b) =>
  a.localeCompare(b, "en", { numeric: true })
)

/** Runs the cases of a folder; fails with the differences. */
const check = async (folder: string, codecs: "native" | "portable"): Promise<number> => {
  const failures: Array<string> = []
  const totals = await run([folder], makeEngine(codecs), {
    print: (line) => failures.push(line),
  })
  assertEquals(failures.slice(0, 20), [])
  assertEquals(totals.failed, 0)
  return totals.passed
}

const unpacked = async <A>(name: string, use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-"))
  try {
    unpack(readFileSync(join(data, name)), folder)
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("golden arrays", () => {
  it("exist for every format version", () => {
    const versions = Array.from({ length: 22 }, (_, i) => `v${i + 1}.pack.gz`)
    assertEquals(packs, ["upstream.pack.gz", ...versions])
  })

  for (const codecs of ["native", "portable"] as const) {
    for (const name of packs) {
      it(`${name.replace(".pack.gz", "")}, ${codecs} codecs`, { timeout: 120_000 }, async () => {
        const passed = await unpacked(name, (folder) => check(folder, codecs))
        assert(passed >= (name.startsWith("upstream") ? 20 : 100), `only ${passed} things were compared`)
      })
    }
  }

  it("of the demo", async () => {
    assertEquals(await check(join(import.meta.dirname!, "demo"), "native"), 10)
  })
})
