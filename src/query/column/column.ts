/**
 * Columns: the cells of one field.
 *
 * @module
 */
import type { Datatype, TypedArray } from "../../../schema/array/datatype.ts"

/** The cells of one field, as buffers. */
export interface Column {
  /** The name of the field. */
  readonly name: string
  /** The datatype of its values. */
  readonly type: Datatype
  /** Values per cell; `"var"` for var-sized cells. */
  readonly cellValNum: number | "var"
  /** Number of cells. */
  readonly length: number
  /** Values of all cells, concatenated: dates and times as int64, text as bytes (code units for UTF-16 and UTF-32). */
  readonly values: TypedArray
  /**
   * Var-sized cells only: `length + 1` positions in `values`; cell `i` is `values[offsets[i]] … values[offsets[i + 1] −
   * 1]`.
   */
  readonly offsets?: Uint32Array
  /** Nullable cells only: 1 for a value, 0 for null. */
  readonly validity?: Uint8Array
  /** Enumerated attributes only: name of the enumeration whose codes the values are. */
  readonly enumeration?: string
}
