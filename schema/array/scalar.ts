/**
 * Conversions of single values, by datatype: bytes ⇄ number or bigint ⇄ JSON ⇄ user input.
 *
 * In JSON, 64-bit values (including dates and times) are strings, non-finite floats are `"NaN"`, `"Infinity"` and
 * `"-Infinity"`, text is a string, and bytes that are not printable text are `{"hex": …}`.
 *
 * @module
 */
import * as Either from "effect/Either"
import { decodeHex, encodeHex } from "effect/Encoding"
import { type Datatype, isDatetime, isTemporal, sizeOf, storageLimits, storageOf } from "./datatype.ts"
import { parseDatetime, parseTime } from "./datetime.ts"

/** A single value: bigint for 64-bit types, dates and times; number for all other types. */
export type Scalar = number | bigint

/** Bytes that are not printable text. */
export interface HexJson {
  /** Two hexadecimal digits per byte. */
  readonly hex: string
}

/** A cell in JSON. */
export type CellJson = number | string | null | HexJson | ReadonlyArray<number | string>

/** The accepted forms of a value: `"2024-02-29"`, `"9007199254740993"`, `7`, `7n`, `{hex: "00ff"}`. */
export type ScalarInput = number | bigint | string | HexJson | Uint8Array

/** An invalid value for a datatype. `reason` starts with the value, so that callers can prefix the location. */
export class ScalarError extends Error {
  /** The reason, which starts with the value. */
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.name = "ScalarError"
    this.reason = reason
  }
}

/** Runs a function. If it throws a {@link ScalarError}, calls `refuse` with the reason, and returns its result. */
export const catchScalarError = <A>(run: () => A, refuse: (reason: string) => A): A => {
  try {
    return run()
  } catch (error) {
    if (error instanceof ScalarError) return refuse(error.reason)
    throw error
  }
}

/** Reads the value of `type` at position `at` of `bytes`, which needs no alignment. */
export const readScalar = (type: Datatype, bytes: Uint8Array, at = 0): Scalar => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  switch (storageOf(type)) {
    case "int8":
      return view.getInt8(at)
    case "uint8":
      return view.getUint8(at)
    case "int16":
      return view.getInt16(at, true)
    case "uint16":
      return view.getUint16(at, true)
    case "int32":
      return view.getInt32(at, true)
    case "uint32":
      return view.getUint32(at, true)
    case "int64":
      return view.getBigInt64(at, true)
    case "uint64":
      return view.getBigUint64(at, true)
    case "float32":
      return view.getFloat32(at, true)
    case "float64":
      return view.getFloat64(at, true)
  }
}

/** Returns the bytes of a value. The value must be in the range of the type; see {@link parseScalar}. */
export const scalarBytes = (type: Datatype, value: Scalar): Uint8Array<ArrayBuffer> => {
  const out = new Uint8Array(sizeOf(type))
  const view = new DataView(out.buffer)
  switch (storageOf(type)) {
    case "int8":
    case "uint8":
      out[0] = Number(value)
      break
    case "int16":
    case "uint16":
      view.setUint16(0, Number(value), true)
      break
    case "int32":
    case "uint32":
      view.setUint32(0, Number(value), true)
      break
    case "int64":
    case "uint64":
      view.setBigUint64(0, BigInt(value), true)
      break
    case "float32":
      view.setFloat32(0, Number(value), true)
      break
    case "float64":
      view.setFloat64(0, Number(value), true)
  }
  return out
}

/** Converts a value to JSON. */
export const scalarJson = (value: Scalar): number | string =>
  typeof value === "number" && Number.isFinite(value) ? value : String(value)

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** Returns bytes as lower-case hex. */
export const toHex = (bytes: Uint8Array): string => encodeHex(bytes)

/** Returns the bytes of pairs of hexadecimal digits. The caller has checked the digits. */
export const fromHex = (hex: string): Uint8Array => Either.getOrThrow(decodeHex(hex))

/** Decodes text; returns `{"hex": …}` for invalid UTF-8 and for control characters other than tab and newline. */
export const textJson = (bytes: Uint8Array): string | HexJson => {
  let ascii = true
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte < 0x20 && byte !== 9 && byte !== 10) return { hex: toHex(bytes) }
    if (byte > 0x7e) ascii = false
  }
  // for short ASCII text, the most frequent case, this is faster than the decoder
  if (ascii && bytes.length <= 32) return String.fromCharCode.apply(null, bytes as unknown as Array<number>)
  try {
    return decoder.decode(bytes)
  } catch {
    return { hex: toHex(bytes) }
  }
}

/** Returns whether cells of the datatype are shown as one text, for any number of values per cell. */
export const isText = (type: Datatype): boolean =>
  type === "char" || type === "string_ascii" || type === "string_utf8" || type === "any" || type === "geom_wkt"

/** Returns whether var-sized cells of the datatype are shown as `{"hex": …}`. */
export const isBinary = (type: Datatype): boolean => type === "blob" || type === "geom_wkb"

/** Converts all values in `bytes` to JSON. */
export const scalarsJson = (type: Datatype, bytes: Uint8Array): Array<number | string> => {
  const size = sizeOf(type)
  const out: Array<number | string> = []
  for (let at = 0; at + size <= bytes.byteLength; at += size) out.push(scalarJson(readScalar(type, bytes, at)))
  return out
}

