/**
 * Input forms of metadata values: plain values, which determine the datatype, or values with an explicit datatype.
 */
import {
  arrayOf,
  type Datatype,
  datatypes,
  sizeOf,
  storageOfArray,
  type TypedArray,
} from "../../../schema/array/datatype.ts"
import { concatSteps } from "../../kernel/copy/concat.ts"
import { copyInParts, finish, inParts, type Steps } from "../../kernel/steps.ts"
import type { MetadataEntry } from "../../../schema/metadata_entries.ts"
import { isBinary, isText, parseScalar, parseText, scalarBytes, ScalarError } from "../../../schema/array/scalar.ts"
import { NUMPY_SHAPE_PREFIX, NUMPY_VALUES_PREFIX, type NumpyArray } from "./numpy_metadata.ts"

/** A value with its datatype, in stored form. */
export interface TypedValue {
  /** The datatype of its values. */
  readonly type: Datatype
  /** Number of values; 0 for an empty value. */
  readonly count: number
  /** The values as bytes. */
  readonly value: Uint8Array
  /** Why the value is invalid. The write fails with this description and the key. */
  readonly problem?: string
}

/**
 * Forms of a metadata value.
 *
 * Values are stored as TileDB-Py stores them, so that it can read them: text as `string_utf8`; a `Uint8Array` as a
 * blob; other typed arrays with their own datatype; whole numbers up to 2⁵³, bigints and booleans as `int64`; a bigint
 * of 2⁶³ or more as `uint64`; other numbers as `float64`; lists of numbers with the datatype of their items. A value
 * with a shape becomes a NumPy array. A Date becomes a NumPy array of `datetime_ms` without dimensions. Use
 * `Metadata.of` for any other datatype.
 */
export type MetadataInput =
  | string
  | number
  | bigint
  | boolean
  | Date
  | TypedArray
  | ReadonlyArray<number | bigint>
  | NumpyArray
  | TypedValue

/** Forms of one value, or of the values of one entry, for `Metadata.of`. */
export type ValueInput =
  | string
  | number
  | bigint
  | boolean
  | Date
  | ReadonlyArray<number | bigint | string | boolean | Date>
  | TypedArray

const MAX_VALUES = 0xffffffff

/** Numbers of characters encoded, and of values converted, between two yields. */
const STEP_CHARACTERS = 1 << 20
const STEP_VALUES = 1024

function* copySteps(values: ArrayBufferView): Steps<Uint8Array> {
  const source = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  const out = new Uint8Array(source.length)
  yield* copyInParts(out, source, 0)
  return out
}

const typed = (type: Datatype, value: Uint8Array): TypedValue => {
  const count = value.length / sizeOf(type)
  if (count > MAX_VALUES) throw new ScalarError(`${count} values exceed the maximum of ${MAX_VALUES} per entry`)
  return { type, count, value }
}

const text = (type: Datatype, input: string): Uint8Array => {
  if (!input.isWellFormed()) {
    throw new ScalarError(`${JSON.stringify(input)} contains half of a surrogate pair, which cannot be encoded`)
  }
  return parseText(type, input)
}

