/**
 * Plans sparse reads: selects the tiles of each fragment that may contain selected cells. Plans are pure values.
 */
import { readScalar, type Scalar } from "../../../schema/array/scalar.ts"
import type { MbrColumn, MbrLevel } from "../../../schema/fragment/rtree.ts"
import { arrayOf } from "../../../schema/array/datatype.ts"
import type { Range } from "../../../schema/array/range.ts"
import { firstFrom } from "../../kernel/first_from.ts"
import { compareBytes, compareSlices, type StringRanges, stringRanges } from "../../kernel/match/match_ranges.ts"
import { type KeyWords, keyWords } from "../../kernel/sort/order_key.ts"
import type { DimensionSelection, NumberRange, Selection } from "../selection/selection.ts"

/** Overlap of a box with a selection. */
export type Overlap = "none" | "some" | "whole"

/** Returns the overlap of a range of one dimension, as raw bounds, with the selected ranges. */
const overlapOf = (selected: DimensionSelection, low: Uint8Array, high: Uint8Array): Overlap => {
  if (selected.ranges === undefined) return "whole"
  if (selected.kind === "string") {
    const { ranges } = selected
    const r = ranges[
      firstFrom(ranges.length, (r) => {
        const end = ranges[r].high
        return end !== undefined && compareBytes(end, low) < 0
      })
    ]
    if (r === undefined || (r.low !== undefined && compareBytes(high, r.low) < 0)) return "none"
    const within = (r.low === undefined || compareBytes(r.low, low) <= 0) &&
      (r.high === undefined || compareBytes(high, r.high) <= 0)
    return within ? "whole" : "some"
  }
  const { ranges, dimension: { type } } = selected
  const from = readScalar(type, low)
  const to = readScalar(type, high)
  const r = ranges[firstFrom(ranges.length, (r) => ranges[r].high < from)]
  if (r === undefined || to < r.low) return "none"
  return r.low <= from && to <= r.high ? "whole" : "some"
}

/** Returns the overlap of a box with a selection. */
export const boxOverlap = (selection: Selection, box: ReadonlyArray<Range>): Overlap => {
  let overlap: Overlap = "whole"
  for (let d = 0; d < selection.length; d++) {
    const one = overlapOf(selection[d], box[d].low, box[d].high)
    if (one === "none") return "none"
    if (one === "some") overlap = "some"
  }
  return overlap
}

/** Ranges of numbers as key words, both ends inclusive; ascending and disjoint. */
interface WordRanges {
  readonly count: number
  readonly low: KeyWords
  readonly high: KeyWords
}

/** The selected ranges of a dimension in the form compared with MBRs; `undefined` for the whole dimension. */
export type FlatRanges =
  | { readonly kind: "number"; readonly ranges: WordRanges }
  | { readonly kind: "string"; readonly ranges: StringRanges }
  | undefined

/** Converts a selection to the form that is compared with MBRs. Called once per query. */
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

/** A tile that may contain selected cells; `whole` if all its cells are selected. */
export interface SparseTile {
  readonly tile: number
  readonly whole: boolean
}

const NONE = 0
const SOME = 1
const WHOLE = 2

/** Returns the tiles of a fragment that a selection needs, by their MBRs. */
export const planSparse = (
  selection: Selection,
  mbrs: MbrLevel,
  ranges: ReadonlyArray<FlatRanges> = selection.map(flatRanges),
  wordsOf: (column: MbrColumn, dimension: number) => KeyWords = columnWords,
): ReadonlyArray<SparseTile> => {
  const overlaps = new Uint8Array(mbrs.count).fill(WHOLE)
  ranges.forEach((flat, d) => {
    const column = mbrs.dimensions[d]
    if (flat === undefined || mbrs.count === 0) return
    if (flat.kind === "string") overlapStrings(column, flat.ranges, overlaps)
    else overlapNumbers(wordsOf(column, d), flat.ranges, overlaps)
  })
  const out: Array<SparseTile> = []
  for (let tile = 0; tile < overlaps.length; tile++) {
    if (overlaps[tile] !== NONE) out.push({ tile, whole: overlaps[tile] === WHOLE })
  }
  return out
}

/** Returns the bounds of MBRs as words with the same order. */
export const columnWords = (column: MbrColumn): KeyWords => column.kind === "fixed" ? keyWords(column.values) : []

/** Lowers the overlap of each tile to the overlap of its bounds, words 2·tile and 2·tile + 1, with the ranges. */
const overlapNumbers = (words: KeyWords, ranges: WordRanges, overlaps: Uint8Array): void => {
  const { count, low, high } = ranges
  for (let tile = 0; tile < overlaps.length; tile++) {
    if (overlaps[tile] === NONE) continue
    const from = 2 * tile
    const r = count === 1 ? 0 : firstFrom(count, (r) => compareWords(high, r, words, from) < 0)
    if (r === count || compareWords(high, r, words, from) < 0 || compareWords(words, from + 1, low, r) < 0) {
      overlaps[tile] = NONE
    } else if (compareWords(low, r, words, from) > 0 || compareWords(words, from + 1, high, r) > 0) {
      overlaps[tile] = SOME
    }
  }
}

const compareWords = (a: KeyWords, i: number, b: KeyWords, k: number): number => {
  for (let w = 0; w < a.length; w++) {
    if (a[w][i] !== b[w][k]) return a[w][i] < b[w][k] ? -1 : 1
  }
  return 0
}

const overlapStrings = (column: MbrColumn, ranges: StringRanges, overlaps: Uint8Array): void => {
  if (column.kind === "fixed") return
  const { count, bytes: bounds, starts, open } = ranges
  const { bytes, offsets } = column
  // compares bound k of a range with bound b of a tile; the last range may be unbounded
  const compare = (k: number, b: number): number =>
    open && k === 2 * count - 1 ? 1 : compareSlices(bounds, starts[k], starts[k + 1], bytes, offsets[b], offsets[b + 1])
  for (let tile = 0; tile < overlaps.length; tile++) {
    if (overlaps[tile] === NONE) continue
    const from = 2 * tile
    const r = firstFrom(count, (r) => compare(2 * r + 1, from) < 0)
    if (r === count || compare(2 * r, from + 1) > 0) overlaps[tile] = NONE
    else if (compare(2 * r, from) > 0 || compare(2 * r + 1, from + 1) < 0) overlaps[tile] = SOME
  }
}
