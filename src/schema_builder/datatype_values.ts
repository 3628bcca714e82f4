/**
 * The TypeScript types of the values of each datatype, equivalent to `schema/array/datatype.ts` at run time.
 *
 * @module
 */
import type { Datatype } from "../../schema/array/datatype.ts"

/** DATETIME_*: counts of a unit since 1970. */
export type DatetimeType = Extract<Datatype, `datetime_${string}`>

/** TIME_*: counts of a unit since midnight. */
export type TimeType = Extract<Datatype, `time_${string}`>

/** Text with one byte per unit, which is decoded as UTF-8. */
export type TextType = "char" | "string_ascii" | "string_utf8" | "any" | "geom_wkt"

/** The datatypes that a dimension may have. */
export type DimensionType =
  | "int8"
  | "uint8"
  | "int16"
  | "uint16"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64"
  | "float32"
  | "float64"
  | "string_ascii"
  | DatetimeType
  | TimeType

interface ArrayByStorage {
  readonly int8: Int8Array
  readonly uint8: Uint8Array
  readonly int16: Int16Array
  readonly uint16: Uint16Array
  readonly int32: Int32Array
  readonly uint32: Uint32Array
  readonly int64: BigInt64Array
  readonly uint64: BigUint64Array
  readonly float32: Float32Array
  readonly float64: Float64Array
}

type StorageOf<T extends Datatype> = T extends keyof ArrayByStorage ? T
  : T extends DatetimeType | TimeType ? "int64"
  : T extends "char" ? "int8"
  : T extends "string_utf16" | "string_ucs2" ? "uint16"
  : T extends "string_utf32" | "string_ucs4" ? "uint32"
  : "uint8"

/** The typed array of the values of a datatype: `Float32Array` for `float32`. */
export type ArrayOf<T extends Datatype> = ArrayByStorage[StorageOf<T>]

/** One value of a datatype: bigint for 64-bit integers, dates and times; number for all others. */
export type ValueOf<T extends Datatype> = T extends Datatype ? StorageOf<T> extends "int64" | "uint64" ? bigint : number
  : never

/** The accepted forms of a coordinate: dates as Date, ISO text or count, 64-bit integers as number or bigint. */
export type CoordinateOf<T extends Datatype> = T extends "string_ascii" ? string | Uint8Array
  : T extends DatetimeType ? Date | bigint | string
  : T extends TimeType ? bigint | string
  : T extends "int64" | "uint64" ? number | bigint
  : number
