/**
 * Compares coordinates of tiles with the selected ranges.
 */
import { arrayOf, type Datatype, viewAs } from "../../../schema/array/datatype.ts"
import type { FieldTile } from "../../fragment/field_tiles.ts"
import { matchStrings, stringRanges } from "../../kernel/match/match_ranges.ts"
import {
  selectHalves,
  selectHalvesIn,
  selectNumbers,
  selectNumbersIn,
  selectOnes,
} from "../../kernel/match/select_cells.ts"
import type { NumberRange, StringRange } from "../selection/merge_ranges.ts"
import type { DimensionSelection } from "../selection/selection.ts"

/**
 * Writes the positions of cells with selected coordinates to `out` and returns their number. Considers only the
 * positions in `among`, if present; `among` may share memory with `out`. The tile's data starts at cell `first`.
 */
export type CellFilter = (tile: FieldTile, first: number, among: Uint32Array | undefined, out: Uint32Array) => number

/** Returns the filter of a dimension; `undefined` if the whole dimension is selected. */
export const cellFilter = (selected: DimensionSelection): CellFilter | undefined => {
  if (selected.ranges === undefined) return undefined
  return selected.kind === "string"
    ? stringFilter(selected.ranges)
    : numberFilter(selected.dimension.type, selected.ranges)
}

const stringFilter = (ranges: ReadonlyArray<StringRange>): CellFilter => {
  const flat = stringRanges(ranges)
  return ({ values, offsets }, first, among, out) => {
    const mask = new Uint8Array(offsets!.length - 1)
    if (among === undefined) mask.fill(1)
    else for (let k = 0; k < among.length; k++) mask[among[k] - first] = 1
    matchStrings(values, offsets!, flat, mask)
    return selectOnes(mask, out, first)
  }
}

/** Returns a filter that compares values in their stored form. */
const numberFilter = (type: Datatype, ranges: ReadonlyArray<NumberRange>): CellFilter => {
  const make = arrayOf(type)
  const lows = new make(ranges.length)
  const highs = new make(ranges.length)
  ranges.forEach(({ low, high }, r) => {
    lows[r] = low as never
    highs[r] = high as never
  })
  if (!(lows instanceof BigInt64Array) && !(lows instanceof BigUint64Array)) {
    const [from, to] = [lows, highs as typeof lows]
    return (tile, first, among, out) => {
      const cells = viewAs(type, tile.values) as typeof lows
      return from.length === 1
        ? selectNumbers(cells, from[0], to[0], first, among, out)
        : selectNumbersIn(cells, from, to, first, among, out)
    }
  }
  const signed = lows instanceof BigInt64Array
  const from = new Int32Array(lows.buffer)
  const to = new Int32Array(highs.buffer)
  const select = ranges.length === 1 ? selectHalves : selectHalvesIn
  return (tile, first, among, out) => select(halvesOf(tile.values), signed, from, to, first, among, out)
}

/** Returns 64-bit integers as pairs of 32-bit halves. */
const halvesOf = (bytes: Uint8Array): Int32Array => {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Int32Array(buffer, byteOffset, byteLength >>> 2)
}
