/**
 * Coordinates as text: dates and times in ISO 8601.
 */
import { VAR } from "../../schema/array/cell_val_num.ts"
import { isDatetime, isTemporal, sizeOf } from "../../schema/array/datatype.ts"
import { formatDatetime, formatTime } from "../../schema/array/datetime.ts"
import type { Dimension } from "../../schema/array/dimension.ts"
import type { Range } from "../../schema/array/range.ts"
import { readScalar, textJson } from "../../schema/array/scalar.ts"

/** Returns the coordinate at `index` in the bytes as text. */
export const boundText = ({ type, cellValNum }: Dimension, bytes: Uint8Array, index = 0): string => {
  if (cellValNum === VAR) {
    const text = textJson(bytes)
    return typeof text === "string" ? text : `0x${text.hex}`
  }
  const value = readScalar(type, bytes, index * sizeOf(type))
  if (isDatetime(type)) return formatDatetime(type, value as bigint)
  if (isTemporal(type)) return formatTime(type, value as bigint)
  return String(value)
}

/** Returns a range as two texts. */
export const rangeTexts = (dimension: Dimension, { low, high }: Range): readonly [low: string, high: string] => [
  boundText(dimension, low),
  boundText(dimension, high),
]
