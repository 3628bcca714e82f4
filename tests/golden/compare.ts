/**
 * Compares results with recorded ones. Each function returns the first difference as text, or undefined.
 * The README of the fixtures describes the rules.
 */
import { createHash } from "node:crypto"
import type { CellJson } from "../../schema/array/scalar.ts"
import { cellEncoder, columnJson } from "../../src/query/column/cell_json.ts"
import type { Column } from "../../src/query/column/column.ts"
import type { Digest, ExpectedColumn, ExpectedRead } from "./expected.ts"

/** The result of a read. */
export interface Cells {
  readonly cells: number
  readonly columns: Readonly<Record<string, Column>>
}

/** The properties of the array that affect the comparison. */
export interface Comparison {
  /** names of the dimensions */
  readonly dimensions: ReadonlyArray<string>
  /** whether rows of equal coordinates may be in any order */
  readonly allowsDuplicates: boolean
}

/** Formats as JSON, but distinguishes −0 from 0. */
const show = (value: unknown): string => {
  if (value === undefined) return "nothing"
  return Object.is(value, -0) ? "-0" : JSON.stringify(value, (_, v) => Object.is(v, -0) ? "-0" : v)
}

const short = (value: unknown): string => {
  const text = show(value)
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** Returns the first path at which two JSON values differ. The order of keys is ignored. */
export const differenceOfJson = (expected: unknown, actual: unknown, path = ""): string | undefined => {
  if (isObject(expected) && isObject(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
    for (const key of keys) {
      const at = Array.isArray(expected) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`
      if (!Object.hasOwn(expected, key)) return `${at}: expected nothing, got ${short(actual[key])}`
      if (!Object.hasOwn(actual, key)) return `${at}: expected ${short(expected[key])}, got nothing`
      const difference = differenceOfJson(expected[key], actual[key], at)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  if (Object.is(expected, actual)) return undefined
  return `${path === "" ? "" : `${path}: `}expected ${short(expected)}, got ${short(actual)}`
}

const sameCell = (a: CellJson, b: CellJson): boolean =>
  Object.is(a, b) || (isObject(a) && isObject(b) && show(a) === show(b))

const differenceOfList = (name: string, expected: ReadonlyArray<CellJson>, column: Column): string | undefined => {
  if (expected.length !== column.length) return `${name}: expected ${expected.length} cells, got ${column.length}`
  const encode = cellEncoder(column)
  for (let i = 0; i < expected.length; i++) {
    const actual = encode(i)
    if (!sameCell(expected[i], actual)) return `${name}[${i}]: expected ${short(expected[i])}, got ${short(actual)}`
  }
  return undefined
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Returns the start and end of the cells' values. */
const extent = (column: Column, from: number, to: number): readonly [number, number] =>
  column.cellValNum === "var"
    ? [column.offsets![from], column.offsets![to]]
    : [from * column.cellValNum, to * column.cellValNum]

const bytesOf = (column: Column): Uint8Array => {
  const [from, to] = extent(column, 0, column.length)
  const values = column.values.subarray(from, to)
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}

/** Returns offsets in the engine's form: in bytes, from 0, eight bytes each, without the end. */
const offsetsOf = (column: Column): Uint8Array => {
  const { offsets, values, length } = column
  const out = new DataView(new ArrayBuffer(8 * length))
  for (let i = 0; i < length; i++) {
    out.setBigUint64(8 * i, BigInt((offsets![i] - offsets![0]) * values.BYTES_PER_ELEMENT), true)
  }
  return new Uint8Array(out.buffer)
}

/** Drops the validity: heads and tails are recorded with the values of null cells. */
const withoutNulls = ({ validity: _, ...column }: Column): Column => column

const differenceOfEnds = (name: string, expected: Digest, column: Column): string | undefined => {
  const encode = cellEncoder(withoutNulls(column))
  const check = (cells: ReadonlyArray<CellJson>, from: number): string | undefined => {
    for (let i = 0; i < cells.length; i++) {
      const actual = encode(from + i)
      if (!sameCell(cells[i], actual)) return `${name}[${from + i}]: expected ${short(cells[i])}, got ${short(actual)}`
    }
    return undefined
  }
  return check(expected.head ?? [], 0) ?? check(expected.tail ?? [], column.length - (expected.tail?.length ?? 0))
}

const differenceOfDigest = (name: string, expected: Digest, column: Column): string | undefined => {
  if (expected.cells !== column.length) return `${name}: expected ${expected.cells} cells, got ${column.length}`
  if (expected.validity_sha256 !== undefined) {
    const validity = column.validity
    if (validity === undefined) return `${name}: expected nulls, got a column without`
    if (sha256(validity.subarray(0, column.length)) !== expected.validity_sha256) return `${name}: other cells are null`
  }
  const ends = differenceOfEnds(name, expected, column)
  if (ends !== undefined) return ends
  const bytes = bytesOf(column)
  if (bytes.byteLength !== expected.bytes) {
    return `${name}: expected ${expected.bytes} bytes of values, got ${bytes.byteLength}`
  }
  if (expected.offsets_sha256 !== undefined && sha256(offsetsOf(column)) !== expected.offsets_sha256) {
    return `${name}: the offsets differ (SHA-256)`
  }
  return sha256(bytes) === expected.sha256 ? undefined : `${name}: the values differ (SHA-256), though not at the ends`
}

const isDigest = (expected: ExpectedColumn): expected is Digest => !Array.isArray(expected)

/** Compares a column, cell by cell in order. */
export const differenceOfColumn = (name: string, expected: ExpectedColumn, column: Column): string | undefined =>
  isDigest(expected) ? differenceOfDigest(name, expected, column) : differenceOfList(name, expected, column)

type Lists = Readonly<Record<string, ReadonlyArray<CellJson>>>

const rowsOf = (lists: Lists, length: number): Array<string> => {
  const names = Object.keys(lists)
  return Array.from({ length }, (_, i) => `{${names.map((name) => `${name}: ${show(lists[name][i])}`).join(", ")}}`)
}

/** Compares rows as multisets. */
const differenceOfRows = (expected: Lists, actual: Lists, length: number): string | undefined => {
  const missing = new Map<string, number>()
  for (const row of rowsOf(expected, length)) missing.set(row, (missing.get(row) ?? 0) + 1)
  const surplus: Array<string> = []
  for (const row of rowsOf(actual, length)) {
    const remaining = missing.get(row) ?? 0
    if (remaining > 1) missing.set(row, remaining - 1)
    else if (remaining === 1) missing.delete(row)
    else surplus.push(row)
  }
  if (surplus.length === 0) return undefined
  const absent = missing.keys().next().value
  return `unordered: expected the row ${absent}, got ${surplus[0]} (${surplus.length} rows differ)`
}

/** Compares a whole read. */
export const differenceOfRead = (expected: ExpectedRead, actual: Cells, array: Comparison): string | undefined => {
  const failed = Object.keys(expected.column_errors ?? {})
  const names = Object.keys(expected.columns)
  const requested = [...names, ...failed]
  for (const name of requested) {
    if (!Object.hasOwn(actual.columns, name)) return `${name}: expected a column, got none`
  }
  for (const name of Object.keys(actual.columns)) {
    if (!requested.includes(name)) return `${name}: expected no such column, got one`
  }
  if (actual.cells !== expected.cells) return `expected ${expected.cells} cells, got ${actual.cells}`
  for (const name of requested) {
    const length = actual.columns[name].length
    if (length !== expected.cells) return `${name}: expected ${expected.cells} cells, got ${length}`
  }
  // the contents of these columns are unknown, but they must be readable
  for (const name of failed) columnJson(actual.columns[name])

  const inOrder = expected.layout !== "unordered"
  const anyOrder = (name: string): boolean =>
    !isDigest(expected.columns[name]) && (!inOrder || (array.allowsDuplicates && !array.dimensions.includes(name)))
  for (const name of names) {
    if (anyOrder(name)) continue
    const difference = differenceOfColumn(name, expected.columns[name], actual.columns[name])
    if (difference !== undefined) return difference
  }
  if (!names.some(anyOrder)) return undefined
  // with equal order of the coordinates, equal multisets of rows are equal multisets at each position
  const lists = names.filter((name) => !isDigest(expected.columns[name]))
  return differenceOfRows(
    Object.fromEntries(lists.map((name) => [name, expected.columns[name] as ReadonlyArray<CellJson>])),
    Object.fromEntries(lists.map((name) => [name, columnJson(actual.columns[name])])),
    expected.cells,
  )
}
