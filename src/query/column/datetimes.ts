/**
 * Conversion of datetimes to dates.
 */
import * as DateTime from "effect/DateTime"
import { type Datatype, isDatetime } from "../../../schema/array/datatype.ts"
import { datetimeMillis } from "../../../schema/array/datetime.ts"
import type { Column } from "./column.ts"
import type { TimeForm } from "./typed_columns.ts"

/**
 * Returns a converter for values of a datetime type; it returns `null` for NaT and for times outside the range of
 * dates.
 */
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

/** Converts a column with one datetime per cell; null cells become `null`. */
export const datesOf = (column: Column, form: TimeForm): Array<bigint | Date | DateTime.Utc | null> => {
  const make = timeMaker(column.type, form)
  const { values, validity, length } = column
  const out: Array<bigint | Date | DateTime.Utc | null> = new Array(length)
  for (let i = 0; i < length; i++) {
    out[i] = validity !== undefined && validity[i] === 0 ? null : make(values[i] as bigint)
  }
  return out
}
