/**
 * Columns of dense reads with a condition: replaces cells that fail the condition by the fill value.
 */
import { sizeOf, viewAs } from "../../../schema/array/datatype.ts"
import type { Field } from "../../fragment/field.ts"
import { fillOthers, fillOtherVars } from "../../kernel/copy/fill_others.ts"
import { unitsOf } from "../../kernel/copy/gather.ts"
import type { Column } from "../column/column.ts"

/** Returns the column with the field's fill value where the mask is 0; fixed-size cells are changed in place. */
export const filledColumn = (column: Column, field: Field, mask: Uint8Array): Column => {
  const { values, offsets, validity, type } = column
  if (validity !== undefined) {
    const fill = field.fillIsNull ? 0 : 1
    for (let i = 0; i < mask.length; i++) if (mask[i] === 0) validity[i] = fill
  }
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  if (offsets === undefined) {
    const out = unitsOf(bytes, field.cellSize)
    fillOthers(out, unitsOf(field.fillValue, field.cellSize), mask)
    // `viewAs` copies values that are not aligned
    if (out.array.buffer !== bytes.buffer) {
      bytes.set(new Uint8Array(out.array.buffer, out.array.byteOffset, out.array.byteLength))
    }
    return column
  }
  const unit = sizeOf(type)
  const filled = fillOtherVars(bytes, offsets.map((at) => at * unit), field.fillValue, mask)
  return { ...column, values: viewAs(type, filled.bytes), offsets: filled.offsets.map((at) => at / unit) }
}
