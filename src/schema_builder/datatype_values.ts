/**
 * The TypeScript types of the values of each datatype, equivalent to `schema/array/datatype.ts` at run time.
 *
 * @module
 */
import type { ArrayByStorage, Datatype, DatatypeStorage } from "../../schema/array/datatype.ts"

/** DATETIME_*: counts of a unit since 1970. */
export type DatetimeType = Extract<Datatype, `datetime_${string}`>

/** TIME_*: counts of a unit since midnight. */
export type TimeType = Extract<Datatype, `time_${string}`>

/** Text with one byte per unit, which is decoded as UTF-8. */
export type TextType = "char" | "string_ascii" | "string_utf8" | "any" | "geom_wkt"

/** The datatypes that a dimension may have. */
export type DimensionType =
  | DatatypeStorage
  | "string_ascii"
  | DatetimeType
  | TimeType

type StorageOf<T extends Datatype> = T extends DatatypeStorage ? T
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
