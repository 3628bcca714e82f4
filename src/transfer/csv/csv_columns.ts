/**
 * Converts cells of CSV rows to columns for a write.
 */
import type { CsvRow } from "./csv_rows.ts"
import {
  arrayOf,
  type Datatype,
  isDatetime,
  isFloat,
  isString,
  sizeOf,
  storageOf,
} from "../../../schema/array/datatype.ts"
import type { Enumeration } from "../../../schema/array/enumeration.ts"
import { catchScalarError, fromHex, isText, parseCell } from "../../../schema/array/scalar.ts"
import { codesOf } from "../../array/enumeration/enumeration_codes.ts"
import type { Field } from "../../fragment/field.ts"
import type { CsvReason } from "./csv_error.ts"
import type { BufferInput, ColumnInput } from "../../write/input/column_input.ts"

/**
 * A cell that its field cannot contain: the number of the row, counted from the first row of the input, and the reason.
 */
export class CellRefused extends Error {
  readonly row: number
  readonly reason: CsvReason
  constructor(row: number, message: string, reason: CsvReason = "InvalidValue") {
    super(message)
    this.name = "CellRefused"
    this.row = row
    this.reason = reason
  }
}

/** Converts one column of rows to the column of a field. Throws {@link CellRefused}. */
export type ColumnMaker = (rows: ReadonlyArray<CsvRow>, column: number) => ColumnInput

const encoder = new TextEncoder()

/**
 * Returns whether text is not a plain decimal number, although JavaScript converts it to a number (`0x10`, blanks).
 */
const isNotDecimal = (cell: string): boolean => {
  const last = cell.charCodeAt(cell.length - 1)
  // 0x10, 0b1, 0o7 have a letter after their first character; blanks surround the number
  return !(last >= 48 && last <= 57 || last === 46) || cell.charCodeAt(1) > 97 && cell[1] !== "e" ||
    cell.charCodeAt(0) <= 32
}

/** Converts numbers, except 64-bit integers. */
const numbers = (type: Datatype): ColumnMaker => (rows, column) => {
  const values = new (arrayOf(type))(rows.length) as Float64Array
  const float = isFloat(type)
  const size = sizeOf(type) * 8
  const [low, high] = storageOf(type).startsWith("u") ? [0, 2 ** size - 1] : [-(2 ** (size - 1)), 2 ** (size - 1) - 1]
  const round = type === "float32" ? Math.fround : Number
  const validity = validityOf(rows, column)
  for (let i = 0; i < rows.length; i++) {
    const cell = rows[i][column]
    if (cell === null) continue
    const number = cell === "" || isNotDecimal(cell) ? NaN : +cell
    // an infinite number may be the result of an overflow
    const isValid = float ? Number.isFinite(round(number)) : Number.isInteger(number) && number >= low && number <= high
    values[i] = isValid ? number : parseValue(type, cell, i) as number
  }
  return { values, ...(validity === undefined ? {} : { validity }) }
}

/** Converts 64-bit integers. Those that are exact as numbers are written as two halves. */
const wholeNumbers = (type: Datatype): ColumnMaker => (rows, column) => {
  const values = new (arrayOf(type))(rows.length) as BigInt64Array
  const halves = new Int32Array(values.buffer)
  const unsigned = storageOf(type) === "uint64"
  const validity = validityOf(rows, column)
  for (let i = 0; i < rows.length; i++) {
    const cell = rows[i][column]
    if (cell === null) continue
    const number = cell === "" || isNotDecimal(cell) ? NaN : +cell
    if (Number.isSafeInteger(number) && (number >= 0 || !unsigned)) {
      halves[2 * i] = number
      halves[2 * i + 1] = Math.floor(number / 0x100000000)
    } else values[i] = parseValue(type, cell, i) as bigint
  }
  return { values, ...(validity === undefined ? {} : { validity }) }
}

const specials: Readonly<Record<string, number>> = {
  nan: NaN,
  inf: Infinity,
  "-inf": -Infinity,
  infinity: Infinity,
  "-infinity": -Infinity,
}

/** The count of a datetime that represents NaT. */
const NOT_A_TIME = -(2n ** 63n)

/** Converts a value in any accepted spelling. */
const parseValue = (type: Datatype, cell: string, row: number): number | bigint => {
  const text = cell.trim()
  const word = text.toLowerCase()
  if (isDatetime(type) && word === "nat") return NOT_A_TIME
  const existing = isFloat(type) ? specials[word] : type === "bool" ? booleans[word] : undefined
  if (existing !== undefined) return existing
  return catchScalarError(() => parseCell(type, text), (reason) => {
    throw new CellRefused(row, reason)
  })
}

const booleans: Readonly<Record<string, number>> = { true: 1, false: 0, "1": 1, "0": 0 }

const booleanColumn: ColumnMaker = (rows, column) => {
  const values = new Uint8Array(rows.length)
  const validity = validityOf(rows, column)
  for (let i = 0; i < rows.length; i++) {
    const cell = rows[i][column]
    if (cell === null) continue
    const value = booleans[cell.trim().toLowerCase()]
    if (value === undefined) throw new CellRefused(i, `${JSON.stringify(cell)} is neither true nor false`)
    values[i] = value
  }
  return { values, ...(validity === undefined ? {} : { validity }) }
}

