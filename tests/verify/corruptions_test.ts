/** Verification of damaged arrays: each corruption has the finding of its check. */
import { assert, assertEquals } from "@std/assert"
import * as Schema from "effect/Schema"
import { describe, it } from "node:test"
import { TileArray } from "../../mod.ts"
import { arrayKey, type ArrayName, arrayNames, writeArray } from "./arrays.ts"
import { corruptions } from "./corruptions.ts"
import { findingsOf } from "./findings.ts"

const optionsOf = (name: ArrayName) => name === "encrypted" ? { key: arrayKey } : {}
const JsonFinding = Schema.parseJson(TileArray.Finding)

describe("a verification", () => {
  for (const name of arrayNames) {
    it(`finds nothing in the new array ${name}`, async () => {
      assertEquals(await findingsOf(name, await writeArray(name), optionsOf(name)), [])
    })
  }

  it("has a catalogue of at least 60 corruptions, for all checks that files can fail", () => {
    assert(corruptions.length >= 60, `${corruptions.length} corruptions`)
    assertEquals(new Set(corruptions.map(({ name }) => name)).size, corruptions.length)
  })

  for (const { name, array, check, quick, edit } of corruptions) {
    it(`finds ${name}: ${check}`, async () => {
      const files = await writeArray(array)
      const before = new Map(files)
      edit(files, await writeArray("other"))
      assert([...files].some(([path, bytes]) => before.get(path) !== bytes) || files.size < before.size, "no change")
      const checksOf = async (options: TileArray.VerifyOptions) => {
        const findings = await findingsOf(array, files, { ...optionsOf(array), ...options })
        for (const finding of findings) {
          assertEquals(Schema.decodeSync(JsonFinding)(JSON.stringify(finding)), finding)
          assertEquals(finding.uri, `mem://${array}`)
        }
        return [...new Set(findings.map((finding) => finding.check))]
      }
      const all = await checksOf({})
      assert(all.includes(check), `${check} is not among: ${all.join(", ")}`)
      const fast = await checksOf({ quick: true })
      assertEquals(fast.includes(check), quick, `quick: ${fast.join(", ")}`)
    })
  }
})
