/**
 * Single cells of columns, as values of a program: of {@link Column}s, which say what they are, and of the plain buffers
 * that arrays opened with a schema answer.
 */
import type * as DateTime from "effect/DateTime"
import { type Datatype, isString, type TypedArray } from "../../../schema/array/datatype.ts"
import { isText } from "../../../schema/array/scalar.ts"
import { timeMaker } from "./datetimes.ts"
import type { Column } from "./column.ts"
import { decodeText, decodeTexts } from "./decode_texts.ts"
import type { TimeForm } from "./typed_columns.ts"

/** A column of any form: a {@link Column}, a typed array, or buffers side by side. */
export type AnyColumn = Column | TypedArray | BufferColumn

/** The buffers of a column, without what it is. */
export interface BufferColumn {
  /** All values of all cells. */
  readonly values: TypedArray
  /** Var-sized cells: one more position in `values` than there are cells. */
  readonly offsets?: Uint32Array
  /** Nullable cells: 1 for a value, 0 for null. */
  readonly validity?: Uint8Array
}

/**
 * One cell as a value: number or bigint; text as string; cells of several values as a typed array, without a copy; dates as
 * asked; null as null.
 */
export type CellValue = number | bigint | string | TypedArray | Date | DateTime.Utc | null

const isColumn = (column: AnyColumn): column is Column => "type" in column && "cellValNum" in column

/** The buffers of a column of any form. */
const buffersOf = (column: AnyColumn): BufferColumn =>
  ArrayBuffer.isView(column) ? { values: column as TypedArray } : column as BufferColumn

/** Values in a cell; plain buffers have one. */
const widthOf = (column: AnyColumn): number => isColumn(column) && column.cellValNum !== "var" ? column.cellValNum : 1

/**
 * The number of cells of a column.
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
 * Whether cell `index` is null.
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

/** The values of a cell, without a copy. */
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
 * The bytes of cell `index`, without a copy; `null` for a null.
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

/** Text from its code units: UTF-8 for bytes, UTF-16 or UCS-2 for 16 bits, UTF-32 or UCS-4 for 32 bits. */
const decodeUnits = (units: TypedArray): string => {
  if (units.BYTES_PER_ELEMENT === 1) return decodeText(asBytes(units))
  let out = ""
  for (let i = 0; i < units.length; i++) {
    const unit = Number(units[i])
    // what is no code point is the replacement character, as in UTF-8
    out += units.BYTES_PER_ELEMENT === 2
      ? String.fromCharCode(unit)
      : unit > 0x10ffff
      ? "\ufffd"
      : String.fromCodePoint(unit)
  }
  return out
}

/**
 * The text of cell `index`; `null` for a null. What is not valid is U+FFFD.
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
 * The texts of all cells; `null` for nulls. Faster than {@link text} for each.
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

/** Whether the cells of a column are texts; those of `any` are bytes. */
const isTextColumn = ({ type }: Column): boolean => type !== "any" && (isText(type) || isString(type))

/**
 * How a cell becomes a value; choose it once a column and call it once a cell.
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

/** How dates are wanted. */
export interface ValueOptions {
  /** Default: `bigint`, counts of their unit. */
  readonly time?: TimeForm
}

/**
 * Cell `index` as a value. Plain buffers do not say that they are text: use {@link text}. To go through a whole column,
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
 * All cells as values.
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
      ? 'plain counts do not say their unit; give it: Cells.date(column, i, "datetime_ns")'
      : `${type} is no date`,
  )
}

/**
 * Cell `index` as a Date; `null` for a null, and for "not a time". Plain buffers need their datatype: `"datetime_ns"`.
 * Throws a TypeError for what is no date.
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
 * All cells as Dates, as {@link date} has them.
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
