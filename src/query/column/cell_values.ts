/**
 * Single cells of columns as JavaScript values. Columns are {@link Column}s, which carry name and datatype, or the
 * plain buffers that arrays opened with a schema return.
 */
import type * as DateTime from "effect/DateTime"
import { type Datatype, isString, type TypedArray } from "../../../schema/array/datatype.ts"
import { isText } from "../../../schema/array/scalar.ts"
import { timeMaker } from "./datetimes.ts"
import type { Column } from "./column.ts"
import { decodeText, decodeTexts } from "./decode_texts.ts"
import type { TimeForm } from "./typed_columns.ts"

/** A column in any form: a {@link Column}, a typed array, or plain buffers. */
export type AnyColumn = Column | TypedArray | BufferColumn

/** The buffers of a column, without name and datatype. */
export interface BufferColumn {
  /** Values of all cells, concatenated. */
  readonly values: TypedArray
  /** Var-sized cells only: positions in `values`, one more than the number of cells. */
  readonly offsets?: Uint32Array
  /** Nullable cells only: 1 for a value, 0 for null. */
  readonly validity?: Uint8Array
}

/**
 * The value of a cell: a number or bigint; a string for text; a typed array, without a copy, for cells of several
 * values; a date in the requested form; null for a null cell.
 */
export type CellValue = number | bigint | string | TypedArray | Date | DateTime.Utc | null

const isColumn = (column: AnyColumn): column is Column => "type" in column && "cellValNum" in column

/** Returns the buffers of a column in any form. */
const buffersOf = (column: AnyColumn): BufferColumn =>
  ArrayBuffer.isView(column) ? { values: column as TypedArray } : column as BufferColumn

/** Returns the number of values per cell; 1 for plain buffers. */
const widthOf = (column: AnyColumn): number => isColumn(column) && column.cellValNum !== "var" ? column.cellValNum : 1

/**
 * Returns the number of cells of a column.
 *
 * ```ts
 * import { Cells } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Cells.length(Float32Array.of(1, 2, 3)), 3)
 * assertEquals(Cells.length({ values: Uint8Array.of(97, 98, 99), offsets: Uint32Array.of(0, 1, 3) }), 2)
 * ```
 */
export const length = (column: AnyColumn): number => {
  if (isColumn(column)) return column.length
  const { values, offsets } = buffersOf(column)
  return offsets === undefined ? values.length : offsets.length - 1
}

/**
 * Returns whether cell `index` is null.
 *
 * ```ts
 * import { Cells } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const column = { values: Int32Array.of(5, 0), validity: Uint8Array.of(1, 0) }
 * assertEquals([Cells.isNull(column, 0), Cells.isNull(column, 1)], [false, true])
 * ```
 */
export const isNull = (column: AnyColumn, index: number): boolean => buffersOf(column).validity?.[index] === 0

/** Returns the values of a cell, without a copy. */
const sliceOf = (column: AnyColumn, index: number): TypedArray => {
  const { values, offsets } = buffersOf(column)
  const width = widthOf(column)
  return offsets === undefined
    ? values.subarray(index * width, (index + 1) * width)
    : values.subarray(offsets[index], offsets[index + 1])
}

const asBytes = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

/**
 * Returns the bytes of cell `index`, without a copy; `null` for a null cell.
 *
 * ```ts
 * import { Cells } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const column = { values: Uint8Array.of(1, 2, 3), offsets: Uint32Array.of(0, 1, 3) }
 * assertEquals(Cells.bytes(column, 1), Uint8Array.of(2, 3))
 * ```
 */
export const bytes = (column: AnyColumn, index: number): Uint8Array | null =>
  isNull(column, index) ? null : asBytes(sliceOf(column, index))

/** Decodes code units: UTF-8 for 8 bits, UTF-16 or UCS-2 for 16 bits, UTF-32 or UCS-4 for 32 bits. */
const decodeUnits = (units: TypedArray): string => {
  if (units.BYTES_PER_ELEMENT === 1) return decodeText(asBytes(units))
  let out = ""
  for (let i = 0; i < units.length; i++) {
    const unit = Number(units[i])
    // replace invalid code points by U+FFFD, as the UTF-8 decoder does
    out += units.BYTES_PER_ELEMENT === 2
      ? String.fromCharCode(unit)
      : unit > 0x10ffff
      ? "\ufffd"
      : String.fromCodePoint(unit)
  }
  return out
}

/**
 * Returns the text of cell `index`; `null` for a null cell. Invalid sequences become U+FFFD.
 *
 * ```ts
 * import { Cells } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const column = { values: new TextEncoder().encode("fjordsø"), offsets: Uint32Array.of(0, 5, 8) }
 * assertEquals([Cells.text(column, 0), Cells.text(column, 1)], ["fjord", "sø"])
 * ```
 */
export const text = (column: AnyColumn, index: number): string | null =>
  isNull(column, index) ? null : decodeUnits(sliceOf(column, index))