/** Returns the validity of a column, or `undefined` if no cell is null. */
const validityOf = (rows: ReadonlyArray<CsvRow>, column: number): Uint8Array | undefined => {
  let validity: Uint8Array | undefined
  for (let i = 0; i < rows.length; i++) {
    if (rows[i][column] !== null) continue
    validity ??= new Uint8Array(rows.length).fill(1)
    validity[i] = 0
  }
  return validity
}

/** Parses bytes that are not text, as `tessera export` writes them. */
const hexBytes = (cell: string): Uint8Array | undefined => {
  const hex = cell.startsWith('{"hex":') ? /^\{"hex": ?"((?:[0-9a-f]{2})*)"\}$/i.exec(cell)?.[1] : undefined
  return hex === undefined ? undefined : fromHex(hex)
}

/** Encodes a text, or bytes in exactly the form of `tessera export`. Other JSON is treated as text. */
const bytesOfText = (cell: string): Uint8Array | undefined =>
  /^\{"hex":"(?:[0-9a-f]{2})*"\}$/.test(cell) ? hexBytes(cell) : undefined

/** Converts text, and bytes in the form of `tessera export`. */
const textCells: ColumnMaker = (rows, column) =>
  rows.map((row) => row[column] === null ? null : bytesOfText(row[column]) ?? row[column])

/** Converts text with one byte per unit. */
const texts = ({ type, nullable }: Field): ColumnMaker => (rows, column) => {
  if (rows.some((row) => row[column]?.startsWith('{"hex":'))) {
    return (textCells(rows, column) as ReadonlyArray<string | null>).map((cell) => nullable ? cell : cell ?? "")
  }
  const offsets = new Uint32Array(rows.length + 1)
  const all = rows.map((row) => row[column] ?? "").join("")
  const bytes = encoder.encode(all)
  let end = 0
  // all characters are ASCII if the numbers of bytes and of characters are equal
  const ascii = bytes.length === all.length
  for (let i = 0; i < rows.length; i++) {
    const cell = rows[i][column] ?? ""
    end += ascii ? cell.length : encoder.encode(cell).length
    offsets[i + 1] = end
  }
  const values = type === "char" ? new Int8Array(bytes.buffer, 0, bytes.length) : bytes
  const validity = nullable ? validityOf(rows, column) : undefined
  return { values, offsets, ...(validity === undefined ? {} : { validity }) }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Returns the text of a cell, which may be in the form of bytes. */
const textValue = (cell: string): string => {
  const bytes = bytesOfText(cell)
  return bytes === undefined ? cell : decoder.decode(bytes)
}

/** Converts enumeration values to codes. */
const codes = (field: Field, enumeration: Enumeration): ColumnMaker => {
  const codeOf = codesOf(enumeration)
  const text = isText(enumeration.type)
  return (rows, column) =>
    rows.map((row, i) => {
      const cell = row[column]
      if (cell === null) return null
      const code = codeOf(text ? textValue(cell) : parseValue(enumeration.type, cell, i))
      if (code !== undefined) return code
      const reason = `${JSON.stringify(cell)} is not a value of the enumeration ${JSON.stringify(field.enumeration)}`
      throw new CellRefused(i, reason)
    })
}

/**
 * Converts cells of several values and of bytes from JSON, as `tessera export` writes them. Text of wide units may also
 * be plain text.
 */
const lists = (type: Datatype): ColumnMaker => (rows, column) =>
  rows.map((row, i) => {
    const cell = row[column]
    if (cell === null || (isString(type) && !cell.startsWith("["))) return cell
    try {
      const parsed: unknown = hexBytes(cell) ?? JSON.parse(cell)
      if (Array.isArray(parsed) || parsed instanceof Uint8Array) return parsed as ReadonlyArray<number> | Uint8Array
    } catch {
      // invalid JSON is reported below
    }
    throw new CellRefused(i, `${JSON.stringify(cell)} is neither a list of values in JSON nor {"hex": "…"}`)
  })

/** Returns the converter for the column of a field. */
export const columnMaker = (field: Field, enumeration: Enumeration | undefined): ColumnMaker => {
  const make = makerOf(field, enumeration)
  if (field.nullable || (isText(field.type) && field.var)) return make
  return (rows, column) => {
    const made = make(rows, column)
    const empty = (made as BufferInput).validity?.indexOf(0) ?? (Array.isArray(made) ? made.indexOf(null) : -1)
    if (empty >= 0) throw new CellRefused(empty, "the cell is empty, and the field is not nullable", "NullValue")
    return made
  }
}

const makerOf = (field: Field, enumeration: Enumeration | undefined): ColumnMaker => {
  const { type, cellValNum } = field
  if (enumeration !== undefined) return codes(field, enumeration)
  if (field.var) return isText(type) ? texts(field) : lists(type)
  if (cellValNum !== 1) return isText(type) ? textCells : lists(type)
  if (type === "bool") return booleanColumn
  if (isText(type)) return textCells
  return sizeOf(type) === 8 && !isFloat(type) ? wholeNumbers(type) : numbers(type)
}
