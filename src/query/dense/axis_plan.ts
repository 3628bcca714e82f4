/**
 * The selection along one dense dimension, tile by tile. Coordinates are relative to the start of their tile, so they
 * are exact as numbers for any 64-bit domain.
 */
import { firstFrom } from "../../kernel/first_from.ts"
import { type Axis, tileOf } from "../../fragment/dense_tiles.ts"

/** Ranges of whole numbers, sorted and disjoint. */
export type WholeRanges = ReadonlyArray<{ readonly low: bigint; readonly high: bigint }>

/** A selection along one dimension: the tiles, and the selected segments of adjacent cells in each. */
export interface AxisPlan {
  readonly axis: Axis
  /** Number of selected cells along this dimension. */
  readonly length: number
  /** Numbers of the selected tiles, from the start of the domain; ascending. */
  readonly tiles: ReadonlyArray<bigint>
  /** Tile `t` has the segments `firstSegment[t]` to `firstSegment[t + 1] − 1`. */
  readonly firstSegment: Uint32Array
  /**
   * For each segment: its first cell relative to the tile's start, its number of cells, and the position of the first
   * one in the result.
   */
  readonly low: Float64Array
  readonly count: Float64Array
  readonly out: Float64Array
}

/** Number of cells in ranges. */
export const lengthOf = (ranges: WholeRanges): bigint => ranges.reduce((n, r) => n + r.high - r.low + 1n, 0n)

/** Returns the numbers of tiles and segments of a selection along a dimension. */
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

/** Returns the first coordinate of a tile. */
export const tileStart = (axis: Axis, tile: bigint): bigint => axis.low + tile * axis.extent

/** Plans a dimension. Builds all segments in memory: check their number with {@link countsOf} first. */
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

/** The part of an axis plan inside a range of coordinates, such as a fragment's domain. */
export interface AxisClip {
  /** First and last tile with selected cells inside the range, as indices into the plan's tiles. */
  readonly first: number
  readonly last: number
  /**
   * First coordinate inside the range in the first tile, and last one in the last tile, relative to the tile's start.
   */
  readonly low: number
  readonly high: number
  /** Whether all selected cells of the first (last) tile are inside the range. */
  readonly wholeFirst: boolean
  readonly wholeLast: boolean
}

/** Returns the bounds of a clip inside tile `t`. */
export const boundsIn = (plan: AxisPlan, clip: AxisClip, t: number): readonly [low: number, high: number] => [
  t === clip.first ? clip.low : 0,
  t === clip.last ? clip.high : Number(plan.axis.extent) - 1,
]

/** Returns whether all selected cells of tile `t` are inside a clip. */
export const wholeIn = (clip: AxisClip, t: number): boolean =>
  (t !== clip.first || clip.wholeFirst) && (t !== clip.last || clip.wholeLast)

/** Returns the number of selected cells of tile `t` between two bounds. */
export const cellsBetween = (plan: AxisPlan, t: number, low: number, high: number): number => {
  let cells = 0
  for (let k = plan.firstSegment[t]; k < plan.firstSegment[t + 1]; k++) {
    const from = Math.max(plan.low[k], low)
    const to = Math.min(plan.low[k] + plan.count[k] - 1, high)
    if (from <= to) cells += to - from + 1
  }
  return cells
}

/** Restricts an axis plan to a range of coordinates; `undefined` if no selected cell is inside. */
export const clipAxis = (plan: AxisPlan, from: bigint, to: bigint): AxisClip | undefined => {
  const { axis, tiles } = plan
  const firstTile = tileOf(axis, from)
  const lastTile = tileOf(axis, to)
  let first = lowerBound(tiles, firstTile)
  let last = lowerBound(tiles, lastTile + 1n) - 1
  const whole = Number(axis.extent) - 1
  const lowIn = (t: number): number => tiles[t] === firstTile ? Number(from - tileStart(axis, firstTile)) : 0
  const highIn = (t: number): number => tiles[t] === lastTile ? Number(to - tileStart(axis, lastTile)) : whole
  // all selected cells of a tile at the border may be outside the range
  while (first <= last && cellsBetween(plan, first, lowIn(first), highIn(first)) === 0) first++
  while (last >= first && cellsBetween(plan, last, lowIn(last), highIn(last)) === 0) last--
  if (first > last) return undefined
  const allOf = (t: number): boolean => cellsBetween(plan, t, lowIn(t), highIn(t)) === cellsBetween(plan, t, 0, whole)
  return { first, last, low: lowIn(first), high: highIn(last), wholeFirst: allOf(first), wholeLast: allOf(last) }
}

/** Returns the index of the first tile that is not below `tile`. */
const lowerBound = (tiles: ReadonlyArray<bigint>, tile: bigint): number =>
  firstFrom(tiles.length, (t) => tiles[t] < tile)
