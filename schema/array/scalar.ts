/**
 * Single values: bytes ⇄ number or bigint ⇄ JSON ⇄ what a user types, by datatype. The one place that knows how.
 *
 * In JSON, 64-bit values (dates and times among them) are strings, the floats that JSON lacks are `"NaN"`, `"Infinity"`
 * and `"-Infinity"`, text is a string, and bytes that are no printable text are `{"hex": …}`.
 *
 * @module
 */
import * as Either from "effect/Either"
import { decodeHex, encodeHex } from "effect/Encoding"
import { type Datatype, isDatetime, isTemporal, sizeOf, storageLimits, storageOf } from "./datatype.ts"
import { parseDatetime, parseTime } from "./datetime.ts"

/** One value: bigint for 64-bit types, dates and times; number for all others. */
export type Scalar = number | bigint

/** Bytes that are no printable text. */
export interface HexJson {
  /** Two digits a byte. */
  readonly hex: string
}

/** One cell in JSON. */
export type CellJson = number | string | null | HexJson | ReadonlyArray<number | string>

/** What a value may be given as: `"2024-02-29"`, `"9007199254740993"`, `7`, `7n`, `{hex: "00ff"}`. */
export type ScalarInput = number | bigint | string | HexJson | Uint8Array

/** A value that its datatype cannot hold. `reason` starts with the value and needs only a "where" before it. */
export class ScalarError extends Error {
  /** Why, with the value. */
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.name = "ScalarError"
    this.reason = reason
  }
}

/** Runs `run`. If it throws a {@link ScalarError}, returns or throws what `refuse` makes of the reason. */
export const catchScalarError = <A>(run: () => A, refuse: (reason: string) => A): A => {
  try {
    return run()
  } catch (error) {
    if (error instanceof ScalarError) return refuse(error.reason)
    throw error
  }
}

/** The value of `type` that lies at `at` in `bytes`, at any alignment. */
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

/** The bytes of one value. Values that do not fit are the caller's mistake; see {@link parseScalar}. */
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

/** One value in JSON. */
export const scalarJson = (value: Scalar): number | string =>
  typeof value === "number" && Number.isFinite(value) ? value : String(value)

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** Returns bytes as lower-case hex. */
export const toHex = (bytes: Uint8Array): string => encodeHex(bytes)

/** Returns the bytes of pairs of hexadecimal digits. The caller has checked the digits. */
export const fromHex = (hex: string): Uint8Array => Either.getOrThrow(decodeHex(hex))

/** Text as a string, or `{"hex": …}` if it is not valid UTF-8 or has control characters other than tab and newline. */
export const textJson = (bytes: Uint8Array): string | HexJson => {
  let ascii = true
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte < 0x20 && byte !== 9 && byte !== 10) return { hex: toHex(bytes) }
    if (byte > 0x7e) ascii = false
  }
  // short ASCII is faster without the decoder, and most text is that
  if (ascii && bytes.length <= 32) return String.fromCharCode.apply(null, bytes as unknown as Array<number>)
  try {
    return decoder.decode(bytes)
  } catch {
    return { hex: toHex(bytes) }
  }
}

/** Whether cells of the datatype are shown as one text, whatever their number of values. */
export const isText = (type: Datatype): boolean =>
  type === "char" || type === "string_ascii" || type === "string_utf8" || type === "any" || type === "geom_wkt"

/** Whether cells of the datatype, if they are var-sized, are shown as `{"hex": …}`. */
export const isBinary = (type: Datatype): boolean => type === "blob" || type === "geom_wkb"

/** All values in `bytes`, in JSON. */
export const scalarsJson = (type: Datatype, bytes: Uint8Array): Array<number | string> => {
  const size = sizeOf(type)
  const out: Array<number | string> = []
  for (let at = 0; at + size <= bytes.byteLength; at += size) out.push(scalarJson(readScalar(type, bytes, at)))
  return out
}

/** One cell that is not null, in JSON, from its bytes. */
export const cellBytesJson = (type: Datatype, cellValNum: number | "var", bytes: Uint8Array): CellJson =>
  isText(type)
    ? textJson(bytes)
    : cellValNum === 1
    ? scalarJson(readScalar(type, bytes))
    : cellValNum === "var" && isBinary(type)
    ? { hex: toHex(bytes) }
    : scalarsJson(type, bytes)

/** One bound of a dimension's range in JSON, from its bytes: text for var-sized dimensions, one value for others. */
export const boundJson = (type: Datatype, cellValNum: number | "var", bytes: Uint8Array): number | string | HexJson =>
  cellValNum === "var" ? textJson(bytes) : scalarJson(readScalar(type, bytes))

const show = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value) : typeof value === "bigint" ? String(value) : `${value}`

const integerOf = (type: Datatype, value: number | bigint | string): bigint => {
  if (typeof value === "bigint") return value
  if (typeof value === "number") {
    if (!Number.isInteger(value)) throw new ScalarError(`${value} is not an integer, which ${type} needs`)
    if (!Number.isSafeInteger(value)) {
      throw new ScalarError(`${value} is past 2^53 and no longer exact as a number; give it as a string`)
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
 * The value that a user means: a number, an integer in a string (needed past 2^53), for dates and times also an ISO text
 * (see {@link parseDatetime}). float32 rounds. Throws {@link ScalarError}.
 */
export const parseScalar = (type: Datatype, value: ScalarInput): Scalar => {
  if (typeof value === "object") {
    if (value === null || !(value instanceof Uint8Array || typeof value.hex === "string")) {
      throw new ScalarError(`${JSON.stringify(value)} is not a value of type ${type}`)
    }
    const bytes = parseBytes(value)
    if (bytes.byteLength !== sizeOf(type)) {
      throw new ScalarError(`${bytes.byteLength} bytes are not one value of ${type}, which has ${sizeOf(type)}`)
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
 * The value of a cell: as {@link parseScalar} has it, but a number that is too large for a float is refused, as it is for an
 * integer; it does not become infinite. Throws {@link ScalarError}.
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

/** The bytes of a text: as UTF-8, or just the bytes that were given. Throws {@link ScalarError}. */
export const parseText = (type: Datatype, value: ScalarInput): Uint8Array => {
  if (typeof value === "string") {
    // deno-lint-ignore no-control-regex
    if (type === "string_ascii" && /[^\x00-\x7f]/.test(value)) {
      throw new ScalarError(`${show(value)} has characters that are not ASCII, as string_ascii needs`)
    }
    return encoder.encode(value)
  }
  if (typeof value === "object" && value !== null && (value instanceof Uint8Array || typeof value.hex === "string")) {
    return parseBytes(value)
  }
  throw new ScalarError(`${show(value)} is not a text, which ${type} needs`)
}

/** The bytes of one bound of a dimension: text for var-sized dimensions, one value for others. Throws {@link ScalarError}. */
export const parseBound = (type: Datatype, cellValNum: number | "var", value: ScalarInput): Uint8Array =>
  cellValNum === "var" ? parseText(type, value) : scalarBytes(type, parseScalar(type, value))
