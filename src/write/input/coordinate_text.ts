/**
 * Formats coordinates for error messages.
 */
import { type Datatype, isDatetime, isTemporal } from "../../../schema/array/datatype.ts"
import { formatDatetime, formatTime } from "../../../schema/array/datetime.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import { gatherTile, type WriteColumn } from "./write_column.ts"

/** Formats one coordinate: datetimes as dates, strings in quotes. */
export const coordinateText = (type: Datatype, bytes: Uint8Array): string => {
  if (type === "string_ascii") return JSON.stringify(new TextDecoder().decode(bytes))
  const value = readScalar(type, bytes)
  if (isDatetime(type)) return formatDatetime(type, value as bigint)
  return isTemporal(type) ? formatTime(type, value as bigint) : String(value)
}

/** Formats all coordinates of one cell: `x = 3, y = 5`. */
export const cellCoordinatesText = (dimensions: ReadonlyArray<WriteColumn>, cell: number): string =>
  dimensions.map((column) => {
    const { name, type } = column.field
    return `${name} = ${coordinateText(type, gatherTile(column, undefined, cell, cell + 1).values)}`
  }).join(", ")
