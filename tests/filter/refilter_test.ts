/** Filters the tiles of the packed fixtures again; `deno task refilter` uses all fixtures. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { unpack } from "../golden/pack_format.ts"
import { noTiles, refilterCase } from "./refilter.ts"

const packs = join(import.meta.dirname!, "..", "golden", "data")

describe("tiles of real arrays, filtered again", () => {
  // versions that changed filtering, and the last version before each change
  for (const version of [3, 5, 8, 9, 11, 12, 13, 17, 19, 22]) {
    it(`format ${version}: are equal to the engine's tiles`, () => {
      const folder = mkdtempSync(join(tmpdir(), "tessera-"))
      const result = noTiles()
      try {
        unpack(readFileSync(join(packs, `v${version}.pack.gz`)), folder)
        const root = join(folder, `v${version}`)
        for (const name of readdirSync(root)) {
          if (existsSync(join(root, name, "expected.json"))) refilterCase(join(root, name), result)
        }
      } finally {
        rmSync(folder, { recursive: true })
      }
      assertEquals(result.faults, [])
      assert(result.equal > 100 && result.coded > 10, `${result.equal} equal, ${result.coded} coded`)
      assert(result.deviating < result.equal / 20, `${result.deviating} deviate`)
    })
  }
})
