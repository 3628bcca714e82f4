import { sizeOf, viewAs } from "../../schema/datatype.ts"
import { permuteCells, permuteVar, unitsOf } from "../kernel/gather.ts"
import type { Column } from "./column.ts"

const bytesOf = (column: Column): Uint8Array =>
  new Uint8Array(column.values.buffer, column.values.byteOffset, column.values.byteLength)

/** The column whose cell `i` is cell `order[i]` of `column`; `order` may leave cells out. */
export const permute = (column: Column, order: Uint32Array): Column => {
  const n = order.length
  let validity: Uint8Array | undefined
  if (column.validity !== undefined) {
    validity = new Uint8Array(n)
    for (let i = 0; i < n; i++) validity[i] = column.validity[order[i]]
  }
  const { type, offsets } = column
  const size = sizeOf(type)
  if (offsets === undefined || column.cellValNum !== "var") {
    const cell = size * (column.cellValNum as number)
    const bytes = new Uint8Array(n * cell)
    permuteCells(unitsOf(bytes, cell), unitsOf(bytesOf(column), cell), order)
    return { ...column, length: n, values: viewAs(type, bytes), validity }
  }
  const starts = new Uint32Array(n + 1)
  for (let i = 0; i < n; i++) starts[i + 1] = starts[i] + offsets[order[i] + 1] - offsets[order[i]]
  const bytes = new Uint8Array(starts[n] * size)
  permuteVar(bytes, bytesOf(column), offsets, size, order)
  return { ...column, length: n, values: viewAs(type, bytes), offsets: starts, validity }
}
