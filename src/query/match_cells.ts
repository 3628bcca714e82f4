/**
 * Cells of tiles against what is selected of their dimensions.
 */
import { sizeOf, viewAs } from "../../schema/datatype.ts"
import { scalarBytes } from "../../schema/scalar.ts"
import type { FieldTile } from "../fragment/field_tiles.ts"
import { matchStrings, matchWords } from "../kernel/match_ranges.ts"
import { keyWords } from "../kernel/order_key.ts"
import { selectHalves, selectNumbers, selectOnes } from "../kernel/select_cells.ts"
import { flatRanges } from "./plan_sparse.ts"
import type { DimensionSelection } from "./selection.ts"

/**
 * Writes the positions of a tile's cells whose coordinate is selected to `out`, of `among` if it is given (it may lie in
 * `out`); answers how many they are.
 */
export type CellFilter = (tile: FieldTile, among: Uint32Array | undefined, out: Uint32Array) => number

/** The filter of a dimension; `undefined` if all of it is selected. */
export const cellFilter = (selected: DimensionSelection): CellFilter | undefined => {
  if (selected.ranges === undefined) return undefined
  if (selected.kind === "number" && selected.ranges.length === 1) return rangeFilter(selected)
  const flat = flatRanges(selected)!
  return (tile, among, out) => {
    const { type } = selected.dimension
    const cells = tile.offsets === undefined ? tile.values.byteLength / sizeOf(type) : tile.offsets.length - 1
    const mask = new Uint8Array(cells)
    if (among === undefined) mask.fill(1)
    else for (let k = 0; k < among.length; k++) mask[among[k]] = 1
    if (flat.kind === "string") matchStrings(tile.values, tile.offsets!, flat.ranges, mask)
    else matchWords(keyWords(viewAs(type, tile.values)), flat.ranges, mask)
    return selectOnes(mask, out)
  }
}

/** One range of numbers, the usual case: cells are compared as they lie. */
const rangeFilter = (selected: DimensionSelection & { readonly kind: "number" }): CellFilter => {
  const { type } = selected.dimension
  const [{ low, high }] = selected.ranges!
  if (typeof low === "number") {
    return (tile, among, out) =>
      selectNumbers(viewAs(type, tile.values) as Float64Array, low, high as number, among, out)
  }
  const halves = (bytes: Uint8Array): Int32Array => {
    const values = viewAs(type, bytes)
    return new Int32Array(values.buffer, values.byteOffset, 2 * values.length)
  }
  const signed = viewAs(type, new Uint8Array(0)) instanceof BigInt64Array
  const lowHalves = halves(scalarBytes(type, low))
  const highHalves = halves(scalarBytes(type, high))
  return (tile, among, out) => selectHalves(halves(tile.values), signed, lowHalves, highHalves, among, out)
}
