/**
 * Computes positions of boxes within the non-empty domain of an array, for drawings.
 */
import { VAR } from "../../schema/array/cell_val_num.ts"
import { isFloat } from "../../schema/array/datatype.ts"
import type { Dimension } from "../../schema/array/dimension.ts"
import type { Range } from "../../schema/array/range.ts"
import { readScalar } from "../../schema/array/scalar.ts"
import type { OpenedArray } from "../array/open/open.ts"
import { compareBytes } from "../kernel/match/match_ranges.ts"

/** Returns the position of a range, from 0 to 1. */
type Position = (range: Range) => readonly [low: number, high: number]

const limited = (value: number): number => value > 0 ? Math.min(value, 1) : 0

/** Computes positions of text. Distinct bounds have equal distances. */
const textPosition = (bounds: ReadonlyArray<Uint8Array>): Position => {
  const sorted = [...bounds].sort(compareBytes).filter((bound, i, all) =>
    i === 0 || compareBytes(bound, all[i - 1]) !== 0
  )
  const rank = (bound: Uint8Array): number => {
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (compareBytes(sorted[middle], bound) < 0) from = middle + 1
      else to = middle
    }
    return from
  }
  return ({ low, high }) => [limited(rank(low) / sorted.length), limited((rank(high) + 1) / sorted.length)]
}

/** Computes positions of floats, whose cells have no width. A domain of one value fills the axis. */
const realPosition = ({ type }: Dimension, domain: Range): Position => {
  const [start, end] = [Number(readScalar(type, domain.low)), Number(readScalar(type, domain.high))]
  // the difference of large bounds may be infinite
  const extent = end / 2 - start / 2
  const at = (bytes: Uint8Array): number => (Number(readScalar(type, bytes)) / 2 - start / 2) / extent
  return ({ low, high }) => extent > 0 ? [limited(at(low)), limited(at(high))] : [0, 1]
}

/** Computes positions of whole numbers, dates and times, whose cells have the width 1. */
const wholePosition = ({ type }: Dimension, domain: Range): Position => {
  const start = BigInt(readScalar(type, domain.low))
  const extent = Number(BigInt(readScalar(type, domain.high)) - start + 1n)
  const at = (bytes: Uint8Array, after: bigint): number =>
    limited(Number(BigInt(readScalar(type, bytes)) - start + after) / extent)
  return ({ low, high }) => [at(low, 0n), at(high, 1n)]
}

/** Returns a function that computes the positions of boxes within `domain`, the non-empty domain of the array. */
export const makePositions = (
  { schema, fragments }: OpenedArray,
  domain: ReadonlyArray<Range>,
): (box: ReadonlyArray<Range>) => ReadonlyArray<readonly [low: number, high: number]> => {
  const positions = schema.dimensions.map((dimension, d) =>
    dimension.cellValNum === VAR
      ? textPosition(
        fragments.flatMap(({ nonEmptyDomain }) =>
          nonEmptyDomain === undefined ? [] : [nonEmptyDomain[d].low, nonEmptyDomain[d].high]
        ),
      )
      : isFloat(dimension.type)
      ? realPosition(dimension, domain[d])
      : wholePosition(dimension, domain[d])
  )
  return (box) => box.map((range, d) => positions[d](range))
}
