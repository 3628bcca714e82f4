/**
 * Sparse plans: which tiles of which fragments may hold cells of a selection. Pure values.
 */
import { readScalar, scalarBytes } from "../../schema/scalar.ts"
import type { MbrLevel } from "../../schema/fragment/rtree.ts"
import { sizeOf, viewAs } from "../../schema/datatype.ts"
import type { Range } from "../../schema/range.ts"
import { compareBytes, type WordRange } from "../kernel/match_ranges.ts"
import { keyWords } from "../kernel/order_key.ts"
import type { DimensionSelection, Selection } from "./selection.ts"

/** How a box lies to a selection. */
export type Overlap = "none" | "some" | "whole"

/** How a range of one dimension, as raw bounds, lies to what is selected of it. */
const overlapOf = (selected: DimensionSelection, low: Uint8Array, high: Uint8Array): Overlap => {
  if (selected.ranges === undefined) return "whole"
  let overlap: Overlap = "none"
  if (selected.kind === "string") {
    for (const r of selected.ranges) {
      if (r.low !== undefined && compareBytes(high, r.low) < 0) continue
      if (r.high !== undefined && compareBytes(low, r.high) > 0) continue
      const within = (r.low === undefined || compareBytes(r.low, low) <= 0) &&
        (r.high === undefined || compareBytes(high, r.high) <= 0)
      if (within) return "whole"
      overlap = "some"
    }
    return overlap
  }
  const { type } = selected.dimension
  const from = readScalar(type, low)
  const to = readScalar(type, high)
  for (const r of selected.ranges) {
    if (to < r.low || from > r.high) continue
    if (r.low <= from && to <= r.high) return "whole"
    overlap = "some"
  }
  return overlap
}

/** How a box lies to a selection. */
export const boxOverlap = (selection: Selection, box: ReadonlyArray<Range>): Overlap => {
  let overlap: Overlap = "whole"
  for (let d = 0; d < selection.length; d++) {
    const one = overlapOf(selection[d], box[d].low, box[d].high)
    if (one === "none") return "none"
    if (one === "some") overlap = "some"
  }
  return overlap
}

/** A tile that may hold cells of the selection; `whole` if all its cells belong to it. */
export interface SparseTile {
  readonly tile: number
  readonly whole: boolean
}

/** The tiles of a fragment that a selection needs, by their MBRs. */
export const planSparse = (selection: Selection, mbrs: MbrLevel): ReadonlyArray<SparseTile> => {
  const out: Array<SparseTile> = []
  const box = new Array<Range>(selection.length)
  const sizes = selection.map((s) => sizeOf(s.dimension.type))
  const raw = mbrs.dimensions.map((c) =>
    c.kind === "fixed" ? new Uint8Array(c.values.buffer, c.values.byteOffset, c.values.byteLength) : c.bytes
  )
  for (let tile = 0; tile < mbrs.count; tile++) {
    for (let d = 0; d < box.length; d++) {
      const column = mbrs.dimensions[d]
      const at = column.kind === "fixed"
        ? [2 * tile * sizes[d], (2 * tile + 1) * sizes[d], (2 * tile + 2) * sizes[d]]
        : [column.offsets[2 * tile], column.offsets[2 * tile + 1], column.offsets[2 * tile + 2]]
      box[d] = { low: raw[d].subarray(at[0], at[1]), high: raw[d].subarray(at[1], at[2]) }
    }
    const overlap = boxOverlap(selection, box)
    if (overlap !== "none") out.push({ tile, whole: overlap === "whole" })
  }
  return out
}

/** Number ranges as the key words that coordinates are compared by. */
export const wordRanges = (selected: DimensionSelection): ReadonlyArray<WordRange> => {
  if (selected.kind === "string" || selected.ranges === undefined) return []
  const { type } = selected.dimension
  const words = (value: number | bigint): ReadonlyArray<number> =>
    keyWords(viewAs(type, scalarBytes(type, value))).map((w) => w[0])
  return selected.ranges.map((r) => ({ low: words(r.low), high: words(r.high) }))
}
