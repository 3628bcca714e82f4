/**
 * Datetimes as dates.
 */
import * as DateTime from "effect/DateTime"
import { type Datatype, isDatetime } from "../../../schema/array/datatype.ts"
import { datetimeMillis } from "../../../schema/array/datetime.ts"
import type { Column } from "./column.ts"
import type { TimeForm } from "./typed_columns.ts"

/** Makes one value of a datetime type what is wanted; `null` for "not a time" and for moments that no date can be. */
export const timeMaker = (
  type: Datatype,
  form: TimeForm,
): (value: bigint) => bigint | Date | DateTime.Utc | null => {
  if (form === "bigint" || !isDatetime(type)) return (value) => value
  const make = form === "date" ? (ms: number) => new Date(ms) : (ms: number) => DateTime.unsafeMake(ms)
  return (value) => {
    const ms = datetimeMillis(type, value)
    return Number.isNaN(ms) ? null : make(ms)
  }
}

/** A column of one datetime a cell as dates; `null` for null cells too. */
export const datesOf = (column: Column, form: TimeForm): Array<bigint | Date | DateTime.Utc | null> => {
  const make = timeMaker(column.type, form)
  const { values, validity, length } = column
  const out: Array<bigint | Date | DateTime.Utc | null> = new Array(length)
  for (let i = 0; i < length; i++) {
    out[i] = validity !== undefined && validity[i] === 0 ? null : make(values[i] as bigint)
  }
  return out
}
