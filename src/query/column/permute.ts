import { sizeOf, viewAs } from "../../../schema/array/datatype.ts"
import { permuteCellsSteps, permuteVarSteps, unitsOf } from "../../kernel/copy/gather.ts"
import { finish, inParts, type Steps } from "../../kernel/steps.ts"
import type { Column } from "./column.ts"

const bytesOf = (column: Column): Uint8Array =>
  new Uint8Array(column.values.buffer, column.values.byteOffset, column.values.byteLength)

/** Returns the column whose cell `i` is cell `order[i]` of `column`; `order` may omit cells. */
export const permute = (column: Column, order: Uint32Array): Column => finish(permuteSteps(column, order))

/** Like {@link permute}, in steps. */
export function* permuteSteps(column: Column, order: Uint32Array): Steps<Column> {
  const n = order.length
  let validity: Uint8Array | undefined
  if (column.validity !== undefined) {
    validity = new Uint8Array(n)
    yield* permuteCellsSteps(unitsOf(validity, 1), unitsOf(column.validity, 1), order)
  }
  const { type, offsets } = column
  const size = sizeOf(type)
  if (offsets === undefined || column.cellValNum !== "var") {
    const cell = size * (column.cellValNum as number)
    const bytes = new Uint8Array(n * cell)
    yield* permuteCellsSteps(unitsOf(bytes, cell), unitsOf(bytesOf(column), cell), order)
    return { ...column, length: n, values: viewAs(type, bytes), validity }
  }
  const starts = new Uint32Array(n + 1)
  yield* inParts(n, (from, to) => {
    for (let i = from; i < to; i++) starts[i + 1] = starts[i] + offsets[order[i] + 1] - offsets[order[i]]
  })
  const bytes = new Uint8Array(starts[n] * size)
  yield* permuteVarSteps(bytes, bytesOf(column), offsets, size, order)
  return { ...column, length: n, values: viewAs(type, bytes), offsets: starts, validity }
}