function* textSteps(type: Datatype, input: string): Steps<Uint8Array> {
  if (input.length <= STEP_CHARACTERS) return text(type, input)
  const pieces: Array<Uint8Array> = []
  for (let at = 0, end = 0; at < input.length; at = end) {
    end = Math.min(input.length, at + STEP_CHARACTERS)
    // do not split a pair of surrogates
    if ((input.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++
    pieces.push(text(type, input.slice(at, end)))
    yield
  }
  return yield* concatSteps(pieces)
}

/** Encodes text in units of two or four bytes. */
function* wideSteps(type: Datatype, input: string): Steps<Uint8Array> {
  yield* textSteps("string_utf8", input)
  const units = sizeOf(type) === 2
    ? Array.from({ length: input.length }, (_, i) => input.charCodeAt(i))
    : Array.from(input, (letter) => letter.codePointAt(0)!)
  return yield* scalarsSteps(type, units, (unit) => scalarBytes(type, unit))
}

/** Concatenates values; `bytesOf` returns the bytes of one value. */
function* scalarsSteps<A>(
  type: Datatype,
  values: ReadonlyArray<A>,
  bytesOf: (value: A) => Uint8Array,
): Steps<Uint8Array> {
  const size = sizeOf(type)
  const out = new Uint8Array(values.length * size)
  const put = (from: number, to: number): void => {
    for (let i = from; i < to; i++) out.set(bytesOf(values[i]), i * size)
  }
  yield* inParts(values.length, put, STEP_VALUES)
  return out
}

const scalar = (type: Datatype, input: unknown): Uint8Array => {
  if (typeof input === "boolean") {
    if (type !== "bool") throw new ScalarError(`${input} is not a value of type ${type}`)
    return Uint8Array.of(input ? 1 : 0)
  }
  if (input instanceof Date && Number.isNaN(input.getTime())) throw new ScalarError("an invalid Date is not a value")
  return scalarBytes(type, parseScalar(type, (input instanceof Date ? input.toISOString() : input) as number))
}

/** Encodes values of a datatype. Throws {@link ScalarError} for values outside its range. */
export const typedValue = (type: Datatype, input: ValueInput): TypedValue => finish(typedValueSteps(type, input))

/** Like {@link typedValue}, in steps. */
function* typedValueSteps(type: Datatype, input: ValueInput): Steps<TypedValue> {
  if (!datatypes.includes(type)) throw new ScalarError(`there is no datatype ${JSON.stringify(type)}`)
  if (type === "any") {
    throw new ScalarError("the datatype any is not written by engines; use blob")
  }
  if (typeof input === "string") {
    if (isText(type)) return typed(type, yield* textSteps(type, input))
    if (type.startsWith("string")) return typed(type, yield* wideSteps(type, input))
  }
  if (ArrayBuffer.isView(input)) {
    const item = input.constructor === arrayOf(type)
    if (item || (input instanceof Uint8Array && sizeOf(type) === 1)) return typed(type, yield* copySteps(input))
    const list = Array.from(input as unknown as Iterable<unknown>)
    return typed(type, yield* scalarsSteps(type, list, (value) => scalar(type, value)))
  }
  const list: ReadonlyArray<unknown> = Array.isArray(input) ? input : [input]
  return typed(type, yield* scalarsSteps(type, list, (value) => scalar(type, value)))
}

const listType = (list: ReadonlyArray<unknown>): Datatype => {
  let bigints = false
  let fractions = false
  for (const value of list) {
    if (typeof value === "bigint") bigints = true
    else if (typeof value !== "number") {
      throw new ScalarError(
        `a list of ${value === null ? "null" : typeof value} has no datatype of its own; see Metadata.of`,
      )
    } else if (!Number.isSafeInteger(value) || Object.is(value, -0)) fractions = true
  }
  if (bigints && fractions) throw new ScalarError("bigints and fractions have no common datatype; use Metadata.of")
  if (fractions) return "float64"
  return list.some((value) => typeof value === "bigint" && value >= 2n ** 63n) ? "uint64" : "int64"
}

const arrayType = (values: ArrayBufferView): Datatype => {
  if (values instanceof Uint8Array) return "blob"
  const type = storageOfArray(values)
  if (type === undefined) throw new ScalarError(`${values.constructor.name} is not a typed array of a datatype`)
  return type
}

const isTyped = (input: object): input is TypedValue => "type" in input && "count" in input && "value" in input
const isNumpy = (input: object): input is NumpyArray => "type" in input && "shape" in input && "values" in input

/**
 * Returns the value of one entry. NumPy arrays have two entries and are handled elsewhere. Throws {@link ScalarError}.
 */
function* valueSteps(input: Exclude<MetadataInput, NumpyArray | Date>): Steps<TypedValue> {
  if (typeof input === "string") return yield* typedValueSteps("string_utf8", input)
  if (typeof input === "boolean") return yield* typedValueSteps("int64", input ? 1 : 0)
  if (typeof input === "number" || typeof input === "bigint") return yield* typedValueSteps(listType([input]), input)
  if (Array.isArray(input)) return yield* typedValueSteps(listType(input), input)
  if (ArrayBuffer.isView(input)) return yield* typedValueSteps(arrayType(input), input)
  if (typeof input === "object" && input !== null && isTyped(input)) return yield* checkTypedSteps(input)
  throw new ScalarError(`${input === null ? "null" : typeof input} is not a metadata value`)
}

/** Validates a value in stored form that was read or created before. Throws {@link ScalarError}. */
export const checkTyped = (input: TypedValue): TypedValue => finish(checkTypedSteps(input))

/** Like {@link checkTyped}, in steps. */
export function* checkTypedSteps({ type, count, value, problem }: TypedValue): Steps<TypedValue> {
  if (problem !== undefined) throw new ScalarError(problem)
  const currentTypedValue = typedValue(type, [])
  if (!(value instanceof Uint8Array) || value.length !== count * sizeOf(currentTypedValue.type)) {
    throw new ScalarError(`${count} values of ${type} do not take ${value?.length} bytes`)
  }
  return typed(type, yield* copySteps(value))
}

const encoder = new TextEncoder()

/** Returns the bytes of a key. Short ASCII keys are encoded here, since calling the encoder takes longer. */
const keyBytes = (key: string): Uint8Array => {
  if (key.length > 64) return encoder.encode(key)
  const out = new Uint8Array(key.length)
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    if (unit > 0x7f) return encoder.encode(key)
    out[i] = unit
  }
  return out
}

/** Returns the entry that sets a key. */
export const putEntry = (key: Uint8Array, value: TypedValue): MetadataEntry => ({ key, deleted: false, ...value })

const NO_BYTES = new Uint8Array(0)

const deleteKey = (key: string): MetadataEntry => ({
  key: keyBytes(key),
  deleted: true,
  type: "any",
  count: 0,
  value: NO_BYTES,
})

/** Returns all keys under which a value may be stored: its own key, and the two keys of a NumPy array. */
const keysOf = (key: string): ReadonlyArray<string> => [key, NUMPY_VALUES_PREFIX + key, NUMPY_SHAPE_PREFIX + key]

const millis = (date: Date): BigInt64Array => {
  if (Number.isNaN(date.getTime())) throw new ScalarError("an invalid Date is not a value")
  return BigInt64Array.of(BigInt(date.getTime()))
}

function* numpySteps(key: string, { type, shape, values }: NumpyArray): Steps<ReadonlyArray<MetadataEntry>> {
  const product = shape.reduce((a, b) => a * b, 1)
  if (!shape.every((n) => Number.isSafeInteger(n) && n >= 0) || product !== values.length) {
    throw new ScalarError(`the shape [${shape.join(", ")}] does not match ${values.length} values`)
  }
  // NumPy would not read arrays of these datatypes back
  if (isText(type) || isBinary(type) || type.startsWith("string")) {
    throw new ScalarError(`a NumPy array is of numbers, dates or booleans, not of ${type}`)
  }
  return [
    deleteKey(key),
    putEntry(keyBytes(NUMPY_VALUES_PREFIX + key), yield* typedValueSteps(type, values)),
    shape.length === 1
      ? deleteKey(NUMPY_SHAPE_PREFIX + key)
      : putEntry(keyBytes(NUMPY_SHAPE_PREFIX + key), typedValue(shape.length === 0 ? "int32" : "int64", shape)),
  ]
}

/** Returns the entries that set a key, and remove its previous value in another form. Throws {@link ScalarError}. */
export function* entriesSteps(key: string, input: MetadataInput): Steps<ReadonlyArray<MetadataEntry>> {
  checkName(key)
  if (input instanceof Date) return yield* numpySteps(key, { type: "datetime_ms", shape: [], values: millis(input) })
  if (typeof input === "object" && input !== null && isNumpy(input)) return yield* numpySteps(key, input)
  const [name, ...others] = keysOf(key)
  return [putEntry(keyBytes(name), yield* valueSteps(input)), ...others.map(deleteKey)]
}

/** Returns the entries that delete a key in any form. Throws {@link ScalarError}. */
export const deletionsOf = (key: string): ReadonlyArray<MetadataEntry> => {
  checkName(key)
  return keysOf(key).map(deleteKey)
}

const checkName = (key: string): void => {
  if (typeof key !== "string") throw new ScalarError(`a key is text, not ${typeof key}`)
  if (!key.isWellFormed()) text("string_utf8", key)
  if (key.startsWith(NUMPY_VALUES_PREFIX) || key.startsWith(NUMPY_SHAPE_PREFIX)) {
    throw new ScalarError("keys with this prefix are parts of NumPy arrays; use the key of the array")
  }
}
