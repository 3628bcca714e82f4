/**
 * Splits a sparse selection in two. All cells of the first part precede those of the second part in the requested
 * order. Splits are at bounds of the required tiles, according to their MBRs.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { type Datatype, isFloat } from "../../../schema/array/datatype.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import type { MbrLevel } from "../../../schema/fragment/rtree.ts"
import { readScalar, type Scalar } from "../../../schema/array/scalar.ts"
import { tileExtentOf } from "../../fragment/tile_extent.ts"
import { compareBytes } from "../../kernel/match/match_ranges.ts"
import { bytesBelow } from "../../kernel/neighbours.ts"
import { type Cut, previousScalar } from "../selection/split_selection.ts"
import type { SparsePlan } from "./plan.ts"
import type { Order } from "../options/read_options.ts"
import type { DimensionSelection, Selection } from "../selection/selection.ts"
import { spaceTile } from "./space_tile_number.ts"

type Bound = Scalar | Uint8Array

/** Lower and upper bounds of each tile along one dimension, as parallel lists. */
interface Extents {
  readonly lows: ReadonlyArray<Bound>
  readonly highs: ReadonlyArray<Bound>
}

const compare = (a: Bound, b: Bound): number =>
  a instanceof Uint8Array ? compareBytes(a, b as Uint8Array) : a < (b as Scalar) ? -1 : a > (b as Scalar) ? 1 : 0

const mbrBound = (mbrs: MbrLevel, d: number, bound: number): Bound => {
  const column = mbrs.dimensions[d]
  return column.kind === "fixed"
    ? column.values[bound]
    : column.bytes.subarray(column.offsets[bound], column.offsets[bound + 1])
}

/** Returns the ends of the selected ranges of a dimension; `undefined` for an open end. */
const endsOf = (selected: DimensionSelection): readonly [Bound | undefined, Bound | undefined] => {
  const { ranges } = selected
  return ranges === undefined || ranges.length === 0 ? [undefined, undefined] : [ranges[0].low, ranges.at(-1)!.high]
}

const extentsOf = (
  selection: Selection,
  plan: SparsePlan,
  mbrs: ReadonlyMap<number, MbrLevel>,
  d: number,
): Extents => {
  const [from, to] = endsOf(selection[d])
  const lows: Array<Bound> = []
  const highs: Array<Bound> = []
  for (const { fragment, tiles } of plan) {
    const level = mbrs.get(fragment)!
    for (const { tile } of tiles) {
      const low = mbrBound(level, d, 2 * tile)
      const high = mbrBound(level, d, 2 * tile + 1)
      lows.push(from !== undefined && compare(from, low) > 0 ? from : low)
      highs.push(to !== undefined && compare(to, high) < 0 ? to : high)
    }
  }
  return { lows, highs }
}

const lowestOf = (bounds: ReadonlyArray<Bound>): Bound => bounds.reduce((a, b) => compare(b, a) < 0 ? b : a)
const greatestOf = (bounds: ReadonlyArray<Bound>): Bound => bounds.reduce((a, b) => compare(b, a) > 0 ? b : a)

/** Returns the median of the bounds for which `inside` is true. */
const middleOf = (bounds: ReadonlyArray<Bound>, inside: (bound: Bound) => boolean): Bound | undefined => {
  const sorted = bounds.filter(inside).sort(compare)
  return sorted[sorted.length >> 1]
}

/**
 * Returns the last coordinate of the first part such that both parts contain tiles; `undefined` if all tiles span the
 * same range.
 */
const lastBetween = (type: Datatype, { lows, highs }: Extents): Bound | undefined => {
  const min = lowestOf(lows)
  const greatest = greatestOf(highs)
  const high = middleOf(highs, (b) => compare(b, greatest) < 0)
  if (high !== undefined) return high
  const low = middleOf(lows, (b) => compare(b, min) > 0)
  if (low === undefined) return undefined
  if (!(low instanceof Uint8Array)) return previousScalar(type, low)
  // strings have no predecessor, so bounds that are too close cannot be split
  const below = bytesBelow(low)
  return below === undefined || compare(below, min) < 0 ? undefined : below
}

/** Returns the last coordinate of space tile `k`, between a coordinate in or before that tile and a later one. */
const endOfTile = (dimension: Dimension, extent: Scalar, k: Scalar, within: Scalar, after: Scalar): Scalar => {
  const { type, domain } = dimension
  const low = readScalar(type, domain)
  if (typeof low === "bigint") return low + ((k as bigint) + 1n) * (extent as bigint) - 1n
  if (!isFloat(type)) return low + (Number(k) + 1) * Number(extent) - 1
  // use the same floating-point arithmetic as the tile numbers to find the border
  const tileOf = spaceTile(dimension, extent)
  let last = within as number
  for (let end = after as number;;) {
    const middle = last / 2 + end / 2
    const between = type === "float32" ? Math.fround(middle) : middle
    if (between <= last || between >= end) return last
    if (tileOf(between) <= k) last = between
    else end = between
  }
}

