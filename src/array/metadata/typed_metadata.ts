/**
 * Metadata values with an explicit datatype.
 */
import { arrayOf, type Datatype, datatypes, storageOf, type TypedArray } from "../../../schema/array/datatype.ts"
import { catchScalarError } from "../../../schema/array/scalar.ts"
import { type TypedValue, typedValue, type ValueInput } from "./metadata_input.ts"
import type { NumpyArray } from "./numpy_metadata.ts"

/**
 * Returns a value of any datatype, by name: a single value, or several as a list or typed array. Numbers beyond 2⁵³ are
 * bigint; dates are Date, ISO text or bigint; times are text (`"12:30:00"`) or bigint. Values outside the datatype's
 * range fail when they are written. TileDB-Py reads `bool`, dates and times only in NumPy arrays.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Metadata.of("int16", [1, 2]), { type: "int16", count: 2, value: Uint8Array.of(1, 0, 2, 0) })
 * assertEquals(Metadata.of("datetime_day", "1970-01-03").value, Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0))
 * assertEquals(Metadata.of("int8", 200).problem, "200 does not fit into int8 (-128 to 127)")
 * ```
 */
export const of = (type: Datatype, value: ValueInput): TypedValue =>
  catchScalarError<TypedValue>(
    () => typedValue(type, value),
    (problem) => ({ type, count: 0, value: new Uint8Array(0), problem }),
  )

/** Creates a value of one datatype from one number, several, or a typed array. */
export type MakeValue = (value: number | bigint | ReadonlyArray<number | bigint> | TypedArray) => TypedValue

const maker = (type: Datatype): MakeValue => (value) => of(type, value)

/**
 * −128 to 127.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Metadata.int8(-1), { type: "int8", count: 1, value: Uint8Array.of(255) })
 * ```
 */
export const int8: MakeValue = maker("int8")
/**
 * 0 to 255; a plain `Uint8Array` would be a blob.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Metadata.uint8([1, 2]), { type: "uint8", count: 2, value: Uint8Array.of(1, 2) })
 * ```
 */
export const uint8: MakeValue = maker("uint8")
/**
 * −32,768 to 32,767.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Metadata.int16(-2), { type: "int16", count: 1, value: Uint8Array.of(254, 255) })
 * ```
 */
export const int16: MakeValue = maker("int16")
/**
 * 0 to 65,535.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Metadata.uint16(Uint16Array.of(1, 2)).value, Uint8Array.of(1, 0, 2, 0))
 * ```
 */
export const uint16: MakeValue = maker("uint16")
/**
 * −2³¹ to 2³¹ − 1.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Metadata.int32(2 ** 31).problem, "2147483648 does not fit into int32 (-2147483648 to 2147483647)")
 * ```
 */
export const int32: MakeValue = maker("int32")
/**
 * 0 to 2³² − 1.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Metadata.uint32(7), { type: "uint32", count: 1, value: Uint8Array.of(7, 0, 0, 0) })
 * ```
 */
export const uint32: MakeValue = maker("uint32")
/**
 * −2⁶³ to 2⁶³ − 1.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Metadata.int64([1, 2n]).count, 2) // numbers up to 2⁵³, bigints beyond
 * ```
 */
export const int64: MakeValue = maker("int64")
/**
 * 0 to 2⁶⁴ − 1.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Metadata.uint64(2n ** 64n - 1n).value, new Uint8Array(8).fill(255))
 * ```
 */
export const uint64: MakeValue = maker("uint64")
/**
 * Single precision.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Metadata.float32(1).value, Uint8Array.of(0, 0, 0x80, 0x3f))
 * ```
 */
export const float32: MakeValue = maker("float32")
/**
 * Double precision. Whole numbers without an explicit datatype are `int64`.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals([Metadata.float64(1).type, Metadata.float64([0.5, 1]).count], ["float64", 2])
 * ```
 */
export const float64: MakeValue = maker("float64")

/**
 * ASCII text. Text without an explicit datatype is `string_utf8`.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Metadata.ascii("degC").type, "string_ascii")
 * ```
 */
export const ascii = (text: string): TypedValue => of("string_ascii", text)

/** Options of a NumPy array. */
export interface NumpyOptions {
  /** Length of each dimension. Default: one dimension with all values. */
  readonly shape?: ReadonlyArray<number>
  /**
   * Datatype of the values, for datatypes that share a typed array: `bool`, `datetime_ms`… Default: the datatype of the
   * typed array.
   */
  readonly type?: Datatype
}

/**
 * A NumPy array in TileDB-Py's form.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const grid = Metadata.numpy(Int16Array.of(1, 2, 3, 4), { shape: [2, 2] })
 * assertEquals([grid.type, grid.shape], ["int16", [2, 2]])
 * ```
 */
export const numpy = (values: TypedArray, options: NumpyOptions = {}): NumpyArray => ({
  // the list starts with the datatype named like the storage type
  type: options.type ?? datatypes.find((type) => type === storageOf(type) && arrayOf(type) === values.constructor)!,
  shape: options.shape ?? [values.length],
  values,
})
