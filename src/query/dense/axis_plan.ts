/**
 * What is selected along one dense dimension, tile by tile. Coordinates are counted from the start of their own tile, so
 * that they are exact as numbers wherever in 64 bits the tile lies.
 */
import { firstFrom } from "../../kernel/first_from.ts"
import { type Axis, tileOf } from "../../fragment/dense_tiles.ts"

/** Ranges of whole numbers, sorted and disjoint. */
export type WholeRanges = ReadonlyArray<{ readonly low: bigint; readonly high: bigint }>

/** A selection along one dimension: tiles, and in each the segments of neighbouring cells that are selected. */
export interface AxisPlan {
  readonly axis: Axis
  /** Cells selected along this dimension. */
  readonly length: number
  /** The tiles that are touched, counted from the start of the domain; ascending. */
  readonly tiles: ReadonlyArray<bigint>
  /** Tile `t` has the segments from `firstSegment[t]` to `firstSegment[t + 1] − 1`. */
  readonly firstSegment: Uint32Array
  /** First cell of each segment, counted from the tile's start; how many there are; where the first lies in the result. */
  readonly low: Float64Array
  readonly count: Float64Array
  readonly out: Float64Array
}

/** Cells along a dimension. */
export const lengthOf = (ranges: WholeRanges): bigint => ranges.reduce((n, r) => n + r.high - r.low + 1n, 0n)

/** Tiles and segments that a selection has along a dimension. */
export const countsOf = (axis: Axis, ranges: WholeRanges): { readonly tiles: bigint; readonly segments: bigint } => {
  let tiles = 0n
  let segments = 0n
  let last = -1n
  for (const { low, high } of ranges) {
    const first = tileOf(axis, low)
    const end = tileOf(axis, high)
    segments += end - first + 1n
    tiles += end - first + (first === last ? 0n : 1n)
    last = end
  }
  return { tiles, segments }
}

/** Where a tile starts. */
export const tileStart = (axis: Axis, tile: bigint): bigint => axis.low + tile * axis.extent

/** Plans a dimension. The segments must fit into memory: see {@link countsOf}. */
export const planAxis = (axis: Axis, ranges: WholeRanges): AxisPlan => {
  const n = Number(countsOf(axis, ranges).segments)
  const low = new Float64Array(n)
  const count = new Float64Array(n)
  const out = new Float64Array(n)
  const tiles: Array<bigint> = []
  const firstSegment: Array<number> = []
  let k = 0
  let length = 0
  for (const range of ranges) {
    const last = tileOf(axis, range.high)
    for (let tile = tileOf(axis, range.low); tile <= last; tile++) {
      if (tiles[tiles.length - 1] !== tile) {
        tiles.push(tile)
        firstSegment.push(k)
      }
      const start = tileStart(axis, tile)
      const end = start + axis.extent - 1n
      const from = range.low > start ? range.low : start
      const to = range.high < end ? range.high : end
      low[k] = Number(from - start)
      count[k] = Number(to - from) + 1
      out[k] = length
      length += count[k++]
    }
  }
  firstSegment.push(k)
  return { axis, length, tiles, firstSegment: Uint32Array.from(firstSegment), low, count, out }
}

/** The part of an axis plan that lies in a range of coordinates, such as a fragment's domain. */
export interface AxisClip {
  /** First and last tile, as the plan counts them, that have selected cells inside. */
  readonly first: number
  readonly last: number
  /** First coordinate inside the first tile, last one inside the last tile, counted from the tile's start. */
  readonly low: number
  readonly high: number
  /** Whether all that is selected of the first (last) tile lies inside. */
  readonly wholeFirst: boolean
  readonly wholeLast: boolean
}

/** Bounds of the selected cells in tile `t` that lie inside a clip. */
export const boundsIn = (plan: AxisPlan, clip: AxisClip, t: number): readonly [low: number, high: number] => [
  t === clip.first ? clip.low : 0,
  t === clip.last ? clip.high : Number(plan.axis.extent) - 1,
]

/** Whether all that is selected of tile `t` lies inside a clip. */
export const wholeIn = (clip: AxisClip, t: number): boolean =>
  (t !== clip.first || clip.wholeFirst) && (t !== clip.last || clip.wholeLast)

/** Selected cells of tile `t` between two bounds. */
export const cellsBetween = (plan: AxisPlan, t: number, low: number, high: number): number => {
  let cells = 0
  for (let k = plan.firstSegment[t]; k < plan.firstSegment[t + 1]; k++) {
    const from = Math.max(plan.low[k], low)
    const to = Math.min(plan.low[k] + plan.count[k] - 1, high)
    if (from <= to) cells += to - from + 1
  }
  return cells
}

/** Clips an axis plan to a range of coordinates; `undefined` if nothing selected lies inside. */
export const clipAxis = (plan: AxisPlan, from: bigint, to: bigint): AxisClip | undefined => {
  const { axis, tiles } = plan
  const firstTile = tileOf(axis, from)
  const lastTile = tileOf(axis, to)
  let first = lowerBound(tiles, firstTile)
  let last = lowerBound(tiles, lastTile + 1n) - 1
  const whole = Number(axis.extent) - 1
  const lowIn = (t: number): number => tiles[t] === firstTile ? Number(from - tileStart(axis, firstTile)) : 0
  const highIn = (t: number): number => tiles[t] === lastTile ? Number(to - tileStart(axis, lastTile)) : whole
  // a tile at the edge may be selected only outside the range
  while (first <= last && cellsBetween(plan, first, lowIn(first), highIn(first)) === 0) first++
  while (last >= first && cellsBetween(plan, last, lowIn(last), highIn(last)) === 0) last--
  if (first > last) return undefined
  const allOf = (t: number): boolean => cellsBetween(plan, t, lowIn(t), highIn(t)) === cellsBetween(plan, t, 0, whole)
  return { first, last, low: lowIn(first), high: highIn(last), wholeFirst: allOf(first), wholeLast: allOf(last) }
}

/** The first tile that is not below `tile`. */
const lowerBound = (tiles: ReadonlyArray<bigint>, tile: bigint): number =>
  firstFrom(tiles.length, (t) => tiles[t] < tile)
