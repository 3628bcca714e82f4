/** Dense plans, compared with a search for every cell: its fragment, its tile, and its position in the tile. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import type { Datatype } from "../../../schema/array/datatype.ts"
import type { Fragment } from "../../../src/fragment/fragment.ts"
import { fragmentTiles } from "../../../src/fragment/dense_tiles.ts"
import { tileStart, type WholeRanges } from "../../../src/query/dense/axis_plan.ts"
import { forTileLines } from "../../../src/query/dense/cell_slabs.ts"
import { finish } from "../../../src/kernel/steps.ts"
import { globalOrderSteps } from "../../../src/query/dense/global_order.ts"
import { planDense, planSize } from "../../../src/query/dense/plan.ts"
import * as build from "../../support/build_array.ts"

type Bounds = readonly [low: bigint, high: bigint]
type Order = "row-major" | "col-major"

interface Axis {
  readonly type: Datatype
  readonly low: bigint
  readonly high: bigint
  readonly extent: bigint
  readonly ranges: ReadonlyArray<Bounds>
  readonly fragments: ReadonlyArray<Bounds>
}

const limits: ReadonlyArray<readonly [Datatype, bigint, bigint]> = [
  ["int8", -128n, 127n],
  ["uint8", 0n, 255n],
  ["int16", -32768n, 32767n],
  ["uint32", 0n, 2n ** 32n - 1n],
  ["int32", -(2n ** 31n), 2n ** 31n - 1n],
  ["int64", -(2n ** 63n), 2n ** 63n - 1n],
  ["uint64", 0n, 2n ** 64n - 1n],
  ["datetime_day", -(2n ** 63n), 2n ** 63n - 1n],
]

/** Returns sorted, disjoint ranges of a few cells from `from` on, up to `end`. */
const rangesFrom = (from: bigint, cuts: ReadonlyArray<readonly [skip: number, length: number]>, end: bigint) => {
  const out: Array<Bounds> = []
  let at = from
  for (const [skip, length] of cuts) {
    const low = at + BigInt(skip)
    const high = low + BigInt(length)
    if (high > end) break
    out.push([low, high])
    at = high + 1n
  }
  return out.length > 0 ? out : [[from, from] as const]
}

/**
 * One dimension. Ranges and fragments are inside `size` cells at the start, the end, around zero or elsewhere in the
 * type's range; if `far`, the ranges also contain the first and the last cell of the domain.
 */
const axis = (size: number, fragments: number): fc.Arbitrary<Axis> =>
  fc.record({
    limit: fc.constantFrom(...limits),
    where: fc.constantFrom("start", "end", "zero", "somewhere"),
    fraction: fc.nat(1000),
    pads: fc.tuple(fc.nat(5), fc.nat(5)),
    whole: fc.boolean(),
    far: fc.boolean(),
    extent: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(size + 20)),
    cuts: fc.array(fc.tuple(fc.nat(2), fc.nat(size)), { minLength: 1, maxLength: 3 }),
    parts: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { minLength: fragments, maxLength: fragments }),
  }).map(({ limit: [type, min, max], where, fraction, pads, whole, far, extent, cuts, parts }) => {
    const cells = BigInt(size)
    const base = where === "start"
      ? min
      : where === "end"
      ? max - cells + 1n
      : where === "zero" && min < 0n
      ? -(cells / 2n)
      : min + ((max - min - cells) * BigInt(fraction)) / 1000n
    const end = base + cells - 1n
    const low = whole || base - BigInt(pads[0]) < min ? min : base - BigInt(pads[0])
    const high = whole || end + BigInt(pads[1]) > max ? max : end + BigInt(pads[1])
    const ranges = rangesFrom(base, cuts, end)
    const fragments = parts.map(([a, b]): Bounds => [base + BigInt(Math.min(a, b)), base + BigInt(Math.max(a, b))])
    if (far) {
      if (low < ranges[0][0]) ranges.unshift([low, low])
      if (high > ranges[ranges.length - 1][1]) ranges.push([high, high])
      if (fragments.length > 1) fragments[0] = [high, high]
      if (fragments.length > 2) fragments[2] = [low, low]
    }
    return { type, low, high, extent: BigInt(extent), ranges, fragments }
  })

interface Case {
  readonly axes: ReadonlyArray<Axis>
  readonly tileOrder: Order
  readonly cellOrder: Order
  readonly layout: Order
}

const order = fc.constantFrom<Order>("row-major", "col-major")
const caseOf = (dims: number, size: number): fc.Arbitrary<Case> =>
  fc.nat(4).chain((fragments) =>
    fc.record({
      axes: fc.array(axis(size, fragments), { minLength: dims, maxLength: dims }),
      tileOrder: order,
      cellOrder: order,
      layout: order,
    })
  )

