/**
 * Slices and concatenates columns.
 */
import { arrayOf, type TypedArray } from "../../../schema/array/datatype.ts"
import type { Column } from "./column.ts"

/** Returns the cells `from … to − 1` of a column. Values of fixed-size cells are views, not copies. */
export const columnPart = (column: Column, from: number, to: number): Column => {
  const { values, offsets, validity, cellValNum, length } = column
  if (from === 0 && to === length) return column
  const part = { ...column, length: to - from, validity: validity?.subarray(from, to) }
  if (offsets === undefined) {
    const width = cellValNum as number
    return { ...part, values: values.subarray(from * width, to * width) as TypedArray }
  }
  const start = offsets[from]
  return {
    ...part,
    values: values.subarray(start, offsets[to]) as TypedArray,
    offsets: start === 0 ? offsets.subarray(from, to + 1) : offsets.subarray(from, to + 1).map((at) => at - start),
  }
}

/** Concatenates columns of one field. */
export const joinColumns = (columns: ReadonlyArray<Column>): Column => {
  if (columns.length === 1) return columns[0]
  const [first] = columns
  const sum = (of: (column: Column) => number): number => columns.reduce((total, column) => total + of(column), 0)
  const length = sum((column) => column.length)
  const values = new (arrayOf(first.type))(sum((column) => column.values.length))
  const offsets = first.offsets === undefined ? undefined : new Uint32Array(length + 1)
  const validity = first.validity === undefined ? undefined : new Uint8Array(length)
  let [cell, at] = [0, 0]
  for (const currentColumn of columns) {
    // all columns have the same type of typed array, since they are columns of one field
    values.set(currentColumn.values as never, at)
    validity?.set(currentColumn.validity!, cell)
    if (offsets !== undefined) {
      for (let i = 1; i <= currentColumn.length; i++) offsets[cell + i] = currentColumn.offsets![i] + at
    }
    at += currentColumn.values.length
    cell += currentColumn.length
  }
  return { ...first, length, values, offsets, validity }
}

/** Returns the size of a column's buffers in bytes. */
export const columnBytes = ({ values, offsets, validity }: Column): number =>
  values.byteLength + (offsets?.byteLength ?? 0) + (validity?.byteLength ?? 0)
