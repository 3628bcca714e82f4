/**
 * Dense plans: the tiles of each fragment that a selection needs, and the positions of their cells in the result. A
 * plan is a pure value with one entry per tile; the boxes inside a tile are computed when the tile is copied.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import { axisOf, tileOf } from "../../fragment/dense_tiles.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import {
  type AxisClip,
  type AxisPlan,
  boundsIn,
  cellsBetween,
  clipAxis,
  countsOf,
  planAxis,
  wholeIn,
  type WholeRanges,
} from "./axis_plan.ts"
import type { TileRef } from "../column/gather.ts"
import type { Selection } from "../selection/selection.ts"

/** The copies from one dense fragment. */
export interface DenseStep {
  readonly kind: "dense"
  readonly fragment: number
  /** The part of the selection inside the fragment's domain, by dimension. */
  readonly clip: ReadonlyArray<AxisClip>
  /** Index of the step's first tile in the plan; its tiles are consecutive. */
  readonly firstTile: number
  readonly tileCount: number
  /** Index of each tile in the axis plans, by tile and dimension. */
  readonly along: Uint32Array
  /** Number of selected cells in each tile. */
  readonly cells: Float64Array
}

/** The plan of a dense read. */
export interface DensePlan {
  readonly axes: ReadonlyArray<AxisPlan>
  readonly shape: ReadonlyArray<number>
  readonly cells: number
  /** Distances between neighbouring cells along each dimension, in a tile and in the result. */
  readonly sourceStrides: ReadonlyArray<number>
  readonly targetStrides: ReadonlyArray<number>
  /** Tiles to read, grouped by fragment, oldest fragment first. */
  readonly tiles: ReadonlyArray<TileRef>
  /** Copies in order; later ones overwrite earlier ones. The cells of sparse fragments are copied one by one. */
  readonly steps: ReadonlyArray<DenseStep | { readonly kind: "sparse"; readonly fragment: number }>
  /** True if the copies write every cell of the result, so that no fill value is needed. */
  readonly covered: boolean
}

/** Returns the ranges of a selection as whole numbers; `whole` returns those of a dimension that is selected whole. */
export const wholeRanges = (selection: Selection, whole: (d: number) => WholeRanges): ReadonlyArray<WholeRanges> =>
  selection.map((s, d) =>
    s.kind === "number" && s.ranges !== undefined
      ? s.ranges.map((r) => ({ low: BigInt(r.low), high: BigInt(r.high) }))
      : whole(d)
  )

/** Returns the numbers of space tiles and segments, which determine the size of a plan. */
export const planSize = (
  schema: ArraySchema,
  ranges: ReadonlyArray<WholeRanges>,
): { readonly tiles: bigint; readonly segments: bigint } => {
  const counts = schema.dimensions.map((d, i) => countsOf(axisOf(d), ranges[i]))
  return {
    tiles: counts.reduce((n, c) => n * c.tiles, 1n),
    segments: counts.reduce((n, c) => n + c.segments, 0n),
  }
}

/** Returns the distance between neighbouring cells along each dimension of a box. */
export const strides = (extents: ReadonlyArray<number>, order: "row-major" | "col-major"): ReadonlyArray<number> => {
  const out = new Array<number>(extents.length)
  let step = 1
  const each = (d: number) => {
    out[d] = step
    step *= extents[d]
  }
  if (order === "row-major") { for (let d = extents.length - 1; d >= 0; d--) each(d) }
  else for (let d = 0; d < extents.length; d++) each(d)
  return out
}

/** The part of the selection that a fragment may contain. */
interface Placed {
  readonly fragment: number
  readonly dense: boolean
  readonly clip: ReadonlyArray<AxisClip>
  /** Maps a tile number of the axis plan to the fragment's own, by dimension. */
  readonly numbers: (d: number, t: number) => number
  readonly tileStrides: ReadonlyArray<number>
  readonly tiles: Array<number>
  readonly along: Array<number>
  readonly cells: Array<number>
}

