/**
 * Formats cells as text for tables: dates as dates, floats with the fewest digits, null as `null`.
 */
import { type Datatype, isDatetime, isTemporal } from "../../../schema/array/datatype.ts"
import { formatDatetime, formatTime } from "../../../schema/array/datetime.ts"
import { type CellJson, isBinary, isText, readScalar, type Scalar } from "../../../schema/array/scalar.ts"
import { cellEncoder } from "../../query/column/cell_json.ts"
import type { Column } from "../../query/column/column.ts"
import { printable } from "./text_width.ts"

/** Returns the shortest decimal that rounds to this float32. */
const float32Text = (value: number): string => {
  if (!Number.isFinite(value) || value === 0) return numberText(value)
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return numberText(short)
  }
  return numberText(Number(value.toPrecision(9)))
}

const numberText = (value: number): string => Object.is(value, -0) ? "-0" : String(value)

/** Returns a function that formats values of a datatype. */
export const scalarText = (type: Datatype): (value: Scalar) => string => {
  if (isDatetime(type)) return (value) => formatDatetime(type, value as bigint)
  if (isTemporal(type)) return (value) => formatTime(type, value as bigint)
  if (type === "float32") return (value) => float32Text(value as number)
  if (type === "bool") return (value) => value === 0 ? "false" : value === 1 ? "true" : String(value)
  return (value) => typeof value === "number" ? numberText(value) : String(value)
}

/** Formats one value from its bytes. */
export const bytesText = (type: Datatype, bytes: Uint8Array): string => scalarText(type)(readScalar(type, bytes))

/** Formats a cell in JSON as text. */
export const jsonText = (cell: CellJson): string =>
  cell === null
    ? "null"
    : typeof cell === "string"
    ? printable(cell)
    : typeof cell === "number"
    ? numberText(cell)
    : "hex" in cell
    ? `0x${cell.hex}`
    : `[${cell.join(", ")}]`

/** Returns a function that formats the cells of a column. */
export const cellText = (column: Column): (index: number) => string => {
  const { type, cellValNum, values, offsets, validity } = column
  if (isText(type) || (cellValNum === "var" && isBinary(type))) {
    const encode = cellEncoder(column)
    return (i) => jsonText(encode(i))
  }
  const scalar = scalarText(type)
  const list = (from: number, to: number): string => {
    const parts: Array<string> = []
    for (let k = from; k < to; k++) parts.push(scalar(values[k]))
    return `[${parts.join(", ")}]`
  }
  const text = cellValNum === "var"
    ? (i: number) => list(offsets![i], offsets![i + 1])
    : cellValNum === 1
    ? (i: number) => scalar(values[i])
    : (i: number) => list(i * cellValNum, (i + 1) * cellValNum)
  return validity === undefined ? text : (i) => validity[i] === 0 ? "null" : text(i)
}

/** Returns whether the cells of a column are numbers, which are right-aligned. */
export const isNumeric = (column: Column): boolean =>
  column.cellValNum === 1 && !isText(column.type) && !isTemporal(column.type) && column.type !== "bool"
