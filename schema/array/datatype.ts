/**
 * The 44 datatypes: code on disk, name, size and fill value.
 *
 * @module
 */
import { type Field, literal } from "../binary/mod.ts"

/** The names of the datatypes, as TileDB spells them (`string_utf8`, `datetime_ms`, `time_us`…). */
export type Datatype =
  | "int32"
  | "int64"
  | "float32"
  | "float64"
  | "char"
  | "int8"
  | "uint8"
  | "int16"
  | "uint16"
  | "uint32"
  | "uint64"
  | "string_ascii"
  | "string_utf8"
  | "string_utf16"
  | "string_utf32"
  | "string_ucs2"
  | "string_ucs4"
  | "any"
  | "datetime_year"
  | "datetime_month"
  | "datetime_week"
  | "datetime_day"
  | "datetime_hr"
  | "datetime_min"
  | "datetime_sec"
  | "datetime_ms"
  | "datetime_us"
  | "datetime_ns"
  | "datetime_ps"
  | "datetime_fs"
  | "datetime_as"
  | "time_hr"
  | "time_min"
  | "time_sec"
  | "time_ms"
  | "time_us"
  | "time_ns"
  | "time_ps"
  | "time_fs"
  | "time_as"
  | "blob"
  | "bool"
  | "geom_wkb"
  | "geom_wkt"

const codes = {
  int32: 0,
  int64: 1,
  float32: 2,
  float64: 3,
  char: 4,
  int8: 5,
  uint8: 6,
  int16: 7,
  uint16: 8,
  uint32: 9,
  uint64: 10,
  string_ascii: 11,
  string_utf8: 12,
  string_utf16: 13,
  string_utf32: 14,
  string_ucs2: 15,
  string_ucs4: 16,
  any: 17,
  datetime_year: 18,
  datetime_month: 19,
  datetime_week: 20,
  datetime_day: 21,
  datetime_hr: 22,
  datetime_min: 23,
  datetime_sec: 24,
  datetime_ms: 25,
  datetime_us: 26,
  datetime_ns: 27,
  datetime_ps: 28,
  datetime_fs: 29,
  datetime_as: 30,
  time_hr: 31,
  time_min: 32,
  time_sec: 33,
  time_ms: 34,
  time_us: 35,
  time_ns: 36,
  time_ps: 37,
  time_fs: 38,
  time_as: 39,
  blob: 40,
  bool: 41,
  geom_wkb: 42,
  geom_wkt: 43,
} as const

/**
 * The names of all datatypes, ordered by code.
 *
 * ```ts
 * import { datatypes } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals([datatypes.length, datatypes[0], datatypes[43]], [44, "int32", "geom_wkt"])
 * ```
 */
export const datatypes: ReadonlyArray<Datatype> = Object.keys(codes) as Array<Datatype>

/**
 * Returns the on-disk code of a datatype.
 *
 * ```ts
 * import { datatypeCode } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(datatypeCode("string_utf8"), 12)
 * ```
 */
export const datatypeCode = (type: Datatype): number => codes[type]

/** The on-disk form of a datatype: one byte. */
export const DatatypeField: Field<Datatype> = literal(codes, "datatype")

/** The typed array of each storage. */
export interface ArrayByStorage {
  /** −128 to 127. */
  readonly int8: Int8Array
  /** 0 to 255. */
  readonly uint8: Uint8Array
  /** −32,768 to 32,767. */
  readonly int16: Int16Array
  /** 0 to 65,535. */
  readonly uint16: Uint16Array
  /** −2³¹ to 2³¹ − 1. */
  readonly int32: Int32Array
  /** 0 to 2³² − 1. */
  readonly uint32: Uint32Array
  /** −2⁶³ to 2⁶³ − 1, as bigint. */
  readonly int64: BigInt64Array
  /** 0 to 2⁶⁴ − 1, as bigint. */
  readonly uint64: BigUint64Array
  /** IEEE 754 numbers of 32 bits. */
  readonly float32: Float32Array
  /** 64-bit IEEE 754 numbers. */
  readonly float64: Float64Array
}

/**
 * In-memory type of a datatype's values: one of the numeric datatypes. The storage of a numeric datatype is that
 * datatype.
 */
export type DatatypeStorage = keyof ArrayByStorage

/** The typed arrays of columns. */
export type TypedArray = ArrayByStorage[DatatypeStorage]

/**
 * Returns the in-memory representation of a datatype: int64 for dates and times, int8 for CHAR, unsigned integers for
 * text and bytes.
 *
 * ```ts
 * import { storageOf } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals([storageOf("datetime_ms"), storageOf("char"), storageOf("string_ucs2")], ["int64", "int8", "uint16"])
 * ```
 */
export const storageOf = (type: Datatype): DatatypeStorage => {
  switch (type) {
    case "char":
      return "int8"
    case "string_ascii":
    case "string_utf8":
    case "any":
    case "blob":
    case "bool":
    case "geom_wkb":
    case "geom_wkt":
      return "uint8"
    case "string_utf16":
    case "string_ucs2":
      return "uint16"
    case "string_utf32":
    case "string_ucs4":
      return "uint32"
    default:
      return isTemporal(type) ? "int64" : type as DatatypeStorage
  }
}

const constructors = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
} satisfies Record<DatatypeStorage, unknown>