/** Converts the bytes of a cell that is not null to JSON. */
export const cellBytesJson = (type: Datatype, cellValNum: number | "var", bytes: Uint8Array): CellJson =>
  isText(type)
    ? textJson(bytes)
    : cellValNum === 1
    ? scalarJson(readScalar(type, bytes))
    : cellValNum === "var" && isBinary(type)
    ? { hex: toHex(bytes) }
    : scalarsJson(type, bytes)

/** Converts a bound of a dimension's range to JSON: text for var-sized dimensions, one value for others. */
export const boundJson = (type: Datatype, cellValNum: number | "var", bytes: Uint8Array): number | string | HexJson =>
  cellValNum === "var" ? textJson(bytes) : scalarJson(readScalar(type, bytes))

const show = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value) : typeof value === "bigint" ? String(value) : `${value}`

const integerOf = (type: Datatype, value: number | bigint | string): bigint => {
  if (typeof value === "bigint") return value
  if (typeof value === "number") {
    if (!Number.isInteger(value)) throw new ScalarError(`${value} is not an integer, which ${type} needs`)
    if (!Number.isSafeInteger(value)) {
      throw new ScalarError(`${value} exceeds 2^53 and is not exact as a number; use a string`)
    }
    return BigInt(value)
  }
  const text = value.trim()
  if (/^[+-]?\d{1,40}$/.test(text)) return BigInt(text.startsWith("+") ? text.slice(1) : text)
  if (isTemporal(type)) {
    const parsed = isDatetime(type) ? parseDatetime(type, text) : parseTime(type, text)
    if (typeof parsed === "bigint") return parsed
    throw new ScalarError(`${show(value)} ${parsed.reason}`)
  }
  if (type === "bool" && (text === "true" || text === "false")) return text === "true" ? 1n : 0n
  throw new ScalarError(`${show(value)} is not an integer, which ${type} needs`)
}

const floatOf = (type: Datatype, value: number | bigint | string): number => {
  if (typeof value !== "string") return Number(value)
  const text = value.trim()
  if (!/^[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|Infinity|NaN)$/.test(text)) {
    throw new ScalarError(`${show(value)} is not a number, which ${type} needs`)
  }
  return Number(text === "+NaN" || text === "-NaN" ? "NaN" : text)
}

/**
 * Parses user input: a number, an integer in a string (required above 2^53), for dates and times also ISO text (see
 * {@link parseDatetime}). Rounds to float32 for that type. Throws {@link ScalarError}.
 */
export const parseScalar = (type: Datatype, value: ScalarInput): Scalar => {
  if (typeof value === "object") {
    if (value === null || !(value instanceof Uint8Array || typeof value.hex === "string")) {
      throw new ScalarError(`${JSON.stringify(value)} is not a value of type ${type}`)
    }
    const bytes = parseBytes(value)
    if (bytes.byteLength !== sizeOf(type)) {
      throw new ScalarError(`${bytes.byteLength} bytes are not one value of ${type}, which requires ${sizeOf(type)}`)
    }
    return readScalar(type, bytes)
  }
  if (typeof value !== "number" && typeof value !== "bigint" && typeof value !== "string") {
    throw new ScalarError(`${show(value)} is not a value of type ${type}`)
  }
  const storage = storageOf(type)
  if (storage === "float64") return floatOf(type, value)
  if (storage === "float32") return Math.fround(floatOf(type, value))
  const integer = integerOf(type, value)
  const [low, high] = storageLimits[storage]
  if (integer < low || integer > high) {
    throw new ScalarError(`${show(value)} does not fit into ${type} (${low} to ${high})`)
  }
  return storage === "int64" || storage === "uint64" ? integer : Number(integer)
}

/**
 * Parses the value of a cell like {@link parseScalar}, but rejects numbers too large for a float type instead of
 * rounding them to infinity. Throws {@link ScalarError}.
 */
export const parseCell = (type: Datatype, value: ScalarInput): Scalar => {
  const parsed = parseScalar(type, value)
  if (parsed !== Infinity && parsed !== -Infinity) return parsed
  const infinite = typeof value === "object" || value === parsed || (typeof value === "string" && /[iI]nf/.test(value))
  if (infinite) return parsed
  throw new ScalarError(`${show(value)} does not fit into ${type}`)
}

const parseBytes = (value: HexJson | Uint8Array): Uint8Array => {
  if (value instanceof Uint8Array) return value
  if (!/^([0-9a-fA-F]{2})*$/.test(value.hex)) throw new ScalarError(`${show(value.hex)} is not hex`)
  return fromHex(value.hex)
}

/** Returns the bytes of a text: UTF-8 for strings, input bytes unchanged. Throws {@link ScalarError}. */
export const parseText = (type: Datatype, value: ScalarInput): Uint8Array => {
  if (typeof value === "string") {
    // deno-lint-ignore no-control-regex
    if (type === "string_ascii" && /[^\x00-\x7f]/.test(value)) {
      throw new ScalarError(
        `${show(value)} contains characters that are not ASCII, which string_ascii does not support`,
      )
    }
    return encoder.encode(value)
  }
  if (typeof value === "object" && value !== null && (value instanceof Uint8Array || typeof value.hex === "string")) {
    return parseBytes(value)
  }
  throw new ScalarError(`${show(value)} is not a text, which ${type} needs`)
}

/** Returns the bytes of a bound of a dimension: text if it is var-sized, else one value. Throws {@link ScalarError}. */
export const parseBound = (type: Datatype, cellValNum: number | "var", value: ScalarInput): Uint8Array =>
  cellValNum === "var" ? parseText(type, value) : scalarBytes(type, parseScalar(type, value))
