/** Verification of the packed fixtures, which engines of all format versions wrote: there are no errors. */
import { assertEquals } from "@std/assert"
import { describe, it } from "node:test"
import { packedArrays, packs } from "../support/packed_arrays.ts"
import { findingsOf } from "./findings.ts"

describe("a verification of arrays of released engines", () => {
  for (const pack of packs) {
    it(`finds no errors in format ${pack.slice(1)}`, async () => {
      for (const { path, key, files } of packedArrays(pack)) {
        const findings = await findingsOf(path, files, key === undefined ? {} : { key })
        assertEquals(findings.filter(({ severity }) => severity === "error"), [], path)
      }
    })
  }
})
