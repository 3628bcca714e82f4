/**
 * Columns in the three forms that conditions compare. The comparison has one loop for each form.
 */
import { sizeOf } from "../../../schema/array/datatype.ts"
import { isBytes } from "../../condition/compile.ts"
import type { ByteCells, Halves } from "../../kernel/match/compare_value.ts"
import type { Column } from "../column/column.ts"

/** The cells of a column. */
export type CellBlocks =
  /** Floats and integers of up to 32 bits: `at(from)` returns at least one block of cells, starting at cell `from`. */
  | { readonly kind: "numbers"; readonly column: Column; readonly at: (from: number) => Float64Array }
  /** 64-bit integers. */
  | { readonly kind: "halves"; readonly column: Column; readonly halves: Halves }
  /** Text, bytes, and cells of several values. */
  | { readonly kind: "bytes"; readonly column: Column; readonly bytes: ByteCells }

/** Returns a column in blocks of `block` cells. */
export const cellBlocks = (column: Column, block: number): CellBlocks => {
  const { type, values, offsets, cellValNum } = column
  if (offsets !== undefined || cellValNum !== 1 || isBytes(type)) {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    const unit = sizeOf(type) * (cellValNum === "var" ? 1 : cellValNum)
    return { kind: "bytes", column, bytes: { bytes, offsets, unit } }
  }
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length)
    return { kind: "halves", column, halves: { words, signed: values instanceof BigInt64Array } }
  }
  if (values instanceof Float64Array) return { kind: "numbers", column, at: (from) => values.subarray(from) }
  // convert a block once for all comparisons
  const numbers = new Float64Array(block)
  let buffered = -1
  const at = (from: number): Float64Array => {
    if (buffered !== from) {
      numbers.set(values.subarray(from, from + block))
      buffered = from
    }
    return numbers
  }
  return { kind: "numbers", column, at }
}
