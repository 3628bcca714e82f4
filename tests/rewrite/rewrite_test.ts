/**
 * The reverse of the golden tests, over the packed fixtures: arrays of engines, rewritten by us, are byte-identical except for
 * the listed deviations. `deno task rewrite` uses all fixtures.
 */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { packedArrays, packs } from "../support/packed_arrays.ts"
import { nothingCompared } from "./compare.ts"
import { rewriteAll } from "./rewrite_all.ts"

describe("rewritten arrays", () => {
  for (const pack of packs.filter((pack) => Number(pack.slice(1)) >= 3)) {
    it(`${pack}: the files are equal to the engine's`, async () => {
      const seen = nothingCompared()
      await rewriteAll(packedArrays(pack), seen)
      assertEquals(seen.faults, [])
      // gzip output depends on the runtime: files may differ, their contents may not
      assert(seen.files > 50 && seen.sections > 250, `${seen.files} files, ${seen.sections} parts of metadata`)
      const deviating = [...seen.deviating.values()].reduce((sum, n) => sum + n, 0)
      assert(deviating < seen.sections / 5, `${deviating} deviate`)
    })
  }
})
