/**
 * Splits a dense selection in two. All cells of the first part precede those of the second part in the requested order.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { axisOf, tileOf } from "../../fragment/dense_tiles.ts"
import { lengthOf, tileStart, type WholeRanges } from "./axis_plan.ts"
import type { Order } from "../options/read_options.ts"

/** A split along dimension `d`: the first part ends with the coordinate `last`. */
export interface DenseCut {
  readonly d: number
  readonly last: bigint
  /** True if the split is at a tile border. */
  readonly between: boolean
}

/**
 * Returns the split nearest to the middle of a dimension. If the dimension has several tiles, the split is at a tile
 * border.
 */
const cutAxis = (schema: ArraySchema, d: number, ranges: WholeRanges): DenseCut | undefined => {
  const axis = axisOf(schema.dimensions[d])
  const first = ranges[0].low
  const end = ranges[ranges.length - 1].high
  if (first === end) return undefined
  // the last coordinate of the first half
  let remaining = (lengthOf(ranges) + 1n) / 2n
  let middle = first
  for (const { low, high } of ranges) {
    middle = remaining > high - low ? high : low + remaining - 1n
    remaining -= high - low + 1n
    if (remaining <= 0n) break
  }
  if (middle === end) middle--
  const from = tileOf(axis, first)
  const to = tileOf(axis, end)
  if (from === to) return { d, last: middle, between: false }
  // split at the end of the middle tile, or of the previous one
  const tile = tileOf(axis, middle)
  const last = tileStart(axis, tile + 1n) - 1n
  return {
    d,
    last: tile < to && (tile === from || last - middle <= middle - tileStart(axis, tile))
      ? last
      : tileStart(axis, tile) - 1n,
    between: true,
  }
}

/** Returns the split of a selection; `undefined` for a single cell. */
export const cutDense = (
  schema: ArraySchema,
  ranges: ReadonlyArray<WholeRanges>,
  order: Order,
): DenseCut | undefined => {
  const dims = schema.dimensions.map((_, d) => d)
  const slowestFirst = (colMajor: boolean): ReadonlyArray<number> => colMajor ? [...dims].reverse() : dims
  const byTiles = order === "global" || order === "unordered"
  if (byTiles) {
    for (const d of slowestFirst(schema.tileOrder === "col-major")) {
      const axis = axisOf(schema.dimensions[d])
      const range = ranges[d]
      if (tileOf(axis, range[0].low) !== tileOf(axis, range[range.length - 1].high)) return cutAxis(schema, d, range)
    }
  }
  for (const d of slowestFirst(byTiles ? schema.cellOrder === "col-major" : order === "col")) {
    const cut = cutAxis(schema, d, ranges[d])
    if (cut !== undefined) return cut
  }
  return undefined
}

/** Divides ranges into the parts up to and including a coordinate, and after it. */
export const cutRanges = (ranges: WholeRanges, last: bigint): readonly [WholeRanges, WholeRanges] => [
  ranges.flatMap(({ low, high }) => low > last ? [] : [{ low, high: high < last ? high : last }]),
  ranges.flatMap(({ low, high }) => high <= last ? [] : [{ low: low > last ? low : last + 1n, high }]),
]
