/**
 * Coordinates in the messages of errors.
 */
import { type Datatype, isDatetime, isTemporal } from "../../schema/datatype.ts"
import { formatDatetime, formatTime } from "../../schema/datetime.ts"
import { readScalar } from "../../schema/scalar.ts"

/** One coordinate, from its bytes: dates as dates, strings in quotes. */
export const coordinateText = (type: Datatype, bytes: Uint8Array): string => {
  if (type === "string_ascii") return JSON.stringify(new TextDecoder().decode(bytes))
  const value = readScalar(type, bytes)
  if (isDatetime(type)) return formatDatetime(type, value as bigint)
  return isTemporal(type) ? formatTime(type, value as bigint) : String(value)
}