/** Returns whether a split leaves fewer tiles in at least one part. */
const leavesFewerTiles = ({ lows, highs }: Extents, last: Bound): boolean =>
  lows.some((low) => compare(low, last) > 0) || highs.some((high) => compare(high, last) <= 0)

/** Returns the number of tiles in the larger part. */
const larger = ({ lows, highs }: Extents, last: Bound): number => {
  let before = 0
  let after = 0
  for (let i = 0; i < lows.length; i++) {
    if (compare(lows[i], last) <= 0) before++
    if (compare(highs[i], last) > 0) after++
  }
  return Math.max(before, after)
}

/** Maximum share of the tiles in the larger part for which a split between tiles is worthwhile. */
const MAX_WORTHWHILE_SHARE = 0.75

/** Returns the middle of the range that all tiles span; `undefined` for strings and for a single coordinate. */
const middleBetween = (type: Datatype, { lows, highs }: Extents): Scalar | undefined => {
  const min = lowestOf(lows)
  const greatest = greatestOf(highs)
  if (min instanceof Uint8Array || compare(min, greatest) >= 0) return undefined
  if (typeof min === "bigint") return min + ((greatest as bigint) - min) / 2n
  const middle = min / 2 + (greatest as number) / 2
  if (!isFloat(type)) return Math.floor(middle)
  const rounded = type === "float32" ? Math.fround(middle) : middle
  return rounded < (greatest as number) ? rounded : min
}

/**
 * Returns where to split the read of `plan`, whose fragments have these MBRs. If possible, one part has fewer tiles;
 * otherwise each part reads less of each tile. Returns `undefined` if no split helps.
 */
export const cutSparse = (
  schema: ArraySchema,
  selection: Selection,
  plan: SparsePlan,
  mbrs: ReadonlyMap<number, MbrLevel>,
  order: Order,
): Cut | undefined => {
  const dims = schema.dimensions.map((_, d) => d)
  const memo: Array<Extents | undefined> = []
  const extents = (d: number): Extents => memo[d] ??= extentsOf(selection, plan, mbrs, d)
  const slowestFirst = (colMajor: boolean): ReadonlyArray<number> => colMajor ? [...dims].reverse() : dims
  if (order === "unordered") {
    let best: { readonly cut: Cut; readonly size: number } | undefined
    for (const d of dims) {
      const last = lastBetween(schema.dimensions[d].type, extents(d))
      if (last === undefined || !leavesFewerTiles(extents(d), last)) continue
      const size = larger(extents(d), last)
      if (best === undefined || size < best.size) best = { cut: { d, last }, size }
    }
    if (best !== undefined && best.size <= MAX_WORTHWHILE_SHARE * extents(0).lows.length) return best.cut
    for (const d of dims) {
      const last = middleBetween(schema.dimensions[d].type, extents(d))
      if (last !== undefined) return { d, last }
    }
    return best?.cut
  }
  if (order === "global") {
    if (schema.cellOrder === "hilbert") return undefined
    for (const d of slowestFirst(schema.tileOrder === "col-major")) {
      const dimension = schema.dimensions[d]
      const extent = tileExtentOf(dimension)
      if (dimension.cellValNum === VAR || extent === null) continue
      const tileOf = spaceTile(dimension, extent)
      const { lows, highs } = extents(d)
      const first = tileOf(lowestOf(lows) as Scalar)
      const end = tileOf(greatestOf(highs) as Scalar)
      if (first === end) continue
      const within = middleOf(highs, (b) => tileOf(b as Scalar) < end) as Scalar | undefined
      const k = within !== undefined
        ? tileOf(within)
        : typeof first === "bigint"
        ? first + ((end as bigint) - first - 1n) / 2n
        : first + Math.floor(((end as number) - first - 1) / 2)
      return { d, last: endOfTile(dimension, extent, k, lowestOf(lows) as Scalar, greatestOf(highs) as Scalar) }
    }
  }
  for (const d of slowestFirst(order === "global" ? schema.cellOrder === "col-major" : order === "col")) {
    const currentExtents = extents(d)
    if (compare(lowestOf(currentExtents.lows), greatestOf(currentExtents.highs)) === 0) continue
    const last = lastBetween(schema.dimensions[d].type, currentExtents)
    const helpful = last !== undefined && leavesFewerTiles(currentExtents, last) ? { d, last } : undefined
    if (
      helpful !== undefined && larger(currentExtents, helpful.last) <= MAX_WORTHWHILE_SHARE * currentExtents.lows.length
    ) {
      return helpful
    }
    const middle = middleBetween(schema.dimensions[d].type, currentExtents)
    return middle === undefined ? helpful : { d, last: middle }
  }
  return undefined
}