const valueOf = (type: Datatype, value: bigint): number | bigint =>
  type === "int64" || type === "uint64" || type === "datetime_day" ? value : Number(value)

const schemaOf = ({ axes, tileOrder, cellOrder }: Case): ArraySchema =>
  build.arraySchema({
    arrayType: "dense",
    tileOrder,
    cellOrder,
    attributes: [],
    dimensions: axes.map(({ type, low, high, extent }, d) =>
      build.dimension(`d${d}`, type, valueOf(type, low), valueOf(type, high), valueOf(type, extent))
    ),
  })

const fragmentsOf = (schema: ArraySchema, { axes }: Case): ReadonlyArray<Fragment> =>
  axes[0].fragments.map((_, f) =>
    ({
      dense: true,
      nonEmptyDomain: build.rangesOf(
        schema.dimensions,
        axes.map(({ type, fragments }) => [valueOf(type, fragments[f][0]), valueOf(type, fragments[f][1])] as const),
      ),
    }) as unknown as Fragment
  )

const wholeOf = ({ axes }: Case): ReadonlyArray<WholeRanges> =>
  axes.map(({ ranges }) => ranges.map(([low, high]) => ({ low, high })))

/** Returns the number of a position in a box. */
const numberIn = (place: ReadonlyArray<bigint>, box: ReadonlyArray<bigint>, order: Order): bigint => {
  const dims = place.map((_, d) => d)
  if (order === "col-major") dims.reverse()
  return dims.reduce((n, d) => n * box[d] + place[d], 0n)
}

/** Returns every selected coordinate in the order of the result. */
const coordinatesOf = ({ axes, layout }: Case): Array<Array<bigint>> => {
  let out: Array<Array<bigint>> = [[]]
  const dims = axes.map((_, d) => d)
  if (layout === "col-major") dims.reverse()
  for (const d of dims) {
    const along = axes[d].ranges.flatMap(([low, high]) =>
      Array.from({ length: Number(high - low) + 1 }, (_, i) => low + BigInt(i))
    )
    out = out.flatMap((c) => along.map((x) => [...c, x]))
  }
  return layout === "col-major" ? out.map((c) => c.reverse()) : out
}

/** Returns the fragment, tile and position of a cell. */
const placeOf = ({ axes, tileOrder, cellOrder }: Case, fragment: number, cell: ReadonlyArray<bigint>) => {
  const tileOf = (d: number, x: bigint) => (x - axes[d].low) / axes[d].extent
  const first = axes.map(({ fragments }, d) => tileOf(d, fragments[fragment][0]))
  const counts = axes.map(({ fragments }, d) => tileOf(d, fragments[fragment][1]) - first[d] + 1n)
  const tile = numberIn(cell.map((x, d) => tileOf(d, x) - first[d]), counts, tileOrder)
  const position = numberIn(
    cell.map((x, d) => (x - axes[d].low) % axes[d].extent),
    axes.map((a) => a.extent),
    cellOrder,
  )
  return `${fragment}/${tile}/${position}`
}

