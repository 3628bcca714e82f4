/**
 * Dense plans: which tiles of which fragments a selection needs, and which box of each goes where. Pure values.
 */
import type { ArraySchema } from "../../schema/array_schema.ts"
import type { Fragment } from "../fragment/fragment.ts"
import { type Axis, axisOf, tileOf } from "../fragment/dense_tiles.ts"
import { readScalar } from "../../schema/scalar.ts"
import type { BoxCopy } from "../kernel/strided_copy.ts"
import type { TileRef } from "./gather.ts"
import type { Selection } from "./selection.ts"

/** A selection of whole numbers along one dimension, cut at the bounds of space tiles. */
export interface AxisPlan {
  readonly axis: Axis
  /** Cells selected along this dimension. */
  readonly length: number
  /** The coordinate from which the plan counts: the start of the first tile that is selected. */
  readonly origin: bigint
  readonly pieces: ReadonlyArray<AxisPiece>
}

/** Selected cells inside one tile. */
export interface AxisPiece {
  /** The tile, counted from the first selected one. */
  readonly tile: number
  /** First and last coordinate, counted from `origin`. */
  readonly low: number
  readonly high: number
  /** Where the first one lies in the result. */
  readonly out: number
}

/** A box of cells from a tile into the result. */
export interface DenseCopy extends BoxCopy {
  /** Number of the tile in the plan. */
  readonly tile: number
}

/** The plan of a dense read. */
export interface DensePlan {
  readonly axes: ReadonlyArray<AxisPlan>
  readonly shape: ReadonlyArray<number>
  readonly cells: number
  /** Tiles to be read, by fragment from the oldest on. */
  readonly tiles: ReadonlyArray<TileRef>
  /** What is copied, in this order: later copies overwrite earlier ones. Sparse fragments are cells to be placed. */
  readonly steps: ReadonlyArray<
    | { readonly kind: "dense"; readonly fragment: number; readonly copies: ReadonlyArray<DenseCopy> }
    | { readonly kind: "sparse"; readonly fragment: number }
  >
  /** Whether every cell of the result is written by some copy, so that nothing needs a fill value. */
  readonly covered: boolean
}

/** Ranges of whole numbers, sorted and disjoint. */
export type WholeRanges = ReadonlyArray<{ readonly low: bigint; readonly high: bigint }>

/** Cells along a dimension. */
export const lengthOf = (ranges: WholeRanges): bigint => ranges.reduce((n, r) => n + r.high - r.low + 1n, 0n)

/** Ranges of a selection in whole numbers; `whole` where everything is selected. */
export const wholeRanges = (selection: Selection, whole: (d: number) => WholeRanges): ReadonlyArray<WholeRanges> =>
  selection.map((s, d) =>
    s.kind === "number" && s.ranges !== undefined
      ? s.ranges.map((r) => ({ low: BigInt(r.low), high: BigInt(r.high) }))
      : whole(d)
  )

/** The boxes that a selection is cut into at the bounds of space tiles: what a plan grows with. */
export const pieceCount = (schema: ArraySchema, ranges: ReadonlyArray<WholeRanges>): bigint =>
  schema.dimensions.reduce((product, dimension, d) => {
    const axis = axisOf(dimension)
    return product * ranges[d].reduce((n, { low, high }) => n + tileOf(axis, high) - tileOf(axis, low) + 1n, 0n)
  }, 1n)

const axisPlan = (axis: Axis, ranges: WholeRanges): AxisPlan => {
  const pieces: Array<AxisPiece> = []
  const firstTile = ranges.length === 0 ? 0n : tileOf(axis, ranges[0].low)
  const origin = axis.low + firstTile * axis.extent
  let out = 0
  for (const { low, high } of ranges) {
    const last = tileOf(axis, high)
    for (let tile = tileOf(axis, low); tile <= last; tile++) {
      const start = axis.low + tile * axis.extent
      const end = start + axis.extent - 1n
      const from = low > start ? low : start
      const to = high < end ? high : end
      pieces.push({ tile: Number(tile - firstTile), low: Number(from - origin), high: Number(to - origin), out })
      out += Number(to - from) + 1
    }
  }
  return { axis, length: out, origin, pieces }
}

/** How far neighbours along each dimension lie apart. */
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

/** What a plan needs to know of a fragment, in coordinates counted from the plan's origins. */
interface Placed {
  readonly fragment: number
  readonly dense: boolean
  readonly low: ReadonlyArray<number>
  readonly high: ReadonlyArray<number>
  readonly firstTile: ReadonlyArray<number>
  readonly tileStrides: ReadonlyArray<number>
}

const place = (
  fragment: Fragment,
  number: number,
  schema: ArraySchema,
  axes: ReadonlyArray<AxisPlan>,
): Placed | undefined => {
  const domain = fragment.nonEmptyDomain
  if (domain === undefined) return undefined
  const low: Array<number> = []
  const high: Array<number> = []
  const firstTile: Array<number> = []
  const tiles: Array<number> = []
  for (let d = 0; d < axes.length; d++) {
    const { axis, origin, pieces } = axes[d]
    const { type } = schema.dimensions[d]
    const from = BigInt(readScalar(type, domain[d].low))
    const to = BigInt(readScalar(type, domain[d].high))
    if (to < origin || from > origin + BigInt(pieces[pieces.length - 1].high)) return undefined
    low.push(Number(from - origin))
    high.push(Number(to - origin))
    const first = tileOf(axis, from)
    firstTile.push(Number(first - tileOf(axis, origin)))
    tiles.push(Number(tileOf(axis, to) - first) + 1)
  }
  const order = schema.tileOrder === "col-major" ? "col-major" : "row-major"
  return { fragment: number, dense: fragment.dense, low, high, firstTile, tileStrides: strides(tiles, order) }
}

