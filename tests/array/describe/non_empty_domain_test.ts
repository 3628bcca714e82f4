import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { nonEmptyDomain } from "../../../src/array/describe/non_empty_domain.ts"
import type { OpenedArray } from "../../../src/array/open/open.ts"
import { readScalar, scalarBytes } from "../../../schema/array/scalar.ts"

type Bounds = readonly [low: number, high: number]

/** Returns the union of the domains of fragments, oldest first, of one float64 dimension. */
const union = (...fragments: ReadonlyArray<Bounds | undefined>): Bounds | undefined => {
  const array = {
    schema: { dimensions: [{ type: "float64", cellValNum: 1 }] },
    fragments: fragments.map((bounds) => ({
      nonEmptyDomain: bounds === undefined
        ? undefined
        : [{ low: scalarBytes("float64", bounds[0]), high: scalarBytes("float64", bounds[1]) }],
    })),
  } as unknown as OpenedArray
  const domain = nonEmptyDomain(array)
  return domain && [readScalar("float64", domain[0].low) as number, readScalar("float64", domain[0].high) as number]
}

describe("non-empty domains", () => {
  it("are the union of the domains of all fragments that have one", () => {
    assertEquals(union(), undefined)
    assertEquals(union(undefined), undefined)
    assertEquals(union([1, 5], undefined, [3, 9], [2, 4]), [1, 9])
    assertEquals(union([3, 3], [-2, -1]), [-2, 3])
  })

  it("use the newest of equal bounds, −0 or 0, as the engine does", () => {
    for (const zero of [0, -0]) {
      const [low, high] = union([-zero, 7], [zero, 1], [5, 6])!
      assertEquals([Object.is(low, zero), high], [true, 7])
      assertEquals(Object.is(union([-7, -zero], [-1, zero])![1], zero), true)
    }
  })
})
