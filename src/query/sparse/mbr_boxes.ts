/**
 * Rectangles of tiles and fragments, as numbers that keep their order: what lies apart in them lies apart, and what does not
 * may be rounded together.
 */
import { VAR } from "../../../schema/array/cell_val_num.ts"
import type { Datatype } from "../../../schema/array/datatype.ts"
import type { MbrLevel } from "../../../schema/fragment/rtree.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import type { Boxes } from "../../kernel/boxes.ts"

/** The first bytes of a text as a number; none of them is as much as none at all. */
const textNumber = (bytes: Uint8Array, from: number, to: number): number => {
  let number = 0
  for (let i = 0; i < 6; i++) number = number * 256 + (from + i < to ? bytes[from + i] : 0)
  return number
}

const boundNumber = (type: Datatype, text: boolean, bound: Uint8Array): number =>
  text ? textNumber(bound, 0, bound.length) : Number(readScalar(type, bound))

/** Ends by dimension and box; what is no number is no end. */
const boxesOf = (count: number, dimensions: number, end: (i: number, d: number, high: 0 | 1) => number): Boxes => {
  const ends = (high: 0 | 1): ReadonlyArray<Float64Array> =>
    Array.from({ length: dimensions }, (_, d) =>
      Float64Array.from({ length: count }, (_, i) => {
        const value = end(i, d, high)
        return Number.isNaN(value) ? high === 1 ? Infinity : -Infinity : value
      }))
  return { count, lows: ends(0), highs: ends(1) }
}

/** The non-empty domains of fragments that have one. */
export const domainBoxes = (fragments: ReadonlyArray<Fragment>): Boxes => {
  const dimensions = fragments[0]?.schema.dimensions ?? []
  return boxesOf(fragments.length, dimensions.length, (i, d, high) => {
    const { type, cellValNum } = dimensions[d]
    const range = fragments[i].nonEmptyDomain![d]
    return boundNumber(type, cellValNum === VAR, high === 1 ? range.high : range.low)
  })
}

/** The rectangles of tiles, each of one of several levels. */
export const tileBoxes = (tiles: ReadonlyArray<{ readonly level: MbrLevel; readonly tile: number }>): Boxes =>
  boxesOf(tiles.length, tiles[0]?.level.dimensions.length ?? 0, (i, d, high) => {
    const { level, tile } = tiles[i]
    const column = level.dimensions[d]
    const at = 2 * tile + high
    return column.kind === "fixed"
      ? Number(column.values[at])
      : textNumber(column.bytes, column.offsets[at], column.offsets[at + 1])
  })
