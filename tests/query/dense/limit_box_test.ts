import { assert, assertEquals } from "@std/assert"
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { firstBox } from "../../../src/query/dense/limit_box.ts"

describe("the box for a limit", () => {
  it("contains at least the first `limit` cells in order, and no unnecessary slice", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 })
    fc.assert(fc.property(sizes, fc.integer({ min: 1, max: 300 }), fc.boolean(), (lengths, limit, row) => {
      // two ranges in each dimension of at least two cells
      const box = lengths.map((n) => [{ low: 0n, high: 0n }, { low: 5n, high: 3n + BigInt(n) }].slice(0, n < 2 ? 1 : 2))
      const slowest = row ? lengths.map((_, d) => d) : lengths.map((_, d) => lengths.length - 1 - d)
      const cellsOf = (b: ReturnType<typeof firstBox>): Array<string> => {
        let cells: Array<Array<bigint>> = [[]]
        for (const d of slowest) {
          const along = b[d].flatMap(({ low, high }) =>
            Array.from({ length: Number(high - low) + 1 }, (_, i) => low + BigInt(i))
          )
          cells = cells.flatMap((cell) => along.map((v) => [...cell, v]))
        }
        return cells.map(String)
      }
      const all = cellsOf(box)
      const first = cellsOf(firstBox(box, slowest, BigInt(limit)))
      const count = Math.min(limit, all.length)
      assert(first.length >= count)
      assertEquals(first.slice(0, count), all.slice(0, count))
      // the excess is smaller than one slice of the slowest dimension
      assert(first.length - count < Math.max(1, all.length / lengths[slowest[0]]))
    }))
  })
})