const place = (
  fragment: Fragment,
  number: number,
  schema: ArraySchema,
  axes: ReadonlyArray<AxisPlan>,
): Placed | undefined => {
  const domain = fragment.nonEmptyDomain
  if (domain === undefined) return undefined
  const clip: Array<AxisClip> = []
  const first: Array<bigint> = []
  const counts: Array<number> = []
  for (let d = 0; d < axes.length; d++) {
    const { type } = schema.dimensions[d]
    const from = BigInt(readScalar(type, domain[d].low))
    const to = BigInt(readScalar(type, domain[d].high))
    const axisClip = clipAxis(axes[d], from, to)
    if (axisClip === undefined) return undefined
    clip.push(axisClip)
    first.push(tileOf(axes[d].axis, from))
    counts.push(Number(tileOf(axes[d].axis, to) - first[d]) + 1)
  }
  return {
    fragment: number,
    dense: fragment.dense,
    clip,
    numbers: (d, t) => Number(axes[d].tiles[t] - first[d]),
    tileStrides: strides(counts, schema.tileOrder === "col-major" ? "col-major" : "row-major"),
    tiles: [],
    along: [],
    cells: [],
  }
}

/** Plans a dense read; `layout` is the cell layout of the result. */
export const planDense = (
  schema: ArraySchema,
  fragments: ReadonlyArray<Fragment>,
  ranges: ReadonlyArray<WholeRanges>,
  layout: "row-major" | "col-major",
): DensePlan => {
  const axes = schema.dimensions.map((d, i) => planAxis(axisOf(d), ranges[i]))
  const shape = axes.map((a) => a.length)
  const cells = shape.reduce((n, s) => n * s, 1)
  const extents = axes.map((a) => Number(a.axis.extent))
  const base = {
    axes,
    shape,
    cells,
    sourceStrides: strides(extents, schema.cellOrder === "col-major" ? "col-major" : "row-major"),
    targetStrides: strides(shape, layout),
  }
  if (cells === 0) return { ...base, tiles: [], steps: [], covered: true }
  // newest first, until one covers the tile
  const placed = fragments.map((f, i) => place(f, i, schema, axes)).filter((p) => p !== undefined).reverse()
  const covered = planTiles(axes, placed.filter((p) => p.dense))
  const tiles: Array<TileRef> = []
  const steps: Array<DensePlan["steps"][number]> = []
  for (const p of placed.reverse()) {
    if (!p.dense) steps.push({ kind: "sparse", fragment: p.fragment })
    else if (p.tiles.length > 0) steps.push(stepOf(p, axes.length, tiles))
  }
  return { ...base, tiles, steps, covered }
}

/** Visits the tiles and records which fragments each tile needs. Returns whether all selected cells were written. */
const planTiles = (axes: ReadonlyArray<AxisPlan>, placed: ReadonlyArray<Placed>): boolean => {
  const dims = axes.length
  const at = new Array<number>(dims).fill(0)
  let covered = true
  for (;;) {
    let whole = false
    for (let k = 0; k < placed.length && !whole; k++) {
      const { clip } = placed[k]
      let d = 0
      while (d < dims && at[d] >= clip[d].first && at[d] <= clip[d].last) d++
      if (d < dims) continue
      whole = addTile(axes, placed[k], at)
    }
    if (!whole) covered = false
    let d = dims - 1
    for (; d >= 0; d--) {
      if (++at[d] < axes[d].tiles.length) break
      at[d] = 0
    }
    if (d < 0) return covered
  }
}

/**
 * Adds a space tile to a fragment's part. Returns whether the fragment contains all selected cells of the space tile.
 */
const addTile = (axes: ReadonlyArray<AxisPlan>, p: Placed, at: ReadonlyArray<number>): boolean => {
  let whole = true
  let tile = 0
  let cells = 1
  for (let d = 0; d < at.length; d++) {
    const [low, high] = boundsIn(axes[d], p.clip[d], at[d])
    const size = cellsBetween(axes[d], at[d], low, high)
    if (size === 0) return false
    cells *= size
    if (!wholeIn(p.clip[d], at[d])) whole = false
    tile += p.numbers(d, at[d]) * p.tileStrides[d]
  }
  p.tiles.push(tile)
  p.along.push(...at)
  p.cells.push(cells)
  return whole
}

const stepOf = (p: Placed, dims: number, tiles: Array<TileRef>): DenseStep => {
  const order = Uint32Array.from(p.tiles.keys())
  order.sort((a, b) => p.tiles[a] - p.tiles[b])
  const firstTile = tiles.length
  const along = new Uint32Array(order.length * dims)
  for (let k = 0; k < order.length; k++) {
    tiles.push({ fragment: p.fragment, tile: p.tiles[order[k]] })
    for (let d = 0; d < dims; d++) along[k * dims + d] = p.along[order[k] * dims + d]
  }
  return {
    kind: "dense",
    fragment: p.fragment,
    clip: p.clip,
    firstTile,
    tileCount: order.length,
    along,
    cells: Float64Array.from(order, (k) => p.cells[k]),
  }
}
