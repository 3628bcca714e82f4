/**
 * Encodes cells for JSON, NDJSON and CSV: dates and times as ISO text, booleans as booleans, NaT as null.
 */
import { type Datatype, isDatetime, isTemporal } from "../../../schema/array/datatype.ts"
import { type CellJson, type Scalar, scalarJson } from "../../../schema/array/scalar.ts"
import { cellEncoder } from "../../query/column/cell_json.ts"
import type { Column } from "../../query/column/column.ts"
import { scalarText } from "./cell_text.ts"

/** One value of a printed cell. */
export type PrintedValue = number | string | boolean | null

/** A printed cell. */
export type PrintedCell = CellJson | boolean | ReadonlyArray<PrintedValue>

/** Returns one cell of a column in printed form. */
export type CellPrinter = (index: number) => PrintedCell

/** Creates the encoder of a column. */
export type Encode = (column: Column) => CellPrinter

const NOT_A_TIME = -(2n ** 63n)

/** Returns the encoder of single values; `undefined` for datatypes whose values are JSON values. */
const valueOf = (type: Datatype): ((value: Scalar) => PrintedValue) | undefined => {
  if (type === "bool") return (value) => value === 0 || value === 1 ? value === 1 : scalarJson(value)
  if (!isTemporal(type)) return undefined
  const text = scalarText(type)
  return isDatetime(type) ? (value) => value === NOT_A_TIME ? null : text(value) : text
}

/** Encodes one value of a datatype. */
export const printedValue = (type: Datatype, value: Scalar): PrintedValue => (valueOf(type) ?? scalarJson)(value)

/** Encodes the cells of a column. */
export const printedCells: Encode = (column) => {
  const { type, cellValNum, values, offsets, validity } = column
  const encode = valueOf(type)
  if (encode === undefined) return cellEncoder(column)
  const list = (from: number, to: number): ReadonlyArray<PrintedValue> => Array.from(values.subarray(from, to), encode)
  const cell: CellPrinter = cellValNum === "var"
    ? (i) => list(offsets![i], offsets![i + 1])
    : cellValNum === 1
    ? (i) => encode(values[i])
    : (i) => list(i * cellValNum, (i + 1) * cellValNum)
  return validity === undefined ? cell : (i) => validity[i] === 0 ? null : cell(i)
}
