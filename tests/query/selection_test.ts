/** Selections: the laws of merged ranges, and what is refused. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals, assertThrows } from "@std/assert"
import type { ArraySchema } from "../../schema/array_schema.ts"
import type { Dimension } from "../../schema/dimension.ts"
import type { Datatype } from "../../schema/datatype.ts"
import { type Scalar, scalarBytes } from "../../schema/scalar.ts"
import { SelectionError } from "../../src/array/errors.ts"
import { boxOverlap } from "../../src/query/plan_sparse.ts"
import { parseSelection, type RangeInput } from "../../src/query/selection.ts"
import * as build from "../array/build_array.ts"

const schemaOf = (dimension: Dimension, more: Partial<ArraySchema> = {}): ArraySchema =>
  build.arraySchema({ arrayType: "sparse", dimensions: [dimension], attributes: [], ...more })

const select = (dimension: Dimension, ranges: RangeInput | ReadonlyArray<RangeInput>, crop = false) =>
  parseSelection("mem://a", schemaOf(dimension), { x: ranges }, crop ? "crop" : "error")

const MIN = -(2n ** 63n)
const MAX = 2n ** 63n - 1n
const numbers: ReadonlyArray<readonly [Datatype, Scalar, Scalar, fc.Arbitrary<Scalar>]> = [
  ["int8", -128, 127, fc.integer({ min: -128, max: 127 })],
  ["int32", -1000, 1000, fc.integer({ min: -30, max: 30 })],
  ["int64", MIN, MAX, fc.oneof(fc.bigInt({ min: -9n, max: 9n }), fc.constantFrom(MIN, MIN + 1n, MAX - 1n, MAX))],
  ["uint64", 0n, 2n ** 64n - 1n, fc.constantFrom(0n, 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n)],
  ["float64", -100, 100, fc.constantFrom(-100, -0.5, -0, 0, 5e-324, 0.1, 99.9, 100)],
  ["datetime_us", MIN, MAX, fc.bigInt({ min: -20n, max: 20n })],
]

describe("merged ranges", () => {
  for (const [type, low, high, value] of numbers) {
    const dimension = build.dimension("x", type, low, high, null)
    const range = fc.tuple(value, value).map(([a, b]) => a <= b ? [a, b] as const : [b, a] as const)
    it(`of ${type} hold what the given ones hold, sorted and apart`, () => {
      fc.assert(
        fc.property(fc.array(range, { minLength: 1, maxLength: 6 }), fc.array(value), (ranges, probes) => {
          const [selected] = select(dimension, ranges)
          assert(selected.kind === "number" && selected.ranges !== undefined)
          for (const probe of [...probes, ...ranges.flat()]) {
            const among = (list: ReadonlyArray<readonly [Scalar, Scalar]>) =>
              list.some(([l, h]) => l <= probe && probe <= h)
            assertEquals(among(selected.ranges.map((r) => [r.low, r.high])), among(ranges))
          }
          selected.ranges.forEach((r, i) => {
            assert(r.low <= r.high)
            if (i > 0) assert(selected.ranges![i - 1].high < r.low)
          })
          // merging again changes nothing, and the order of the ranges does not matter
          assertEquals(select(dimension, selected.ranges.map((r) => [r.low, r.high] as const)), [selected])
          assertEquals(select(dimension, [...ranges].reverse())[0].ranges?.length, selected.ranges.length)
        }),
        { seed: 1 },
      )
    })
  }

  it("of strings hold what the given ones hold, with open ends", () => {
    const text = fc.constantFrom("", "a", "a\0", "aa", "ab", "b", "\x7f")
    const bound = fc.option(text, { nil: null })
    const range = fc.tuple(bound, bound).filter(([l, h]) => l === null || h === null || l <= h)
    const dimension = build.stringDimension("x")
    const decode = (bytes: Uint8Array | undefined) => bytes === undefined ? undefined : new TextDecoder().decode(bytes)
    fc.assert(
      fc.property(
        fc.array(range, { minLength: 1, maxLength: 5 }),
        fc.array(text, { minLength: 7 }),
        (ranges, probes) => {
          const [selected] = select(dimension, ranges)
          assert(selected.kind === "string" && selected.ranges !== undefined)
          const merged = selected.ranges.map((r) => [decode(r.low), decode(r.high)] as const)
          for (const probe of probes) {
            assertEquals(
              merged.some(([l, h]) => (l === undefined || l <= probe) && (h === undefined || probe <= h)),
              ranges.some(([l, h]) => (l === null || l <= probe) && (h === null || probe <= h)),
            )
          }
          merged.forEach(([l], i) => {
            if (i > 0) assert(merged[i - 1][1] !== undefined && l !== undefined && merged[i - 1][1]! < l)
          })
        },
      ),
      { seed: 2, numRuns: 200 },
    )
  })

  it("are cut at the domain where that is asked", () => {
    const dimension = build.dimension("x", "int32", 0, 9, 5)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: -5, max: 15 }), fc.nat(8)), { minLength: 1, maxLength: 4 }),
        (given) => {
          const ranges = given.map(([low, length]) => [low, low + length] as const)
          const [{ ranges: cut }] = select(dimension, ranges, true)
          const inside = Array.from({ length: 10 }, (_, x) => ranges.some(([l, h]) => l <= x && x <= h))
          const held = (cut as ReadonlyArray<{ low: number; high: number }>).map(({ low, high }) =>
            [low, high] as const
          )
          assertEquals(Array.from({ length: 10 }, (_, x) => held.some(([l, h]) => l <= x && x <= h)), inside)
          held.forEach(([l, h]) => assert(l >= 0 && h <= 9))
        },
      ),
      { seed: 3 },
    )
  })
})

describe("ranges that are refused", () => {
  const int = build.dimension("x", "int32", 0, 9, 5)
  const wrong: ReadonlyArray<readonly [string, Dimension, RangeInput, string]> = [
    ["past the domain", int, [0, 10], "outside the domain [0, 9]"],
    ["before the domain", int, -1, "outside the domain"],
    ["that end before they start", int, [5, 4], "[5, 4] is empty"],
    ["of fractions on integers", int, [0.5, 1], "not an integer"],
    ["of text on integers", int, "five", "not an integer"],
    ["past 2^53 as numbers", build.dimension("x", "int64", MIN, MAX, 1n), 2 ** 60, "2^53"],
    ["of NaN", build.dimension("x", "float64", 0, 1, null), [NaN, 1], "NaN"],
    ["of numbers on strings", build.stringDimension("x"), 5, "not a text"],
    ["of strings that end before they start", build.stringDimension("x"), ["b", "a"], "is empty"],
  ]
  for (const [what, dimension, range, reason] of wrong) {
    it(what, () => {
      const error = assertThrows(() => select(dimension, [range]), SelectionError, reason)
      assertEquals(error.field, "x")
    })
  }
  it("of no dimension", () => {
    assertThrows(() => parseSelection("mem://a", schemaOf(int), { y: 1 }, "error"), SelectionError, '"x"')
    assertThrows(() => parseSelection("mem://a", schemaOf(int), { toString: 1 }, "error"), SelectionError, '"x"')
  })
  it("outside the current domain, though inside the domain", () => {
    const currentDomain = { empty: false, ranges: build.rangesOf([int], [[2, 5]]) } as const
    const schema = schemaOf(int, { currentDomain })
    assertThrows(() => parseSelection("mem://a", schema, { x: [1, 3] }, "error"), SelectionError, "[2, 5]")
    assertEquals(parseSelection("mem://a", schema, { x: [1, 3] }, "crop")[0].ranges, [{ low: 2, high: 3 }])
    assertEquals(parseSelection("mem://a", schema, { x: [null, null] }, "error")[0].ranges, [{ low: 2, high: 5 }])
  })
})

describe("boxes and selections", () => {
  it("overlap as their cells do", () => {
    const value = fc.nat(12)
    const range = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
    const dimensions = ["x", "y"].map((name) => build.dimension(name, "uint8", 0, 12, 1))
    const schema = build.arraySchema({ arrayType: "sparse", dimensions, attributes: [] })
    const ranges = fc.option(fc.array(range, { minLength: 1, maxLength: 3 }), { nil: undefined })
    fc.assert(
      fc.property(ranges, ranges, range, range, (x, y, boxX, boxY) => {
        const given = { ...(x === undefined ? {} : { x }), ...(y === undefined ? {} : { y }) }
        const selection = parseSelection("mem://a", schema, given, "error")
        const box = [boxX, boxY].map(([l, h]) => ({ low: scalarBytes("uint8", l), high: scalarBytes("uint8", h) }))
        let inside = 0
        let cells = 0
        const holds = (list: typeof x, v: number) => list === undefined || list.some(([l, h]) => l <= v && v <= h)
        for (let a = boxX[0]; a <= boxX[1]; a++) {
          for (let b = boxY[0]; b <= boxY[1]; b++) {
            cells++
            if (holds(x, a) && holds(y, b)) inside++
          }
        }
        const overlap = boxOverlap(selection, box)
        // a box may be said to overlap in part where it does not, never the other way round
        if (inside > 0) assert(overlap !== "none")
        if (inside < cells) assert(overlap !== "whole")
        // and where one range holds all of it, it is known to
        const one = (list: typeof x, [l, h]: readonly [number, number]) =>
          list === undefined || list.some(([a, b]) => a <= l && h <= b)
        if (one(x, boxX) && one(y, boxY)) assertEquals(overlap, "whole")
      }),
      { seed: 4, numRuns: 300 },
    )
  })
})
