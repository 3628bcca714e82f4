/**
 * Sparse plans: which tiles of which fragments may hold cells of a selection. Pure values.
 */
import { readScalar, type Scalar } from "../../schema/scalar.ts"
import type { MbrLevel } from "../../schema/fragment/rtree.ts"
import { arrayOf, sizeOf } from "../../schema/datatype.ts"
import type { Range } from "../../schema/range.ts"
import { compareBytes, type StringRanges, stringRanges, type WordRanges } from "../kernel/match_ranges.ts"
import { type KeyWords, keyWords } from "../kernel/order_key.ts"
import type { DimensionSelection, NumberRange, Selection } from "./selection.ts"

/** How a box lies to a selection. */
export type Overlap = "none" | "some" | "whole"

/** The first of ascending, disjoint ranges that does not end before a value. */
const firstFrom = <R>(ranges: ReadonlyArray<R>, endsBefore: (range: R) => boolean): R | undefined => {
  let from = 0
  let to = ranges.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (endsBefore(ranges[middle])) from = middle + 1
    else to = middle
  }
  return ranges[from]
}

/** How a range of one dimension, as raw bounds, lies to what is selected of it. */
const overlapOf = (selected: DimensionSelection, low: Uint8Array, high: Uint8Array): Overlap => {
  if (selected.ranges === undefined) return "whole"
  if (selected.kind === "string") {
    const r = firstFrom(selected.ranges, (r) => r.high !== undefined && compareBytes(r.high, low) < 0)
    if (r === undefined || (r.low !== undefined && compareBytes(high, r.low) < 0)) return "none"
    const within = (r.low === undefined || compareBytes(r.low, low) <= 0) &&
      (r.high === undefined || compareBytes(high, r.high) <= 0)
    return within ? "whole" : "some"
  }
  const { type } = selected.dimension
  const from = readScalar(type, low)
  const to = readScalar(type, high)
  const r = firstFrom(selected.ranges, (r) => r.high < from)
  if (r === undefined || to < r.low) return "none"
  return r.low <= from && to <= r.high ? "whole" : "some"
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

/** What is selected of a dimension, laid flat for the comparison with coordinates; `undefined` is everything. */
export type FlatRanges =
  | { readonly kind: "number"; readonly ranges: WordRanges }
  | { readonly kind: "string"; readonly ranges: StringRanges }
  | undefined

/** Lays a selection flat: once for a query, whatever the number of its tiles. */
export const flatRanges = (selected: DimensionSelection): FlatRanges => {
  if (selected.ranges === undefined) return undefined
  if (selected.kind === "string") return { kind: "string", ranges: stringRanges(selected.ranges) }
  const { ranges } = selected
  const words = (bound: (r: NumberRange) => Scalar): KeyWords => {
    const values = new (arrayOf(selected.dimension.type))(ranges.length)
    for (let r = 0; r < ranges.length; r++) values[r] = bound(ranges[r]) as never
    return keyWords(values)
  }
  return { kind: "number", ranges: { count: ranges.length, low: words((r) => r.low), high: words((r) => r.high) } }
}
