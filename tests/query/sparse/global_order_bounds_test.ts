/**
 * Bounds that adjacent tiles imply for a tile: they never exclude selected cells, and exclude some tiles that extend over
 * two rows of space tiles.
 */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import type { MbrLevel } from "../../../schema/fragment/rtree.ts"
import { orderBounds } from "../../../src/query/sparse/global_order_bounds.ts"
import { planSparse } from "../../../src/query/sparse/tile_overlap.ts"
import type { Selection } from "../../../src/query/selection/selection.ts"
import * as build from "../../support/build_array.ts"

type Cell = readonly [x: number, y: number]
type Ranges = ReadonlyArray<readonly [number, number]> | undefined

interface Layout {
  readonly extents: readonly [number | null, number | null]
  readonly tileOrder: "row-major" | "col-major"
  readonly cellOrder: "row-major" | "col-major"
}

const SIDE = 12

const schemaOf = ({ extents, tileOrder, cellOrder }: Layout): ArraySchema =>
  build.arraySchema({
    arrayType: "sparse",
    dimensions: [
      build.dimension("x", "int16", 0, SIDE - 1, extents[0]),
      build.dimension("y", "int64", 0n, BigInt(SIDE - 1), extents[1] === null ? null : BigInt(extents[1])),
    ],
    attributes: [build.attribute("v", "int32")],
    tileOrder,
    cellOrder,
  })

/** Returns cells in global order. */
const inOrder = ({ extents, tileOrder, cellOrder }: Layout, cells: ReadonlyArray<Cell>): ReadonlyArray<Cell> => {
  const along = <A>(order: string, [x, y]: readonly [A, A]): Array<A> => order === "col-major" ? [y, x] : [x, y]
  const keysOf = ([x, y]: Cell): ReadonlyArray<number> => [
    ...along(tileOrder, [Math.floor(x / (extents[0] ?? SIDE)), Math.floor(y / (extents[1] ?? SIDE))]),
    ...along(cellOrder, [x, y]),
  ]
  return [...cells].sort((a, b) => {
    const [p, q] = [keysOf(a), keysOf(b)]
    const k = p.findIndex((key, i) => key !== q[i])
    return k < 0 ? 0 : p[k] - q[k]
  })
}

/** Splits cells into tiles, and computes their MBRs. */
const tilesOf = (cells: ReadonlyArray<Cell>, capacity: number) => {
  const tiles = Array.from(
    { length: Math.ceil(cells.length / capacity) },
    (_, t) => cells.slice(t * capacity, (t + 1) * capacity),
  )
  const bounds = (d: 0 | 1): Array<number> =>
    tiles.flatMap((tile) => {
      const coordinates = tile.map((c) => c[d])
      return [Math.min(...coordinates), Math.max(...coordinates)]
    })
  const mbrs: MbrLevel = {
    count: tiles.length,
    dimensions: [
      { kind: "fixed", values: Int16Array.from(bounds(0)) },
      { kind: "fixed", values: BigInt64Array.from(bounds(1), BigInt) },
    ],
  }
  return { tiles, mbrs }
}

const selectionOf = ({ dimensions }: ArraySchema, x: Ranges, y: Ranges): Selection => [
  { kind: "number", dimension: dimensions[0], ranges: x?.map(([low, high]) => ({ low, high })) },
  { kind: "number", dimension: dimensions[1], ranges: y?.map(([l, h]) => ({ low: BigInt(l), high: BigInt(h) })) },
]

const inside = (ranges: Ranges, v: number): boolean => ranges === undefined || ranges.some(([l, h]) => l <= v && v <= h)

