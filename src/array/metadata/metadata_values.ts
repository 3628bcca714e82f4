/**
 * Metadata as values: text, numbers, typed arrays, and NumPy arrays, which TileDB-Py stores in two entries: the values
 * under `__np_flat_KEY` and, unless they have one dimension, the shape under `__np_shape_KEY`. `Metadata.values`
 * converts entries that were read; to write, pass most values as they are, and others with their datatype.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const entry = (name: string, type: "int16" | "int64" | "string_utf8", count: number, ...value: Array<number>) => ({
 *   key: new TextEncoder().encode(name),
 *   name,
 *   type,
 *   count,
 *   value: Uint8Array.from(value),
 * })
 * const values = Metadata.values([
 *   entry("__np_flat_grid", "int16", 2, 5, 0, 6, 0),
 *   entry("__np_shape_grid", "int64", 2, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
 *   entry("unit", "string_utf8", 2, 0xc2, 0xb0),
 * ])
 * assertEquals(values.get("unit"), "°")
 * assertEquals(values.get("grid"), { type: "int16", shape: [2, 1], values: Int16Array.of(5, 6) })
 * ```
 *
 * @module
 */
import { type Datatype, sizeOf, type TypedArray, viewAs } from "../../../schema/array/datatype.ts"
import { isBinary, isText, readScalar } from "../../../schema/array/scalar.ts"
import type { MetadataItem } from "./metadata.ts"
import { NUMPY_SHAPE_PREFIX, NUMPY_VALUES_PREFIX, type NumpyArray } from "./numpy_metadata.ts"

export type { MetadataInput, TypedValue, ValueInput } from "./metadata_input.ts"
export * from "./typed_metadata.ts"
export type { NumpyArray } from "./numpy_metadata.ts"

/**
 * One value: text as a string (as bytes if it is invalid), blobs as bytes, a single number as number or bigint (64-bit
 * integers, dates and times), several as a typed array, and a NumPy array with its shape.
 */
export type MetadataValue = string | number | bigint | TypedArray | NumpyArray

/** The form of metadata values. */
export interface MetadataOptions {
  /**
   * The form of single 64-bit integers: `bigint`; or `number` if the value is exact (up to 2^53 − 1), and bigint
   * otherwise. Dates and times stay bigint, and several values stay typed arrays. Default: `bigint`.
   */
  readonly integers?: "bigint" | "number"
}

const encodings: Partial<Record<Datatype, string>> = { string_utf16: "utf-16le", string_ucs2: "utf-16le" }

const codePoints = (values: TypedArray): string | undefined => {
  let out = ""
  for (const value of values) {
    const code = Number(value)
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined
    out += String.fromCodePoint(code)
  }
  return out
}

const textOf = (type: Datatype, values: TypedArray | Uint8Array): string | undefined => {
  if (type === "string_utf32" || type === "string_ucs4") return codePoints(values)
  try {
    return new TextDecoder(encodings[type] ?? "utf-8", { fatal: true, ignoreBOM: true }).decode(values as Uint8Array)
  } catch {
    return undefined
  }
}

const isWide = (type: Datatype): boolean =>
  type === "string_utf16" || type === "string_utf32" || type === "string_ucs2" || type === "string_ucs4"

/**
 * Returns the value of one entry as stored: the two entries of a NumPy array are two values. Returns a view if the
 * alignment permits it.
 *
 * ```ts
 * import { Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const item = {
 *   key: new TextEncoder().encode("shape"),
 *   name: "shape",
 *   type: "uint16" as const,
 *   count: 2,
 *   value: Uint8Array.of(3, 0, 4, 0),
 * }
 * assertEquals(Metadata.value(item), Uint16Array.of(3, 4))
 *
 * const runs = { ...item, type: "int64" as const, count: 1, value: Uint8Array.of(5, 0, 0, 0, 0, 0, 0, 0) }
 * assertEquals([Metadata.value(runs), Metadata.value(runs, { integers: "number" })], [5n, 5])
 * ```
 */
export const value = ({ type, count, value: bytes }: MetadataItem, options: MetadataOptions = {}): MetadataValue => {
  const values = viewAs(type, bytes)
  if (isText(type)) return textOf(type, bytes) ?? bytes
  if (isWide(type)) return textOf(type, values) ?? values
  if (count !== 1 || isBinary(type) || bytes.byteLength !== sizeOf(type)) return values
  const single = readScalar(type, bytes)
  const isInteger = type === "int64" || type === "uint64"
  return options.integers === "number" && isInteger && Number.isSafeInteger(Number(single)) ? Number(single) : single
}

/** Returns the shape in an entry; `undefined` if it does not fit the number of values. */
const shapeOf = (item: MetadataItem, count: number): ReadonlyArray<number> | undefined => {
  if (item.type.startsWith("string") || item.type.startsWith("float")) return undefined
  const shape = Array.from(viewAs(item.type, item.value), Number)
  const product = shape.reduce((a, b) => a * b, 1)
  return product === count && shape.every((n) => n >= 0) ? shape : undefined
}

/**
 * Returns all entries of an array or group by key, as TileDB-Py shows them: a NumPy array is one value under its
 * original key. Entries whose key is invalid UTF-8 are omitted; a shape that does not fit its values stays a separate
 * entry.
 *
 * ```ts
 * import { layerDefault, Metadata, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   return Metadata.values(yield* TileArray.metadata(weather))
 * })
 * const values = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(values, new Map([["source", "made up"], ["unit", "°C"]]))
 * ```
 */
export const values = (
  items: Iterable<MetadataItem>,
  options: MetadataOptions = {},
): ReadonlyMap<string, MetadataValue> => {
  const byName = new Map<string, MetadataItem>()
  for (const item of items) if (item.name !== undefined) byName.set(item.name, item)
  const out = new Map<string, MetadataValue>()
  const taken = new Set<string>()
  for (const [name, { type, value: bytes }] of byName) {
    if (!name.startsWith(NUMPY_VALUES_PREFIX)) continue
    const key = name.slice(NUMPY_VALUES_PREFIX.length)
    const flat = viewAs(type, bytes)
    const shaped = byName.get(NUMPY_SHAPE_PREFIX + key)
    const shape = shaped === undefined ? [flat.length] : shapeOf(shaped, flat.length)
    // entries that cannot form one array, or that would hide another entry, stay separate
    if (shape === undefined || byName.has(key)) continue
    taken.add(name)
    if (shaped !== undefined) taken.add(NUMPY_SHAPE_PREFIX + key)
    out.set(key, { type, shape, values: flat })
  }
  for (const [name, item] of byName) if (!taken.has(name)) out.set(name, value(item, options))
  return out
}
