import { viewAs } from "../../schema/datatype.ts"
import { sizeOf } from "../../schema/datatype.ts"
import { gatherFixed, gatherVar, unitsOf, varLengths } from "../kernel/gather.ts"
import type { Column } from "./column.ts"

const bytesOf = (column: Column): Uint8Array =>
  new Uint8Array(column.values.buffer, column.values.byteOffset, column.values.byteLength)

/** The column whose cell `i` is cell `order[i]` of `column`; `order` may leave cells out. */
export const permute = (column: Column, order: Uint32Array): Column => {
  const n = order.length
  const one = new Uint32Array(n)
  let validity: Uint8Array | undefined
  if (column.validity !== undefined) {
    validity = new Uint8Array(n)
    for (let i = 0; i < n; i++) validity[i] = column.validity[order[i]]
  }
  const size = sizeOf(column.type)
  if (column.offsets === undefined || column.cellValNum !== "var") {
    const cell = size * (column.cellValNum as number)
    const bytes = new Uint8Array(n * cell)
    gatherFixed(unitsOf(bytes, cell), [unitsOf(bytesOf(column), cell)], one, order)
    return { ...column, length: n, values: viewAs(column.type, bytes), validity }
  }
  const source = [{ bytes: bytesOf(column), offsets: column.offsets.map((o) => o * size) }]
  const lengths = varLengths(source, one, order, 0)
  const starts = new Uint32Array(n + 1)
  for (let i = 0; i < n; i++) starts[i + 1] = starts[i] + lengths[i]
  const bytes = new Uint8Array(starts[n])
  gatherVar(bytes, starts, source, one, order, bytes)
  return { ...column, length: n, values: viewAs(column.type, bytes), offsets: starts.map((s) => s / size), validity }
}