describe("bounds from adjacent tiles", () => {
  const major = fc.constantFrom("row-major" as const, "col-major" as const)
  const extent = fc.constantFrom(null, 1, 3, 4, SIDE)
  const layout = fc.record({ extents: fc.tuple(extent, extent), tileOrder: major, cellOrder: major })
  const cells = fc.array(fc.tuple(fc.nat(SIDE - 1), fc.nat(SIDE - 1)), { minLength: 1, maxLength: 60 })
  const ranges = fc.option(
    fc.uniqueArray(fc.nat(SIDE - 1), { minLength: 2, maxLength: 6 }).map((bounds) => {
      bounds.sort((a, b) => a - b)
      return Array.from({ length: bounds.length >> 1 }, (_, i) => [bounds[2 * i], bounds[2 * i + 1]] as const)
    }),
    { nil: undefined },
  )

  it("never exclude a tile with selected cells", () => {
    fc.assert(
      fc.property(layout, cells, fc.integer({ min: 1, max: 9 }), ranges, ranges, (layout, all, capacity, xs, ys) => {
        const schema = schemaOf(layout)
        const { tiles, mbrs } = tilesOf(inOrder(layout, all), capacity)
        const mayMatch = orderBounds(schema, selectionOf(schema, xs, ys), mbrs)
        if (mayMatch === undefined) return
        tiles.forEach((tile, t) => {
          if (tile.some(([x, y]) => inside(xs, x) && inside(ys, y))) assert(mayMatch(t), `tile ${t}`)
        })
      }),
      { seed: 1, numRuns: 1000 },
    )
  })

  it("exclude tiles that extend from one row of space tiles to the next", () => {
    const layout = { extents: [4, 4], tileOrder: "row-major", cellOrder: "row-major" } as const
    const schema = schemaOf(layout)
    const all = Array.from({ length: SIDE * SIDE }, (_, i): Cell => [Math.floor(i / SIDE), i % SIDE])
    // three space tiles of 16 cells in a row: tile 1 contains the end of the first row and most of the second
    const { mbrs } = tilesOf(inOrder(layout, all), 40)
    const kept = (x: Ranges, y: Ranges) => {
      const selection = selectionOf(schema, x, y)
      const planned = planSparse(selection, mbrs).map(({ tile }) => tile)
      return [planned, planned.filter(orderBounds(schema, selection, mbrs)!)]
    }
    assertEquals(kept([[0, 3]], [[0, 7]]), [[0, 1], [0]])
    assertEquals(kept([[0, 3]], [[0, 8]]), [[0, 1], [0, 1]])
    assertEquals(kept([[1, 4]], [[5, 6]]), [[0, 1, 2], [0, 1, 2]])
  })

  it("are undefined for Hilbert order, for floats, and for ranges of one dimension", () => {
    const { mbrs } = tilesOf([[0, 0], [0, 5], [3, 1], [9, 9]], 1)
    const layout = { extents: [4, 4], tileOrder: "row-major", cellOrder: "row-major" } as const
    const schema = schemaOf(layout)
    const both = selectionOf(schema, [[0, 3]], [[5, 6]])
    assert(orderBounds(schema, both, mbrs) !== undefined)
    assertEquals(orderBounds({ ...schema, cellOrder: "hilbert" }, both, mbrs), undefined)
    assertEquals(orderBounds(schema, selectionOf(schema, [[0, 3]], undefined), mbrs), undefined)
    const x = build.dimension("x", "float64", 0, 11, 4)
    const floats: MbrLevel = {
      count: mbrs.count,
      dimensions: [{ kind: "fixed", values: Float64Array.of(0, 0, 0, 0, 3, 3, 9, 9) }, mbrs.dimensions[1]],
    }
    assertEquals(orderBounds({ ...schema, dimensions: [x, schema.dimensions[1]] }, both, floats), undefined)
  })

  it("exclude no tile if adjacent tiles contradict each other", () => {
    const layout = { extents: [4, 4], tileOrder: "row-major", cellOrder: "row-major" } as const
    const schema = schemaOf(layout)
    const { mbrs } = tilesOf([[9, 9], [0, 5], [0, 0]], 1)
    assert(orderBounds(schema, selectionOf(schema, [[0, 3]], [[5, 6]]), mbrs)!(1))
  })
})
