/**
 * Input forms for the cells of a field: buffers as reads return them, or lists of values.
 *
 * @module
 */
import * as DateTime from "effect/DateTime"
import {
  arrayOf,
  type Datatype,
  isDatetime,
  sizeOf,
  storageOf,
  type TypedArray,
} from "../../../schema/array/datatype.ts"
import {
  catchScalarError,
  isText,
  parseCell,
  parseText,
  ScalarError,
  type ScalarInput,
  scalarJson,
} from "../../../schema/array/scalar.ts"
import { WriteError, type WriteReason } from "../../array/open/errors.ts"
import type { Field } from "../../fragment/field.ts"
import { copyInParts, findInParts, inParts, type Steps } from "../../kernel/steps.ts"
import { MAX_VALUE_BYTES } from "../../tile/var_cells.ts"

/**
 * One value of a cell. Datetimes may be `Date`, Effect's `DateTime`, or ISO text; 64-bit integers may be number or
 * bigint.
 */
export type ValueInput = number | bigint | string | boolean | Date | DateTime.DateTime

/** One cell: a value, a text, a list of values, its bytes; `null` for a null cell. */
export type CellInput = ValueInput | Uint8Array | TypedArray | ReadonlyArray<ValueInput> | null

/** Cells as buffers, as reads return them. */
export interface BufferInput {
  /** Values of all cells, concatenated. */
  readonly values: TypedArray
  /**
   * Var-sized cells only: positions in `values`, one more than the number of cells; cell `i` is `values[offsets[i]] …
   * values[offsets[i + 1] − 1]`.
   */
  readonly offsets?: Uint32Array
  /** Nullable attributes only: 1 for a value, 0 for null. Without it, no cell is null. */
  readonly validity?: Uint8Array
  /** Datatype of the values, if known. It must be the datatype of the field. */
  readonly type?: Datatype
}

/** A value of an enumeration; `null` for a null cell. */
export type EnumerationValueInput = string | number | bigint | boolean | null

/** The cells of an enumerated attribute as values of its enumeration. */
export interface EnumeratedInput {
  /** One value per cell. */
  readonly byValue: ReadonlyArray<EnumerationValueInput>
}

/**
 * The cells of a field: a typed array of its datatype, buffers, or a list with one entry per cell. Buffers are fastest
 * and are not copied. For an attribute with an enumeration, `{ byValue: [...] }` lists values instead of codes; texts in
 * a list are values if the enumeration has text values.
 */
export type ColumnInput = TypedArray | BufferInput | ReadonlyArray<CellInput> | EnumeratedInput

/** Cells as bytes, before validation. */
export interface RawColumn {
  readonly cells: number
  readonly values: Uint8Array
  /** Offsets in bytes. */
  readonly offsets: Uint32Array | undefined
  readonly validity: Uint8Array | undefined
}

const shown = (input: unknown): string =>
  typeof input === "object" && input !== null ? input.constructor?.name ?? "an object" : String(input)

const nameOf = (make: unknown): string => (make as { readonly name: string }).name

/** Converts a column to bytes. Throws {@link WriteError}. */
export function* rawColumn(field: Field, input: unknown): Steps<RawColumn> {
  if (Array.isArray(input)) return yield* fromCells(field, input)
  if (typeof input !== "object" || input === null) {
    throw new WriteError({
      field: field.name,
      reason: "WrongType",
      detail: `${shown(input)} is not a column; pass a ${
        nameOf(arrayOf(field.type))
      }, { values, … } or a list of cells`,
    })
  }
  return yield* fromBuffers(field, ArrayBuffer.isView(input) ? { values: input as TypedArray } : input as BufferInput)
}

function* fromBuffers(field: Field, { values, offsets, validity, type }: BufferInput): Steps<RawColumn> {
  const refuse = (reason: WriteReason, detail: string): never => {
    throw new WriteError({ field: field.name, reason, detail })
  }
  const make = arrayOf(field.type)
  if (type !== undefined && type !== field.type) {
    return refuse("WrongType", `the values are ${type}, the field is ${field.type}`)
  }
  // most programs treat text as bytes, whether its datatype is signed or not
  const fits = values instanceof make || (field.type === "char" && (values as unknown) instanceof Uint8Array)
  if (!fits) {
    return refuse("WrongType", `${field.type} is written from ${aOrAn(nameOf(make))}, not from ${aOrAn(shown(values))}`)
  }
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  if (validity !== undefined && !(validity instanceof Uint8Array)) {
    return refuse("WrongType", `validity is a Uint8Array of ones and zeros, not ${aOrAn(shown(validity))}`)
  }
  if (!field.var) {
    if (offsets !== undefined) return refuse("WrongType", "fixed-size cells have no offsets")
    const cells = bytes.byteLength / field.cellSize
    if (!Number.isInteger(cells)) {
      return refuse("WrongLength", `${values.length} values are not whole cells of ${field.cellValNum} values`)
    }
    return { cells, values: yield* aligned(bytes, field.cellSize), offsets: undefined, validity }
  }
  if (!(offsets instanceof Uint32Array)) {
    return refuse("Missing", `cells of any size need offsets: a Uint32Array with one more than there are cells`)
  }
  if (offsets.length === 0) {
    return refuse("WrongLength", "the offsets are empty; expected one more offset than cells")
  }
  if (bytes.byteLength > MAX_VALUE_BYTES) {
    return refuse("TooLarge", `${bytes.byteLength} bytes; give them in parts of less than 4 GiB`)
  }
  const starts = yield* byteOffsets(field, offsets, values.length)
  return { cells: offsets.length - 1, values: bytes, offsets: starts, validity }
}

