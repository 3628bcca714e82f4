/** The overlap of boxes with selections of many ranges, compared with a test of each range. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import type { MbrLevel } from "../../../schema/fragment/rtree.ts"
import { scalarBytes } from "../../../schema/array/scalar.ts"
import { boxOverlap, planSparse } from "../../../src/query/sparse/tile_overlap.ts"
import type { Selection } from "../../../src/query/selection/selection.ts"
import * as build from "../../support/build_array.ts"

/** Returns the overlap of `[low, high]` with ascending, disjoint ranges; open ends are ±Infinity. */
const naive = (ranges: ReadonlyArray<readonly [number, number]>, low: number, high: number): string =>
  ranges.some(([l, h]) => l <= low && high <= h)
    ? "whole"
    : ranges.some(([l, h]) => l <= high && low <= h)
    ? "some"
    : "none"

const ascending = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 14 }).map((b) => {
  b.sort((x, y) => x - y)
  return Array.from({ length: b.length >> 1 }, (_, i): [number, number] => [b[2 * i], b[2 * i + 1]])
})
const box = fc.tuple(fc.nat(40), fc.nat(40)).map(([a, b]) => a < b ? [a, b] as const : [b, a] as const)

describe("a box", () => {
  it("of numbers has the overlap that a test of each range returns", () => {
    const dimension = build.dimension("x", "int16", 0, 40, null)
    fc.assert(
      fc.property(ascending, box, (ranges, [low, high]) => {
        const selection: Selection = [
          { kind: "number", dimension, ranges: ranges.map(([l, h]) => ({ low: l, high: h })) },
        ]
        const bytes = (v: number) => scalarBytes("int16", v)
        assertEquals(boxOverlap(selection, [{ low: bytes(low), high: bytes(high) }]), naive(ranges, low, high))
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  it("of strings has the overlap that a test of each range returns, with open ends", () => {
    const dimension = build.stringDimension("x")
    const text = (v: number) => Uint8Array.of(97 + (v >> 3), ...new Array<number>(v & 7).fill(98))
    fc.assert(
      fc.property(ascending, box, fc.boolean(), fc.boolean(), (ranges, [low, high], start, end) => {
        if (start && ranges.length > 0) ranges[0][0] = -Infinity
        if (end && ranges.length > 0) ranges[ranges.length - 1][1] = Infinity
        const bound = (v: number) => Number.isFinite(v) ? text(v) : undefined
        const selection: Selection = [
          { kind: "string", dimension, ranges: ranges.map(([l, h]) => ({ low: bound(l), high: bound(h) })) },
        ]
        assertEquals(boxOverlap(selection, [{ low: text(low), high: text(high) }]), naive(ranges, low, high))
      }),
      { seed: 2, numRuns: 500 },
    )
  })
})

describe("the overlap of many boxes", () => {
  it("equals the overlap of each box", () => {
    const x = build.dimension("x", "int64", -50n, 50n, null)
    const y = build.dimension("y", "float32", -50, 50, null)
    const z = build.stringDimension("z")
    const text = (v: number) => Uint8Array.of(97 + (v >> 3), ...new Array<number>(v & 7).fill(98))
    const ranges = fc.option(ascending, { nil: undefined })
    const boxes = fc.array(fc.tuple(box, box, box), { maxLength: 12 })
    fc.assert(
      fc.property(ranges, ranges, ranges, boxes, fc.boolean(), (xs, ys, zs, boxes, open) => {
        const selection: Selection = [
          {
            kind: "number",
            dimension: x,
            ranges: xs?.map(([l, h]) => ({ low: BigInt(l - 20), high: BigInt(h - 20) })),
          },
          { kind: "number", dimension: y, ranges: ys?.map(([l, h]) => ({ low: l - 20, high: h - 20 })) },
          {
            kind: "string",
            dimension: z,
            ranges: zs?.map(([l, h], r) => ({
              low: text(l),
              high: open && r === zs.length - 1 ? undefined : text(h),
            })),
          },
        ]
        const texts = boxes.flatMap((b) => b[2].map(text))
        const offsets = new Uint32Array(texts.length + 1)
        texts.forEach((t, i) => offsets[i + 1] = offsets[i] + t.length)
        const mbrs: MbrLevel = {
          count: boxes.length,
          dimensions: [
            { kind: "fixed", values: BigInt64Array.from(boxes.flatMap((b) => b[0].map((v) => BigInt(v - 20)))) },
            { kind: "fixed", values: Float32Array.from(boxes.flatMap((b) => b[1].map((v) => v - 20))) },
            { kind: "var", bytes: build.join(...texts), offsets },
          ],
        }
        const overlaps = boxes.map(([a, b, c]) =>
          boxOverlap(selection, [
            { low: scalarBytes("int64", BigInt(a[0] - 20)), high: scalarBytes("int64", BigInt(a[1] - 20)) },
            { low: scalarBytes("float32", b[0] - 20), high: scalarBytes("float32", b[1] - 20) },
            { low: text(c[0]), high: text(c[1]) },
          ])
        )
        assertEquals(
          planSparse(selection, mbrs),
          overlaps.flatMap((o, tile) => o === "none" ? [] : [{ tile, whole: o === "whole" }]),
        )
      }),
      { seed: 3, numRuns: 500 },
    )
  })
})

describe("the overlap with many points", () => {
  it("requires one search for each tile", () => {
    const dimension = build.dimension("x", "int32", 0, 2 ** 31 - 1, null)
    const points = Array.from({ length: 200_000 }, (_, i) => ({ low: 1000 * i, high: 1000 * i }))
    const tiles = 20_000
    const mbrs: MbrLevel = {
      count: tiles,
      // every other tile is between two points
      dimensions: [{ kind: "fixed", values: Int32Array.from({ length: 2 * tiles }, (_, k) => 500 * (k >> 1) + k % 2) }],
    }
    const start = performance.now()
    const plan = planSparse([{ kind: "number", dimension, ranges: points }], mbrs)
    // testing every point for every tile would take 4 · 10^9 tests
    assert(performance.now() - start < 10_000)
    assertEquals(plan, Array.from({ length: tiles / 2 }, (_, i) => ({ tile: 2 * i, whole: false })))
  })
})
