/**
 * Compares cells of two columns of the same field.
 */
import type { TypedArray } from "../../schema/array/datatype.ts"
import type { Column } from "../query/column/column.ts"

/** Returns whether cell `i` of the first column equals cell `j` of the second. */
export type CellEquals = (i: number, j: number) => boolean

/** NaN equals NaN, and −0 equals 0. */
const sameValue = (a: number | bigint, b: number | bigint): boolean => a === b || (a !== a && b !== b)

const sameRange = (a: TypedArray, from: number, b: TypedArray, at: number, count: number): boolean => {
  for (let k = 0; k < count; k++) if (!sameValue(a[from + k], b[at + k])) return false
  return true
}

/** Returns the comparison of two columns of one field: nulls are equal, NaN equals NaN, and −0 equals 0. */
export const makeCellEquals = (a: Column, b: Column): CellEquals => {
  const { values: left, offsets: starts, validity } = a
  const { values: right, offsets: others, validity: otherValidity } = b
  const width = a.cellValNum
  const values: CellEquals = starts !== undefined && others !== undefined
    ? (i, j) =>
      starts[i + 1] - starts[i] === others[j + 1] - others[j] &&
      sameRange(left, starts[i], right, others[j], starts[i + 1] - starts[i])
    : width === 1
    ? (i, j) => sameValue(left[i], right[j])
    : (i, j) => sameRange(left, i * (width as number), right, j * (width as number), width as number)
  if (validity === undefined && otherValidity === undefined) return values
  return (i, j) => {
    const present = validity === undefined || validity[i] !== 0
    return present === (otherValidity === undefined || otherValidity[j] !== 0) && (!present || values(i, j))
  }
}

/** Returns whether coordinates are identical: unlike values, −0 and 0 are distinct. */
export const makeSameCoordinates = (a: ReadonlyArray<Column>, b: ReadonlyArray<Column>): CellEquals => {
  const each = a.map((column, d): CellEquals => {
    const other = b[d]
    const equal = makeCellEquals(column, other)
    return column.values instanceof Float32Array || column.values instanceof Float64Array
      ? (i, j) => Object.is(column.values[i], other.values[j])
      : equal
  })
  return (i, j) => each.every((equal) => equal(i, j))
}