/** Returns the numeric datatype of a typed array; `undefined` for other views, such as DataView. */
export const storageOfArray = (array: ArrayBufferView): DatatypeStorage | undefined =>
  (Object.keys(constructors) as Array<DatatypeStorage>).find((storage) => array.constructor === constructors[storage])

/** The smallest and the largest finite value of each storage: bigints for 64-bit integers. */
export const storageLimits = {
  int8: [-0x80, 0x7f],
  uint8: [0, 0xff],
  int16: [-0x8000, 0x7fff],
  uint16: [0, 0xffff],
  int32: [-0x80000000, 0x7fffffff],
  uint32: [0, 0xffffffff],
  int64: [-0x8000000000000000n, 0x7fffffffffffffffn],
  uint64: [0n, 0xffffffffffffffffn],
  float32: [-3.4028234663852886e38, 3.4028234663852886e38],
  float64: [-Number.MAX_VALUE, Number.MAX_VALUE],
} as const satisfies Record<DatatypeStorage, readonly [number | bigint, number | bigint]>

/** The constructor of a typed array over a buffer. */
export type TypedArrayConstructor = {
  new (length: number): TypedArray
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): TypedArray
  readonly BYTES_PER_ELEMENT: number
}

/**
 * Returns the typed-array constructor of a datatype.
 *
 * ```ts
 * import { arrayOf } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(arrayOf("datetime_day"), BigInt64Array)
 * assertEquals(new (arrayOf("uint16"))(2), new Uint16Array(2))
 * ```
 */
export const arrayOf = (type: Datatype): TypedArrayConstructor =>
  constructors[storageOf(type)] as unknown as TypedArrayConstructor

/**
 * Returns the size of one value in bytes.
 *
 * ```ts
 * import { sizeOf } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals([sizeOf("float32"), sizeOf("string_utf8"), sizeOf("time_ns")], [4, 1, 8])
 * ```
 */
export const sizeOf = (type: Datatype): number => constructors[storageOf(type)].BYTES_PER_ELEMENT

/**
 * Returns `bytes` as values of `type`, without a copy if they are aligned. Throws `RangeError` if the length is not a
 * multiple of the value size.
 *
 * ```ts
 * import { viewAs } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(viewAs("int16", Uint8Array.of(1, 0, 255, 255)), Int16Array.of(1, -1))
 * ```
 */
export const viewAs = (type: Datatype, bytes: Uint8Array): TypedArray => {
  const size = sizeOf(type)
  const source = bytes.byteOffset % size === 0 ? bytes : bytes.slice()
  return new (arrayOf(type))(source.buffer, source.byteOffset, source.byteLength / size)
}

/**
 * Whether a datatype is a DATETIME_* or TIME_* type.
 *
 * ```ts
 * import { isTemporal } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals([isTemporal("time_us"), isTemporal("int64")], [true, false])
 * ```
 */
export const isTemporal = (type: Datatype): boolean => codes[type] >= 18 && codes[type] <= 39
/**
 * Whether a datatype is a DATETIME_* type.
 *
 * ```ts
 * import { isDatetime } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals([isDatetime("datetime_day"), isDatetime("time_us")], [true, false])
 * ```
 */
export const isDatetime = (type: Datatype): boolean => codes[type] >= 18 && codes[type] <= 30
/**
 * Whether a datatype is a STRING_* type of any width (CHAR is not).
 *
 * ```ts
 * import { isString } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals([isString("string_utf8"), isString("char")], [true, false])
 * ```
 */
export const isString = (type: Datatype): boolean => codes[type] >= 11 && codes[type] <= 16
/**
 * Whether a datatype is FLOAT32 or FLOAT64.
 *
 * ```ts
 * import { isFloat } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals([isFloat("float32"), isFloat("int32")], [true, false])
 * ```
 */
export const isFloat = (type: Datatype): boolean => type === "float32" || type === "float64"
/**
 * Whether a datatype is INT* or UINT*.
 *
 * ```ts
 * import { isInteger } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals([isInteger("uint8"), isInteger("bool"), isInteger("datetime_day")], [true, false, false])
 * ```
 */
export const isInteger = (type: Datatype): boolean => !isFloat(type) && (type as string) === storageOf(type)

/**
 * Returns the default fill value (bytes of one value): the minimum for signed integers, dates, times and `char`, the
 * maximum for unsigned integers, NaN for floats, and zero for text, bytes and booleans.
 *
 * ```ts
 * import { defaultFill } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(defaultFill("int16"), Uint8Array.of(0x00, 0x80)) // −32768
 * assertEquals(defaultFill("uint8"), Uint8Array.of(0xff))
 * assertEquals(defaultFill("string_utf8"), Uint8Array.of(0))
 * ```
 */
export const defaultFill = (type: Datatype): Uint8Array<ArrayBuffer> => {
  const out = new Uint8Array(sizeOf(type))
  const view = new DataView(out.buffer)
  switch (storageOf(type)) {
    case "float32":
      view.setUint32(0, 0x7fc00000, true)
      break
    case "float64":
      view.setUint32(4, 0x7ff80000, true)
      break
    case "int8":
    case "int16":
    case "int32":
    case "int64":
      out[out.length - 1] = 0x80
      break
    default:
      if (isInteger(type)) out.fill(0xff)
  }
  return out
}