/** Plans a dense read. The result lies in `layout`. */
export const planDense = (
  schema: ArraySchema,
  fragments: ReadonlyArray<Fragment>,
  ranges: ReadonlyArray<WholeRanges>,
  layout: "row-major" | "col-major",
): DensePlan => {
  const axes = schema.dimensions.map((d, i) => axisPlan(axisOf(d), ranges[i]))
  const shape = axes.map((a) => a.length)
  const cells = shape.reduce((n, s) => n * s, 1)
  if (cells === 0) return { axes, shape, cells, tiles: [], steps: [], covered: true }
  const dims = axes.length
  const extents = axes.map((a) => Number(a.axis.extent))
  const sourceStrides = strides(extents, schema.cellOrder === "col-major" ? "col-major" : "row-major")
  const targetStrides = strides(shape, layout)
  // newest first, until one covers the piece
  const placed = fragments.map((f, i) => place(f, i, schema, axes)).filter((p) => p !== undefined).reverse()
  const copies = new Map<number, Array<DenseCopy & { ref: number }>>()
  const needed = new Map<number, Set<number>>()
  let covered = true
  forPieces(axes, (piece) => {
    let whole = false
    for (let k = 0; k < placed.length && !whole; k++) {
      const p = placed[k]
      if (!p.dense) continue
      const extent = new Array<number>(dims)
      let source = 0
      let target = 0
      let tile = 0
      whole = true
      let empty = false
      for (let d = 0; d < dims; d++) {
        const { tile: t, low, high, out } = piece[d]
        const from = low > p.low[d] ? low : p.low[d]
        const to = high < p.high[d] ? high : p.high[d]
        if (from > to) {
          empty = true
          break
        }
        if (from > low || to < high) whole = false
        extent[d] = to - from + 1
        source += (from - t * extents[d]) * sourceStrides[d]
        target += (out + from - low) * targetStrides[d]
        tile += (t - p.firstTile[d]) * p.tileStrides[d]
      }
      if (empty) {
        whole = false
        continue
      }
      let list = copies.get(p.fragment)
      if (list === undefined) copies.set(p.fragment, list = [])
      list.push({ tile: 0, ref: tile, extents: extent, source, sourceStrides, target, targetStrides })
      let set = needed.get(p.fragment)
      if (set === undefined) needed.set(p.fragment, set = new Set())
      set.add(tile)
    }
    if (!whole) covered = false
  })
  const tiles: Array<TileRef> = []
  const steps: Array<DensePlan["steps"][number]> = []
  for (const p of [...placed].reverse()) {
    if (!p.dense) {
      steps.push({ kind: "sparse", fragment: p.fragment })
      continue
    }
    const list = copies.get(p.fragment)
    if (list === undefined) continue
    const numbers = new Map<number, number>()
    for (const tile of [...needed.get(p.fragment)!].sort((a, b) => a - b)) {
      numbers.set(tile, tiles.length)
      tiles.push({ fragment: p.fragment, tile })
    }
    steps.push({
      kind: "dense",
      fragment: p.fragment,
      copies: list.map(({ ref, ...copy }) => ({ ...copy, tile: numbers.get(ref)! })),
    })
  }
  return { axes, shape, cells, tiles, steps, covered }
}

/** Calls `run` with every combination of one piece of each dimension, the last dimension fastest. */
const forPieces = (axes: ReadonlyArray<AxisPlan>, run: (piece: ReadonlyArray<AxisPiece>) => void): void => {
  const at = axes.map(() => 0)
  const piece = axes.map((a) => a.pieces[0])
  for (;;) {
    run(piece)
    let d = axes.length - 1
    for (; d >= 0; d--) {
      if (++at[d] < axes[d].pieces.length) {
        piece[d] = axes[d].pieces[at[d]]
        break
      }
      at[d] = 0
      piece[d] = axes[d].pieces[0]
    }
    if (d < 0) return
  }
}

/**
 * The cells of a row-major result in global order: tile after tile, in each cell after cell.
 */
export const globalOrder = (schema: ArraySchema, plan: DensePlan): Uint32Array => {
  const { axes, shape } = plan
  const row = strides(shape, "row-major")
  // the selected cells of a tile lie next to each other on every axis
  const runs = axes.map(({ pieces }) => {
    const out: Array<{ readonly from: number; to: number; readonly tile: number }> = []
    for (const { tile, low, high, out: from } of pieces) {
      const last = out[out.length - 1]
      if (last?.tile === tile) last.to = from + high - low + 1
      else out.push({ from, to: from + high - low + 1, tile })
    }
    return out
  })
  const order = new Uint32Array(plan.cells)
  let next = 0
  const fastFirst = (colMajor: boolean): ReadonlyArray<number> => {
    const dims = axes.map((_, d) => d)
    return colMajor ? dims.reverse() : dims
  }
  const tileDims = fastFirst(schema.tileOrder === "col-major")
  const cellDims = fastFirst(schema.cellOrder === "col-major")
  const box = new Array<{ readonly from: number; readonly to: number }>(axes.length)
  const cellsOf = (k: number, at: number): void => {
    const d = cellDims[k]
    for (let i = box[d].from; i < box[d].to; i++) {
      if (k === cellDims.length - 1) order[next++] = at + i * row[d]
      else cellsOf(k + 1, at + i * row[d])
    }
  }
  const tilesFrom = (k: number): void => {
    const d = tileDims[k]
    for (const run of runs[d]) {
      box[d] = run
      if (k === tileDims.length - 1) cellsOf(0, 0)
      else tilesFrom(k + 1)
    }
  }
  if (plan.cells > 0) tilesFrom(0)
  return order
}
