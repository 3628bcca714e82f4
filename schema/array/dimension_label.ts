/**
 * Dimension labels in the array schema (since format 18).
 *
 * @module
 */
import { bool, type Codec, struct, u32, u64, utf8 } from "../binary/mod.ts"
import { CellValNum } from "./cell_val_num.ts"
import { DataOrder } from "./data_order.ts"
import { type Datatype, DatatypeField } from "./datatype.ts"

/** A dimension label: names for the coordinates of a dimension, stored in a one-dimensional array. */
export interface DimensionLabel {
  /** The index of the dimension. */
  readonly dimension: number
  /** The name of the label. */
  readonly name: string
  /** Whether `uri` is relative to the array. */
  readonly relative: boolean
  /** The URI of the label array as stored in the schema: check it with `checkInnerPath` before use. */
  readonly uri: string
  /** The attribute of the label array that contains the labels. */
  readonly attribute: string
  /** Whether the labels are increasing or decreasing. */
  readonly order: DataOrder
  /** The datatype of the labels. */
  readonly type: Datatype
  /** The number of values in a label; all bits set for var-sized labels. */
  readonly cellValNum: number
  /** Whether the label array is external: not created with this array. */
  readonly external: boolean
}

/**
 * The codec of a dimension label. Format: `array_schema.md`, "Dimension Label".
 *
 * ```ts
 * import { decode, DimensionLabel, encode } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const label: DimensionLabel = {
 *   dimension: 0,
 *   name: "height",
 *   relative: true,
 *   uri: "__labels/l0",
 *   attribute: "label",
 *   order: "increasing",
 *   type: "float32",
 *   cellValNum: 1,
 *   external: false,
 * }
 * assertEquals(decode(DimensionLabel, encode(DimensionLabel, label, 22), 22, "mem://a"), label)
 * ```
 */
export const DimensionLabel: Codec<DimensionLabel> = struct({
  dimension: u32,
  name: utf8(u32),
  relative: bool,
  uri: utf8(u64),
  attribute: utf8(u32),
  order: DataOrder,
  type: DatatypeField,
  cellValNum: CellValNum,
  external: bool,
})
