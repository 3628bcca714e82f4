/** The tiles of the fixtures that are packed in the project, filtered again; `deno task refilter` does it to all fixtures. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { unpack } from "../golden/pack_format.ts"
import { nothing, refilterCase } from "./refilter.ts"

const packs = join(import.meta.dirname!, "..", "golden", "data")

describe("tiles of real arrays, filtered again", () => {
  // each changes something in how tiles are filtered, or is the last to do it so
  for (const version of [3, 5, 8, 9, 11, 12, 13, 17, 19, 22]) {
    it(`format ${version}: come out as the engine wrote them`, () => {
      const folder = mkdtempSync(join(tmpdir(), "tessera-"))
      const found = nothing()
      try {
        unpack(readFileSync(join(packs, `v${version}.pack.gz`)), folder)
        const root = join(folder, `v${version}`)
        for (const name of readdirSync(root)) {
          if (existsSync(join(root, name, "expected.json"))) refilterCase(join(root, name), found)
        }
      } finally {
        rmSync(folder, { recursive: true })
      }
      assertEquals(found.faults, [])
      assert(found.equal > 100 && found.coded > 10, `${found.equal} equal, ${found.coded} coded`)
      assert(found.deviating < found.equal / 20, `${found.deviating} deviate`)
    })
  }
})