const aOrAn = (name: string): string => (/^[AEIO]/.test(name) ? `an ${name}` : /^[A-Z]/.test(name) ? `a ${name}` : name)

/** Returns bytes aligned to the units of a cell; copies them only if necessary. */
function* aligned(bytes: Uint8Array, cellSize: number): Steps<Uint8Array> {
  const unit = cellSize % 4 === 0 ? 4 : cellSize % 2 === 0 ? 2 : 1
  if (bytes.byteOffset % unit === 0) return bytes
  const copy = new Uint8Array(bytes.length)
  yield* copyInParts(copy, bytes, 0)
  return copy
}

/** Converts offsets to bytes. Offsets must start at 0, never decrease, and end at the end of the values. */
function* byteOffsets(field: Field, offsets: Uint32Array, length: number): Steps<Uint32Array> {
  const n = offsets.length - 1
  if (offsets[0] !== 0) {
    throw new WriteError({
      field: field.name,
      cell: 0,
      reason: "InvalidOffsets",
      detail: `it starts at ${offsets[0]}; the first offset is 0`,
    })
  }
  const wrong = yield* findInParts(n, (from, to) => {
    for (let i = from; i < to; i++) if (offsets[i + 1] < offsets[i] || offsets[i + 1] > length) return i
    return -1
  })
  if (wrong >= 0) {
    const detail = `it goes from ${offsets[wrong]} to ${
      offsets[wrong + 1]
    }; offsets never fall, and there are ${length} values`
    throw new WriteError({ field: field.name, cell: wrong, reason: "InvalidOffsets", detail })
  }
  if (offsets[n] !== length) {
    const detail = `the last offset is ${offsets[n]}, but there are ${length} values: some belong to no cell`
    throw new WriteError({ field: field.name, reason: "InvalidOffsets", detail })
  }
  const size = sizeOf(field.type)
  if (size === 1) return offsets
  const bytes = new Uint32Array(n + 1)
  yield* inParts(n + 1, (from, to) => {
    for (let i = from; i < to; i++) bytes[i] = offsets[i] * size
  })
  return bytes
}

/**
 * Maximum length of texts that are written character by character: an encoder would allocate an array for each text.
 */
const MAX_SHORT_TEXT_LENGTH = 64

/**
 * Writes a short ASCII text to `out` at `at` and returns its end. Returns −1 for other cells and for texts that do not
 * fit.
 */
const appendAscii = (out: Uint8Array, at: number, cell: unknown): number => {
  if (typeof cell !== "string" || cell.length > MAX_SHORT_TEXT_LENGTH || at + cell.length > out.length) return -1
  for (let k = 0; k < cell.length; k++) {
    const code = cell.charCodeAt(k)
    if (code > 127) return -1
    out[at + k] = code
  }
  return at + cell.length
}

/** Number of cells converted between two yields. */
const LIST_STEP = 1 << 11

