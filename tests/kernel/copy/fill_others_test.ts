/** Masked fill values, compared with a loop over cells. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { fillOthers } from "../../../src/kernel/copy/fill_others.ts"
import { unitsOf } from "../../../src/kernel/copy/gather.ts"

describe("masked cells", () => {
  for (const size of [1, 2, 3, 4, 8, 12, 16]) {
    it(`become the fill value of ${size} bytes; other cells are unchanged`, () => {
      // alternating runs of selected and masked cells
      const stretches = fc.array(fc.tuple(fc.nat(40), fc.nat(40)), { maxLength: 8 })
      fc.assert(
        fc.property(stretches, fc.nat(2), fc.uint8Array({ minLength: size, maxLength: size }), (runs, shift, fill) => {
          const mask = Uint8Array.from(runs.flatMap(([kept, not]) => [
            ...new Array<number>(kept).fill(1),
            ...new Array<number>(not).fill(0),
          ]))
          const at = 4 * shift
          const memory = Uint8Array.from({ length: at + mask.length * size + 8 }, (_, i) => i * 37 + 11)
          const want = memory.slice()
          mask.forEach((kept, i) => {
            if (kept === 0) want.set(fill, at + i * size)
          })
          fillOthers(unitsOf(memory.subarray(at, at + mask.length * size), size), unitsOf(fill, size), mask)
          assertEquals(memory, want)
        }),
        { seed: 6, numRuns: 200 },
      )
    })
  }
})
