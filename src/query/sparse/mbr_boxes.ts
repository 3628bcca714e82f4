/**
 * MBRs of tiles and fragments as boxes of numbers. The conversion preserves the order of bounds, so boxes that are
 * disjoint as numbers are disjoint; rounding may make close boxes overlap.
 */
import { VAR } from "../../../schema/array/cell_val_num.ts"
import type { Datatype } from "../../../schema/array/datatype.ts"
import type { MbrLevel } from "../../../schema/fragment/rtree.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import type { Boxes } from "../../kernel/boxes.ts"

/** Converts the first bytes of a text to a number. An empty text and a text of zero bytes have the same number. */
const textNumber = (bytes: Uint8Array, from: number, to: number): number => {
  let number = 0
  for (let i = 0; i < 6; i++) number = number * 256 + (from + i < to ? bytes[from + i] : 0)
  return number
}

const boundNumber = (type: Datatype, text: boolean, bound: Uint8Array): number =>
  text ? textNumber(bound, 0, bound.length) : Number(readScalar(type, bound))

/** Bounds by dimension and box; NaN means unbounded. */
const boxesOf = (count: number, dimensions: number, end: (i: number, d: number, high: 0 | 1) => number): Boxes => {
  const ends = (high: 0 | 1): ReadonlyArray<Float64Array> =>
    Array.from({ length: dimensions }, (_, d) =>
      Float64Array.from({ length: count }, (_, i) => {
        const value = end(i, d, high)
        return Number.isNaN(value) ? high === 1 ? Infinity : -Infinity : value
      }))
  return { count, lows: ends(0), highs: ends(1) }
}

/** Returns the non-empty domains of the fragments that have one. */
export const domainBoxes = (fragments: ReadonlyArray<Fragment>): Boxes => {
  const dimensions = fragments[0]?.schema.dimensions ?? []
  return boxesOf(fragments.length, dimensions.length, (i, d, high) => {
    const { type, cellValNum } = dimensions[d]
    const range = fragments[i].nonEmptyDomain![d]
    return boundNumber(type, cellValNum === VAR, high === 1 ? range.high : range.low)
  })
}

/** Returns the MBRs of tiles. Each tile is a position in an MBR level. */
export const tileBoxes = (tiles: ReadonlyArray<{ readonly level: MbrLevel; readonly tile: number }>): Boxes =>
  boxesOf(tiles.length, tiles[0]?.level.dimensions.length ?? 0, (i, d, high) => {
    const { level, tile } = tiles[i]
    const column = level.dimensions[d]
    const at = 2 * tile + high
    return column.kind === "fixed"
      ? Number(column.values[at])
      : textNumber(column.bytes, column.offsets[at], column.offsets[at + 1])
  })