const check = (it: Case): void => {
  const schema = schemaOf(it)
  const fragments = fragmentsOf(schema, it)
  const ranges = wholeOf(it)
  const plan = planDense(schema, fragments, ranges, it.layout)
  const coordinates = coordinatesOf(it)
  assertEquals(plan.cells, coordinates.length)
  assertEquals(planSize(schema, ranges), {
    tiles: plan.axes.reduce((n, a) => n * BigInt(a.tiles.length), 1n),
    segments: plan.axes.reduce((n, a) => n + BigInt(a.low.length), 0n),
  })
  plan.axes.forEach((a, d) => {
    // the selected coordinates along the axis, cell by cell
    const along = new Array<bigint>(a.length)
    a.tiles.forEach((tile, t) => {
      for (let s = a.firstSegment[t]; s < a.firstSegment[t + 1]; s++) {
        for (let i = 0; i < a.count[s]; i++) along[a.out[s] + i] = tileStart(a.axis, tile) + BigInt(a.low[s] + i)
      }
    })
    assertEquals(
      along,
      ranges[d].flatMap(({ low, high }) => {
        const out: Array<bigint> = []
        for (let x = low; x <= high; x++) out.push(x)
        return out
      }),
    )
  })

  const expected = coordinates.map((cell) => {
    for (let f = fragments.length - 1; f >= 0; f--) {
      if (it.axes.every(({ fragments }, d) => fragments[f][0] <= cell[d] && cell[d] <= fragments[f][1])) {
        return placeOf(it, f, cell)
      }
    }
    return "fill"
  })
  const actual = new Array<string>(plan.cells).fill("fill")
  const used = new Set<number>()
  let last = -1
  for (const step of plan.steps) {
    assert(step.kind === "dense")
    assert(step.fragment > last, "steps go from the oldest fragment to the newest")
    last = step.fragment
    for (let k = 0; k < step.tileCount; k++) {
      used.add(step.firstTile + k)
      const { fragment, tile } = plan.tiles[step.firstTile + k]
      assertEquals(fragment, step.fragment)
      let cells = 0
      forTileLines(plan, step, k, (source, target, length, sourceStride, targetStride) => {
        cells += length
        for (let i = 0; i < length; i++) {
          actual[target + i * targetStride] = `${fragment}/${tile}/${source + i * sourceStride}`
        }
      })
      assertEquals(cells, step.cells[k])
      assert(cells > 0, "no cell of a planned tile is copied")
    }
  }
  assertEquals(actual, expected)
  assertEquals(used.size, plan.tiles.length, "a planned tile is unused")
  if (plan.covered) assert(!expected.includes("fill"))
  plan.tiles.forEach(({ fragment, tile }, i) => {
    const before = plan.tiles[i - 1]
    assert(before === undefined || before.fragment < fragment || before.tile < tile, "tiles ascend")
    assert(tile < fragmentTiles(schema, fragments[fragment].nonEmptyDomain!), "the fragment has no such tile")
  })
}

describe("dense plans", () => {
  for (
    const [dims, size, runs] of [[1, 14, 300], [2, 9, 600], [3, 5, 300], [4, 3, 150], [5, 3, 40], [7, 2, 30]] as const
  ) {
    it(`of ${dims} dimensions copy every cell from its fragment, tile and position`, () => {
      fc.assert(fc.property(caseOf(dims, size), check), { seed: dims, numRuns: runs })
    })
  }
  it("of 16 dimensions copy every cell from its fragment, tile and position", () => {
    // one cell along most dimensions, up to two along three of them
    const one = fc.nat(3).chain((fragments) =>
      fc.record({
        axes: fc.tuple(
          fc.array(axis(2, fragments), { minLength: 3, maxLength: 3 }),
          fc.array(axis(1, fragments), { minLength: 13, maxLength: 13 }),
        ).map(([a, b]) => [...b.slice(0, 5), ...a, ...b.slice(5)]),
        tileOrder: order,
        cellOrder: order,
        layout: order,
      })
    )
    fc.assert(
      fc.property(one, (it) => {
        // tiles of several cells along each of 16 dimensions would exceed the size limit
        check({ ...it, axes: it.axes.map((a) => ({ ...a, extent: a.extent > 2n ? 2n : a.extent })) })
      }),
      { seed: 16, numRuns: 40 },
    )
  })

  it("of empty selections are empty", () => {
    const it: Case = {
      axes: [{ type: "int32", low: 0n, high: 9n, extent: 5n, ranges: [], fragments: [[0n, 9n]] }],
      tileOrder: "row-major",
      cellOrder: "row-major",
      layout: "row-major",
    }
    const schema = schemaOf(it)
    const plan = planDense(schema, fragmentsOf(schema, it), [[]], "row-major")
    assertEquals([plan.cells, plan.tiles.length, plan.steps.length], [0, 0, 0])
  })
})

describe("the global order of a result", () => {
  for (const [dims, size] of [[1, 14], [2, 9], [3, 5]] as const) {
    it(`of ${dims} dimensions sorts by tile, then by cell`, () => {
      fc.assert(
        fc.property(caseOf(dims, size), (input) => {
          const it: Case = { ...input, layout: "row-major" }
          const schema = schemaOf(it)
          const plan = planDense(schema, [], wholeOf(it), "row-major")
          const dimsOf = (order: Order) => {
            const all = it.axes.map((_, d) => d)
            return order === "col-major" ? all.reverse() : all
          }
          const keys = coordinatesOf(it).map((cell) => [
            ...dimsOf(it.tileOrder).map((d) => (cell[d] - it.axes[d].low) / it.axes[d].extent),
            ...dimsOf(it.cellOrder).map((d) => cell[d]),
          ])
          const expected = keys.map((_, i) => i).sort((a, b) => {
            const k = keys[a].findIndex((v, i) => v !== keys[b][i])
            return k < 0 ? a - b : keys[a][k] < keys[b][k] ? -1 : 1
          })
          assertEquals([...finish(globalOrderSteps(schema, plan))], expected)
        }),
        { seed: 20 + dims },
      )
    })
  }
})
