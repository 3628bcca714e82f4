/** Sorting in steps. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { sortSteps } from "../../../src/kernel/sort/sort_steps.ts"
import { finish } from "../../../src/kernel/steps.ts"

describe("sorting in steps", () => {
  it("returns the order of Array.sort, and preserves the order of equal items", () => {
    const byKey = (a: readonly [number, number], b: readonly [number, number]) => a[0] - b[0]
    for (const n of [0, 1, 2, 4095, 4096, 4097, 8192, 8193, 20_000, 40_961]) {
      for (const keyOf of [(i: number) => (i * 7919) % 101, (i: number) => i, (i: number) => -i]) {
        const list = Array.from({ length: n }, (_, i) => [keyOf(i), i] as const)
        assertEquals(finish(sortSteps(list, byKey)), list.toSorted(byKey))
      }
    }
  })
})
