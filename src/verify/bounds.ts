/**
 * Compares bounds of ranges in stored form.
 */
import { VAR } from "../../schema/array/cell_val_num.ts"
import type { Datatype } from "../../schema/array/datatype.ts"
import type { Range } from "../../schema/array/range.ts"
import { readScalar } from "../../schema/array/scalar.ts"
import type { MbrColumn } from "../../schema/fragment/rtree.ts"
import { isByteText } from "../fragment/tile_statistics.ts"
import { compareBytes } from "../kernel/match/match_ranges.ts"

/** The properties of a field that determine the order of its values. */
export interface Compared {
  readonly type: Datatype
  readonly cellValNum: number
}

/** Returns whether a value is before another one; `false` for NaN. */
export const isBefore = ({ type, cellValNum }: Compared, a: Uint8Array, b: Uint8Array): boolean =>
  cellValNum === VAR || isByteText(type) ? compareBytes(a, b) < 0 : readScalar(type, a) < readScalar(type, b)

/** Returns whether a range contains another one. */
export const containsRange = (field: Compared, outer: Range, inner: Range): boolean =>
  !isBefore(field, inner.low, outer.low) && !isBefore(field, outer.high, inner.high)

/** Returns range number `index` of a column of MBRs. */
export const rangeAt = (column: MbrColumn, index: number): Range => {
  if (column.kind === "var") {
    const { bytes, offsets } = column
    return {
      low: bytes.subarray(offsets[2 * index], offsets[2 * index + 1]),
      high: bytes.subarray(offsets[2 * index + 1], offsets[2 * index + 2]),
    }
  }
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: size } = column.values
  const raw = new Uint8Array(buffer, byteOffset, byteLength)
  return {
    low: raw.subarray(2 * index * size, (2 * index + 1) * size),
    high: raw.subarray((2 * index + 1) * size, (2 * index + 2) * size),
  }
}
