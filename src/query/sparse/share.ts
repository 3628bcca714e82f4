/**
 * Estimates the selected share of tiles from their MBRs.
 */
import { isFloat } from "../../../schema/array/datatype.ts"
import type { MbrLevel } from "../../../schema/fragment/rtree.ts"
import { firstFrom } from "../../kernel/first_from.ts"
import type { DimensionSelection, Selection } from "../selection/selection.ts"

/** Estimates the selected share of a tile along dimension `d`, assuming evenly distributed cells; 1 for strings. */
export const shareAlong = (selected: DimensionSelection, mbrs: MbrLevel, d: number, tile: number): number => {
  const column = mbrs.dimensions[d]
  if (selected.kind === "string" || selected.ranges === undefined || column.kind === "var") return 1
  const { ranges, dimension } = selected
  const low = column.values[2 * tile]
  const high = column.values[2 * tile + 1]
  const one = isFloat(dimension.type) ? 0 : 1
  const whole = Number(high) - Number(low) + one
  if (!(whole > 0)) return 1
  let inside = 0
  for (let r = firstFrom(ranges.length, (r) => ranges[r].high < low); r < ranges.length && ranges[r].low <= high; r++) {
    const from = ranges[r].low > low ? ranges[r].low : low
    const to = ranges[r].high < high ? ranges[r].high : high
    inside += Number(to) - Number(from) + one
  }
  return Math.min(1, inside / whole)
}

/** Estimates the selected share of a tile's cells. */
export const shareOf = (selection: Selection, mbrs: MbrLevel, tile: number): number =>
  selection.reduce((share, selected, d) => share * shareAlong(selected, mbrs, d, tile), 1)