/**
 * Returns the texts of all cells; `null` for null cells. Faster than calling {@link text} for each cell.
 *
 * ```ts
 * import { Cells } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const column = { values: new TextEncoder().encode("fjordsø"), offsets: Uint32Array.of(0, 5, 8) }
 * assertEquals(Cells.texts(column), ["fjord", "sø"])
 * ```
 */
export const texts = (column: AnyColumn): Array<string | null> => {
  const { values, offsets, validity } = buffersOf(column)
  if (offsets === undefined || values.BYTES_PER_ELEMENT > 1) {
    return Array.from({ length: length(column) }, (_, i) => text(column, i))
  }
  const out: Array<string | null> = decodeTexts(asBytes(values), offsets)
  if (validity !== undefined) { for (let i = 0; i < out.length; i++) if (validity[i] === 0) out[i] = null }
  return out
}

/** Returns whether the cells of a column are text. Cells of datatype `any` are bytes. */
const isTextColumn = ({ type }: Column): boolean => type !== "any" && (isText(type) || isString(type))

/**
 * Returns a function that reads single cells as values. Create it once for each column, then call it for each cell.
 *
 * ```ts
 * import { Cells, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   return yield* Sparse.read(quakes, { select: ["time"] })
 * })
 * const { columns } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * const read = Cells.valueReader(columns.time, "date")
 * assertEquals(read(2), new Date("2011-03-11T05:46:24Z"))
 * ```
 */
export const valueReader = (
  column: AnyColumn,
  time: TimeForm = "bigint",
): (index: number) => CellValue => {
  const { values, offsets, validity } = buffersOf(column)
  let read: (index: number) => CellValue = (i) => values[i]
  if (isColumn(column)) {
    if (isTextColumn(column)) read = (i) => decodeUnits(sliceOf(column, i))
    else if (offsets !== undefined || column.cellValNum !== 1) read = (i) => sliceOf(column, i)
    else if (time !== "bigint") {
      const make = timeMaker(column.type, time)
      if (values instanceof BigInt64Array) read = (i) => make(values[i])
    }
  } else if (offsets !== undefined) read = (i) => sliceOf(column, i)
  return validity === undefined ? read : (i) => validity[i] === 0 ? null : read(i)
}

/** Form of the values. */
export interface ValueOptions {
  /** Form of datetimes. Default: `bigint`, the count of their unit since 1970. */
  readonly time?: TimeForm
}

/**
 * Returns cell `index` as a value. Plain buffers carry no datatype: use {@link text} for text. For a whole column,
 * {@link values} or {@link valueReader} is faster.
 *
 * ```ts
 * import { Cells, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   return yield* Sparse.read(quakes, { select: ["place", "time"] })
 * })
 * const { columns } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals([Cells.value(columns.place, 0), Cells.value(columns.time, 0)], ["Crete", 1709251200n])
 * ```
 */
export const value = (column: AnyColumn, index: number, options: ValueOptions = {}): CellValue =>
  valueReader(column, options.time)(index)

/**
 * Returns all cells as values.
 *
 * ```ts
 * import { Cells } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const column = { values: Int32Array.of(5, 0, 7), validity: Uint8Array.of(1, 0, 1) }
 * assertEquals(Cells.values(column), [5, null, 7])
 * ```
 */
export const values = (column: AnyColumn, options: ValueOptions = {}): Array<CellValue> =>
  isColumn(column) && isTextColumn(column)
    ? texts(column)
    : Array.from({ length: length(column) }, (_, i) => i).map(valueReader(column, options.time))

const datetimeOf = (column: AnyColumn, unit: Datatype | undefined): Datatype => {
  const type = isColumn(column) ? column.type : unit
  if (type !== undefined && type.startsWith("datetime_")) return type
  throw new TypeError(
    type === undefined
      ? 'plain counts have no unit; pass the datatype: Cells.date(column, i, "datetime_ns")'
      : `${type} is not a datetime type`,
  )
}

/**
 * Returns cell `index` as a Date; `null` for a null cell and for NaT ("not a time"). Plain buffers require their
 * datatype, such as `"datetime_ns"`. Throws a TypeError if the column does not contain datetimes.
 *
 * ```ts
 * import { Cells } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Cells.date(BigInt64Array.of(1709251200n), 0, "datetime_sec"), new Date("2024-03-01T00:00:00Z"))
 * ```
 */
export const date = (column: AnyColumn, index: number, type?: Datatype): Date | null => {
  const make = timeMaker(datetimeOf(column, type), "date")
  return isNull(column, index) ? null : make(buffersOf(column).values[index] as bigint) as Date | null
}

/**
 * Returns all cells as Dates, converted as by {@link date}.
 *
 * ```ts
 * import { Cells } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const times = BigInt64Array.of(19723n, -(2n ** 63n)) // the last is "not a time"
 * assertEquals(Cells.dates(times, "datetime_day"), [new Date("2024-01-01"), null])
 * ```
 */
export const dates = (column: AnyColumn, type?: Datatype): Array<Date | null> => {
  const make = timeMaker(datetimeOf(column, type), "date")
  const { values, validity } = buffersOf(column)
  return Array.from(
    values as BigInt64Array,
    (count, i) => validity !== undefined && validity[i] === 0 ? null : make(count) as Date | null,
  )
}
