/**
 * The reverse of the golden tests, over the packed fixtures: what engines wrote, written again by us, is the same to the last
 * byte but for the deviations that are listed. `deno task rewrite` does it to all fixtures.
 */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { packedArrays, packs } from "../support/packed_arrays.ts"
import { nothing } from "./compare.ts"
import { rewriteAll } from "./rewrite_all.ts"

describe("arrays that are written again", () => {
  for (const pack of packs.filter((pack) => Number(pack.slice(1)) >= 3)) {
    it(`${pack}: their files are those of the engine`, async () => {
      const seen = nothing()
      await rewriteAll(packedArrays(pack), seen)
      assertEquals(seen.faults, [])
      // how well gzip packs is up to the runtime: its files may be others, what is in them not
      assert(seen.files > 50 && seen.sections > 250, `${seen.files} files, ${seen.sections} parts of metadata`)
      const deviating = [...seen.deviating.values()].reduce((sum, n) => sum + n, 0)
      assert(deviating < seen.sections / 5, `${deviating} deviate`)
    })
  }
})