/** Converts a list of cells. */
function* fromCells(field: Field, input: ReadonlyArray<unknown>): Steps<RawColumn> {
  const cells = input.length
  const attempt = <A>(cell: number, run: () => A): A =>
    catchScalarError(run, (detail) => {
      throw new WriteError({ field: field.name, cell, reason: "InvalidValue", detail })
    })
  let validity: Uint8Array | undefined
  const isNull = (cell: number): boolean => {
    if (input[cell] !== null && input[cell] !== undefined) return false
    validity ??= new Uint8Array(cells).fill(1)
    validity[cell] = 0
    return true
  }
  if (!field.var && field.cellValNum === 1) {
    const values = new (arrayOf(field.type))(cells)
    const fast = fastValue(field.type)
    yield* inParts(cells, (from, to) => {
      for (let i = from; i < to; i++) {
        const value = input[i]
        if (isNull(i)) continue
        values[i] = (fast(value) ? value : attempt(i, () => valueOf(field.type, value))) as never
      }
    }, LIST_STEP)
    return { cells, values: new Uint8Array(values.buffer), offsets: undefined, validity }
  }
  if (!field.var) {
    const values = new Uint8Array(cells * field.cellSize)
    yield* inParts(cells, (from, to) => {
      for (let i = from; i < to; i++) {
        if (isNull(i)) continue
        const part = attempt(i, () => cellBytes(field.type, input[i]))
        if (part.byteLength !== field.cellSize) {
          const size = sizeOf(field.type)
          const detail = `it has ${part.byteLength / size} values; cells have ${field.cellValNum}`
          throw new WriteError({ field: field.name, cell: i, reason: "WrongLength", detail })
        }
        values.set(part, i * field.cellSize)
      }
    }, LIST_STEP)
    return { cells, values, offsets: undefined, validity }
  }
  // append all cells to one growing buffer: the garbage collector would need seconds for millions of small arrays
  const offsets = new Uint32Array(cells + 1)
  let values = new Uint8Array(16 * cells)
  let total = 0
  const asciiText = isText(field.type)
  for (let i = 0; i < cells; i++) {
    if (i % LIST_STEP === LIST_STEP - 1) yield
    const short = asciiText ? appendAscii(values, total, input[i]) : -1
    if (short >= 0) total = short
    else if (!isNull(i)) {
      const part = attempt(i, () => cellBytes(field.type, input[i]))
      const end = total + part.byteLength
      if (end > MAX_VALUE_BYTES) {
        throw new WriteError({
          field: field.name,
          reason: "TooLarge",
          detail: `more than ${MAX_VALUE_BYTES} bytes; give them in parts of less than 4 GiB`,
        })
      }
      if (end > values.length) {
        const larger = new Uint8Array(Math.min(MAX_VALUE_BYTES, Math.max(end, 2 * values.length)))
        yield* copyInParts(larger, values.subarray(0, total), 0)
        values = larger
      }
      values.set(part, total)
      total = end
    }
    offsets[i + 1] = total
  }
  return { cells, values: values.subarray(0, total), offsets, validity }
}

/** Returns a test for JavaScript values that need no conversion. */
const fastValue = (type: Datatype): (value: unknown) => boolean => {
  const storage = storageOf(type)
  if (storage === "float64") return (value) => typeof value === "number"
  // a non-finite number may be the result of an overflow
  if (storage === "float32") return (value) => typeof value === "number" && Number.isFinite(Math.fround(value))
  if (storage === "int64") {
    return (value) => typeof value === "bigint" && value >= -0x8000000000000000n && value <= 0x7fffffffffffffffn
  }
  if (storage === "uint64") {
    return (value) => typeof value === "bigint" && value >= 0n && value <= 0xffffffffffffffffn
  }
  const bits = 8 * sizeOf(type)
  const [low, high] = storage.startsWith("u") ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1]
  return (value) => Number.isInteger(value) && (value as number) >= low && (value as number) <= high
}

/** Converts one value. Throws {@link ScalarError}. */
const valueOf = (type: Datatype, value: unknown): number | bigint => {
  if (isText(type) && typeof value === "string") {
    const [byte, ...more] = parseText(type, value)
    if (byte === undefined || more.length > 0) throw new ScalarError(`${JSON.stringify(value)} is not one character`)
    // `char` is signed
    return type === "char" && byte > 127 ? byte - 256 : byte
  }
  if (type === "bool" && typeof value === "boolean") return value ? 1 : 0
  return parseCell(type, inputOf(type, value))
}

/** Converts a value to the form that datatypes accept. Throws {@link ScalarError}. */
const inputOf = (type: Datatype, value: unknown): ScalarInput => {
  const date = value instanceof Date ? value : DateTime.isDateTime(value) ? DateTime.toDateUtc(value) : undefined
  if (date === undefined) return value as ScalarInput
  if (!isDatetime(type)) throw new ScalarError(`${type} is not a datetime type`)
  if (Number.isNaN(date.getTime())) throw new ScalarError("an invalid Date")
  return date.toISOString()
}

/** Returns the bytes of a cell of several values. Throws {@link ScalarError}. */
const cellBytes = (type: Datatype, cell: unknown): Uint8Array => {
  const make = arrayOf(type)
  if (typeof cell === "string") {
    if (isText(type)) return parseText(type, cell)
    const units = textUnits(type, cell)
    if (units !== undefined) return units
  }
  if (cell instanceof make || (isText(type) && cell instanceof Uint8Array)) {
    const { buffer, byteOffset, byteLength } = cell as TypedArray
    return new Uint8Array(buffer, byteOffset, byteLength)
  }
  if (!Array.isArray(cell)) {
    const value = typeof cell === "number" || typeof cell === "bigint" ? scalarJson(cell) : shown(cell)
    throw new ScalarError(`${value} is not a cell of several values of ${type}; pass ${aOrAn(nameOf(make))} or a list`)
  }
  const values = new make(cell.length)
  cell.forEach((value, i) => values[i] = valueOf(type, value) as never)
  return new Uint8Array(values.buffer)
}

/** Encodes text in units of two or four bytes. */
const textUnits = (type: Datatype, text: string): Uint8Array | undefined => {
  if (type === "string_utf16" || type === "string_ucs2") {
    return new Uint8Array(Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)).buffer)
  }
  if (type === "string_utf32" || type === "string_ucs4") {
    return new Uint8Array(Uint32Array.from(text, (character) => character.codePointAt(0)!).buffer)
  }
  return undefined
}
