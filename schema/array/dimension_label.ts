/**
 * Dimension labels as they lie in the array schema (since format 18).
 *
 * @module
 */
import { bool, type Codec, struct, u32, u64, utf8 } from "../binary/mod.ts"
import { CellValNum } from "./cell_val_num.ts"
import { DataOrder } from "./data_order.ts"
import { type Datatype, DatatypeField } from "./datatype.ts"

/** Names for the coordinates of a dimension: a one-dimensional array of its own. */
export interface DimensionLabel {
  /** the index of the dimension */
  readonly dimension: number
  /** The name of the label. */
  readonly name: string
  /** whether `uri` is relative to the array */
  readonly relative: boolean
  /** Where the label array is, as the schema says: check it with `checkInnerPath` before use. */
  readonly uri: string
  /** the attribute of the label array that holds the labels */
  readonly attribute: string
  /** Whether the labels run up or down. */
  readonly order: DataOrder
  /** The datatype of the labels. */
  readonly type: Datatype
  /** Values in a label; all ones for var-sized labels. */
  readonly cellValNum: number
  /** whether the label array belongs to somebody else */
  readonly external: boolean
}

/**
 * A label of the schema. Format: `array_schema.md`, "Dimension Label".
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
