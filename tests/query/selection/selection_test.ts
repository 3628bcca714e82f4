/** Selections: laws of merged ranges, and rejected input. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals, assertThrows } from "@std/assert"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import { arrayOf, type Datatype } from "../../../schema/array/datatype.ts"
import { type Scalar, scalarBytes } from "../../../schema/array/scalar.ts"
import { SelectionError } from "../../../src/array/open/errors.ts"
import { boxOverlap } from "../../../src/query/sparse/tile_overlap.ts"
import { parseSelection, type RangeInput, type RegionInput } from "../../../src/query/selection/selection.ts"
import * as build from "../../support/build_array.ts"

const schemaOf = (dimension: Dimension, more: Partial<ArraySchema> = {}): ArraySchema =>
  build.arraySchema({ arrayType: "sparse", dimensions: [dimension], attributes: [], ...more })

const select = (dimension: Dimension, ranges: RangeInput, crop = false) =>
  parseSelection("mem://a", schemaOf(dimension), { x: ranges }, crop ? "clip" : "error")

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
    it(`of ${type} contain the same values as the input ranges, sorted and disjoint`, () => {
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
          // merging is idempotent and independent of the order of the ranges
          assertEquals(select(dimension, selected.ranges.map((r) => [r.low, r.high] as const)), [selected])
          assertEquals(select(dimension, [...ranges].reverse())[0].ranges?.length, selected.ranges.length)
        }),
        { seed: 1 },
      )
    })
  }

  it("of strings contain the same values as the input ranges, with open ends", () => {
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

  it("are clipped to the domain on request", () => {
    const dimension = build.dimension("x", "int32", 0, 9, 5)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: -5, max: 15 }), fc.nat(8)), { minLength: 1, maxLength: 4 }),
        (inputs) => {
          const ranges = inputs.map(([low, length]) => [low, low + length] as const)
          const [{ ranges: cut }] = select(dimension, ranges, true)
          const inside = Array.from({ length: 10 }, (_, x) => ranges.some(([l, h]) => l <= x && x <= h))
          const clipped = (cut as ReadonlyArray<{ low: number; high: number }>).map(({ low, high }) =>
            [low, high] as const
          )
          assertEquals(Array.from({ length: 10 }, (_, x) => clipped.some(([l, h]) => l <= x && x <= h)), inside)
          clipped.forEach(([l, h]) => assert(l >= 0 && h <= 9))
        },
      ),
      { seed: 3 },
    )
  })
})

describe("points", () => {
  for (const [type, low, high, value] of numbers) {
    const dimension = build.dimension("x", type, low, high, null)
    it(`of ${type} select the same cells as ranges of one value, for any kind of iterable`, () => {
      fc.assert(
        fc.property(fc.array(value, { minLength: 1, maxLength: 8 }), fc.array(value), (points, probes) => {
          const [byPoints] = select(dimension, { points })
          const [byPairs] = select(dimension, points.map((p) => [p, p] as const))
          assert(byPoints.kind === "number" && byPairs.kind === "number")
          const holds = (ranges: typeof byPoints.ranges, v: Scalar) => ranges!.some((r) => r.low <= v && v <= r.high)
          for (const probe of [...points, ...probes]) {
            assertEquals(holds(byPoints.ranges, probe), holds(byPairs.ranges, probe))
          }
          byPoints.ranges!.forEach((r, i) =>
            assert(r.low <= r.high && (i === 0 || byPoints.ranges![i - 1].high < r.low))
          )
          const typed = arrayOf(type) as unknown as { from(values: ReadonlyArray<Scalar>): Int32Array }
          assertEquals(select(dimension, { points: typed.from(points) }), [byPoints])
          assertEquals(select(dimension, { points: points.values() }), [byPoints])
        }),
        { seed: 5 },
      )
    })
  }

  const int = build.dimension("x", "int32", -9, 9, 5)
  it("that are adjacent become one range", () => {
    assertEquals(select(int, { points: [3, -1, 4, 5, -1, 7] })[0].ranges, [
      { low: -1, high: -1 },
      { low: 3, high: 5 },
      { low: 7, high: 7 },
    ])
  })
  it("may be empty and then select no cells", () => {
    assertEquals(select(int, { points: [] })[0].ranges, [])
    assertEquals(select(int, [])[0].ranges, [])
  })
  it("of another number type are converted one by one", () => {
    const long = build.dimension("x", "int64", MIN, MAX, null)
    assertEquals(select(long, { points: Int32Array.of(2, -7) })[0].ranges, [{ low: -7n, high: -7n }, {
      low: 2n,
      high: 2n,
    }])
    assertEquals(select(int, { points: Float64Array.of(2) })[0].ranges, [{ low: 2, high: 2 }])
    assertThrows(() => select(int, { points: Float64Array.of(2.5) }), SelectionError, "not an integer")
  })
  it("of dates may be texts and Dates", () => {
    const day = build.dimension("x", "datetime_day", MIN + 1n, MAX, null)
    assertEquals(select(day, { points: ["1970-01-03", new Date(0), 9n] })[0].ranges, [
      { low: 0n, high: 0n },
      { low: 2n, high: 2n },
      { low: 9n, high: 9n },
    ])
  })
  it("of strings are sorted by their bytes, each once", () => {
    const dimension = { ...build.stringDimension("x"), type: "string_utf8" as const }
    const [selected] = select(dimension, { points: ["b", "😀", "a", "\uffff", "", "b"] })
    assert(selected.kind === "string")
    assertEquals(selected.ranges!.map((r) => new TextDecoder().decode(r.low)), ["", "a", "b", "\uffff", "😀"])
    selected.ranges!.forEach((r) => assertEquals(r.low, r.high))
  })
  it("outside the domain are rejected, or dropped by clipping", () => {
    assertThrows(() => select(int, { points: [0, 10] }), SelectionError, "the point 10 is outside the domain [-9, 9]")
    assertThrows(() => select(int, { points: [0, -10] }), SelectionError, "the point -10 is outside")
    assertEquals(select(int, { points: [0, 10, -10] }, true)[0].ranges, [{ low: 0, high: 0 }])
    assertEquals(select(int, { points: [10] }, true)[0].ranges, [])
  })
  it("are parsed quickly, a hundred thousand at once", () => {
    const long = build.dimension("x", "int64", MIN, MAX, null)
    const points = BigInt64Array.from({ length: 100_000 }, (_, i) => BigInt((i * 7919) % 1_000_003) * 3n)
    const from = performance.now()
    assertEquals(select(long, { points })[0].ranges!.length, 100_000)
    const texts = Array.from(points, (p) => `cell-${p}`)
    assertEquals(select(build.stringDimension("x"), { points: texts })[0].ranges!.length, 100_000)
    // takes a quarter of a second on an idle machine
    assert(performance.now() - from < 5000)
  })
})

describe("lists of ranges", () => {
  const int = build.dimension("x", "int32", 0, 9, 5)
  it("are one range for two values, and several ranges for pairs and points", () => {
    assertEquals(select(int, [3, 7])[0].ranges, [{ low: 3, high: 7 }])
    assertEquals(select(int, [[1, 5], [8, 9]])[0].ranges, [{ low: 1, high: 5 }, { low: 8, high: 9 }])
    assertEquals(select(int, [[1, 2], 4])[0].ranges, [{ low: 1, high: 2 }, { low: 4, high: 4 }])
    const pointFirst: ReadonlyArray<unknown> = [4, [1, 2]]
    assertEquals(select(int, pointFirst as RangeInput)[0].ranges, [{ low: 1, high: 2 }, { low: 4, high: 4 }])
  })
})

describe("rejected ranges", () => {
  const int = build.dimension("x", "int32", 0, 9, 5)
  const wrong: ReadonlyArray<readonly [string, Dimension, RangeInput, string]> = [
    ["after the domain", int, [0, 10], "outside the domain [0, 9]"],
    ["before the domain", int, -1, "outside the domain"],
    ["that end before they start", int, [5, 4], "[5, 4] is empty"],
    ["of fractions on integers", int, [0.5, 1], "not an integer"],
    ["of text on integers", int, "five", "not an integer"],
    ["above 2^53 as numbers", build.dimension("x", "int64", MIN, MAX, 1n), 2 ** 60, "2^53"],
    ["of NaN", build.dimension("x", "float64", 0, 1, null), [NaN, 1], "NaN"],
    ["of numbers on strings", build.stringDimension("x"), 5, "not a text"],
    ["of strings that end before they start", build.stringDimension("x"), ["b", "a"], "is empty"],
  ]
  const any = (input: unknown) => input as RangeInput
  const shapes: typeof wrong = [
    ["of one value in a list", int, any([3]), "a list of 1 value is not a range; write { points: […] }"],
    ["of three values in a list", int, any([3, 7, 9]), "a list of 3 values is not a range; write { points: […] }"],
    ["of three values in a list of texts", build.stringDimension("x"), any(["a", "b", "c"]), "{ points: […] }"],
    ["of pairs with three values", int, any([[1, 2, 3]]), "a range is a pair [low, high]; here are 3 values"],
    ["of ranges in ranges", int, any([[1, [2, 3]]]), "a list is not a bound of a range"],
    ["of null as a point", int, any(null), "null is not a point"],
    ["of null among ranges", int, any([[1, 2], null]), "null is not a point"],
    ["of half a range", int, any([1, undefined]), "undefined is not a value"],
    ["of a typed array", int, any(Int32Array.of(1, 2)), "an object is not a value; write a value, [low, high]"],
    ["of an object", int, any({ low: 1n, high: 2n }), "an object is not a value"],
    ["of points that are not a list", int, any({ points: 3 }), "points is a list of values"],
    ["of points that are a text", build.stringDimension("x"), any({ points: "abc" }), "points is a list of values"],
    ["of points that are ranges", int, any({ points: [[1, 2]] }), "a list is not a bound of a range"],
    ["of points of NaN", build.dimension("x", "float64", 0, 1, null), { points: [0, NaN] }, "NaN"],
    ["of points of NaN, typed", build.dimension("x", "float32", 0, 1, null), { points: Float32Array.of(NaN) }, "NaN"],
  ]
  for (const [label, dimension, range, reason] of [...wrong, ...shapes]) {
    it(label, () => {
      const error = assertThrows(() => select(dimension, range), SelectionError, reason)
      assertEquals(error.field, "x")
    })
  }
  it("without dimension names", () => {
    for (const region of [[1, 5], "x", null, 3]) {
      assertThrows(
        () => parseSelection("mem://a", schemaOf(int), region as unknown as RegionInput, "error"),
        SelectionError,
        "{ x: [1, 5] }",
      )
    }
  })
  it("of unknown dimensions", () => {
    assertThrows(() => parseSelection("mem://a", schemaOf(int), { y: 1 }, "error"), SelectionError, '"x"')
    assertThrows(() => parseSelection("mem://a", schemaOf(int), { toString: 1 }, "error"), SelectionError, '"x"')
  })
  it("outside the current domain but inside the domain", () => {
    const currentDomain = { empty: false, ranges: build.rangesOf([int], [[2, 5]]) } as const
    const schema = schemaOf(int, { currentDomain })
    const where = "outside the current domain [2, 5] (within the domain [0, 9]) of this int32 dimension"
    for (const [range, label] of [[[1, 3], "range [1, 3]"], [{ points: [3, 6] }, "point 6"]] as const) {
      assertThrows(
        () => parseSelection("mem://a", schema, { x: range }, "error"),
        SelectionError,
        `${label} is ${where}`,
      )
    }
    assertEquals(parseSelection("mem://a", schema, { x: [1, 3] }, "clip")[0].ranges, [{ low: 2, high: 3 }])
    assertEquals(parseSelection("mem://a", schema, { x: [null, null] }, "error")[0].ranges, [{ low: 2, high: 5 }])
  })
})

describe("boxes and selections", () => {
  it("overlap if their cells overlap", () => {
    const value = fc.nat(12)
    const range = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
    const dimensions = ["x", "y"].map((name) => build.dimension(name, "uint8", 0, 12, 1))
    const schema = build.arraySchema({ arrayType: "sparse", dimensions, attributes: [] })
    const ranges = fc.option(fc.array(range, { minLength: 1, maxLength: 3 }), { nil: undefined })
    fc.assert(
      fc.property(ranges, ranges, range, range, (x, y, boxX, boxY) => {
        const region = { ...(x === undefined ? {} : { x }), ...(y === undefined ? {} : { y }) }
        const selection = parseSelection("mem://a", schema, region, "error")
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
        // the overlap may be "some" for a box without selected cells, but never "none" for a box with selected cells
        if (inside > 0) assert(overlap !== "none")
        if (inside < cells) assert(overlap !== "whole")
        // if a single range contains the box in each dimension, the overlap is "whole"
        const one = (list: typeof x, [l, h]: readonly [number, number]) =>
          list === undefined || list.some(([a, b]) => a <= l && h <= b)
        if (one(x, boxX) && one(y, boxY)) assertEquals(overlap, "whole")
      }),
      { seed: 4, numRuns: 300 },
    )
  })
})
