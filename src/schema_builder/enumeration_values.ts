/**
 * The values of an enumeration in a schema value.
 */
import { cellSize, VAR } from "../../schema/array/cell_val_num.ts"
import { type Datatype, storageOfArray, type TypedArray } from "../../schema/array/datatype.ts"
import type { Enumeration } from "../../schema/array/enumeration.ts"
import {
  catchScalarError,
  isText,
  parseScalar,
  parseText,
  scalarBytes,
  scalarsJson,
} from "../../schema/array/scalar.ts"
import { bytewise } from "../kernel/sort/bytewise.ts"
import { finish, inParts, type Steps } from "../kernel/steps.ts"
import { SchemaError, type SchemaReason } from "./schema_error.ts"

/** The values of an enumeration: code i represents value i. */
export interface EnumerationValues {
  /** The datatype of the values. */
  readonly type: Datatype
  /** The number of elements per value, or `"var"`. */
  readonly cellValNum: number | "var"
  /** Whether the values are ordered. */
  readonly ordered: boolean
  /** The bytes of all values. */
  readonly data: Uint8Array
  /** The start of each value in `data`; `null` if they have a fixed size. */
  readonly offsets: Float64Array | null
  /** The name of the file for enumerations of an existing array; set when an array is created. */
  readonly fileName?: string
}

/** The user's form of values: texts, numbers, or a typed array, which determines the datatype. */
export type EnumerationList = ReadonlyArray<string | number | bigint> | TypedArray

/** The user's form of an enumeration: its values, and options. */
export type EnumerationInput =
  | EnumerationList
  | {
    /** The distinct values, in the order of their codes. */
    readonly values: EnumerationList
    /**
     * The datatype. Default: `string_utf8` for texts, `int64` for bigints, `float64` for numbers, that of a typed
     * array.
     */
    readonly type?: Datatype
    /** Whether the values are ordered. Default: false. */
    readonly ordered?: boolean
  }

/** Maximum sizes that engines accept for an enumeration, and for all enumerations of a schema, in bytes. */
const MAX_ENUMERATION_SIZE = 10 * 2 ** 20
const MAX_ENUMERATIONS_SIZE = 50 * 2 ** 20

const isTypedArray = (values: EnumerationList): values is TypedArray => ArrayBuffer.isView(values)

const typeOfList = (values: EnumerationList): Datatype => {
  if (isTypedArray(values)) return storageOfArray(values)!
  if (values.length === 0 || typeof values[0] === "string") return "string_utf8"
  return typeof values[0] === "bigint" ? "int64" : "float64"
}

const isList = (input: EnumerationInput): input is EnumerationList => Array.isArray(input) || ArrayBuffer.isView(input)

/** Values as bytes, and as keys with one character per byte for comparisons. */
interface EncodedValues {
  readonly parts: Array<Uint8Array>
  readonly keys: Array<string>
}

/** Number of values encoded per step. */
const STEP_VALUES = 4096
/** The maximum number of characters of texts that are encoded in one call. */
const MAX_ENCODED_LENGTH = 1 << 20

const encoder = new TextEncoder()

/** Returns the concatenated bytes of texts if all are ASCII: calling the encoder for each text is slow. */
const asciiOf = (values: ReadonlyArray<unknown>): Uint8Array | undefined => {
  let length = 0
  for (const value of values) {
    if (typeof value !== "string") return undefined
    length += value.length
  }
  if (length > MAX_ENCODED_LENGTH) return undefined
  const bytes = encoder.encode(values.join(""))
  return bytes.length === length ? bytes : undefined
}

/** Returns the bytes of a value. Throws {@link SchemaError}. */
const encodeValue = (name: string, type: Datatype, value: string | number | bigint): Uint8Array =>
  catchScalarError(
    () => isText(type) ? parseText(type, value as string) : scalarBytes(type, parseScalar(type, value)),
    (detail) => {
      throw new SchemaError({ field: `enumeration ${name}`, reason: "InvalidValue", detail })
    },
  )

/** Returns the bytes of each value. Throws {@link SchemaError}. */
function* encodeValuesSteps(name: string, type: Datatype, values: EnumerationList): Steps<EncodedValues> {
  const list = Array.from(values as Iterable<string | number | bigint>)
  const [parts, keys]: [Array<Uint8Array>, Array<string>] = [[], []]
  for (let from = 0; from < list.length; from += STEP_VALUES) {
    const block = list.slice(from, from + STEP_VALUES)
    const ascii = isText(type) ? asciiOf(block) : undefined
    let at = 0
    for (const value of block) {
      if (ascii !== undefined) {
        const text = value as string
        parts.push(ascii.subarray(at, at += text.length))
        keys.push(text)
      } else {
        const part = encodeValue(name, type, value)
        parts.push(part)
        keys.push(bytewise(part))
        yield
      }
    }
    yield
  }
  return { parts, keys }
}

/** Returns the bytes and keys of existing values. */
function* encodedSteps(values: EnumerationValues): Steps<EncodedValues> {
  const partAt = partReader(values)
  const [parts, keys]: [Array<Uint8Array>, Array<string>] = [[], []]
  const take = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      parts.push(partAt(i))
      keys.push(bytewise(parts[i]))
    }
  }
  yield* inParts(valueCount(values), take, STEP_VALUES)
  return { parts, keys }
}

/** Checks that values are distinct. Throws {@link SchemaError}. */
function* checkDistinctSteps(name: string, type: Datatype, { parts, keys }: EncodedValues): Steps<void> {
  const seen = new Set<string>()
  for (const [i, part] of parts.entries()) {
    if (i % STEP_VALUES === STEP_VALUES - 1) yield
    const key = keys[i]
    if (seen.has(key)) {
      const shown = isText(type) ? new TextDecoder().decode(part) : scalarsJson(type, part).join(", ")
      throw new SchemaError({
        field: `enumeration ${name}`,
        reason: "Duplicate",
        detail: `duplicate value ${JSON.stringify(shown)}`,
      })
    }
    seen.add(key)
  }
}

/** Concatenates the values, and returns their starts. */
function* joinSteps(
  parts: ReadonlyArray<Uint8Array>,
): Steps<{ readonly data: Uint8Array; readonly starts: Float64Array }> {
  const starts = new Float64Array(parts.length)
  let size = 0
  const measure = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      starts[i] = size
      size += parts[i].length
    }
  }
  yield* inParts(parts.length, measure)
  const data = new Uint8Array(size)
  const copy = (from: number, to: number): void => {
    for (let i = from; i < to; i++) data.set(parts[i], starts[i])
  }
  yield* inParts(parts.length, copy, STEP_VALUES)
  return { data, starts }
}

/** The common properties of the values of an enumeration. */
type Kind = Pick<EnumerationValues, "type" | "cellValNum" | "ordered">

/** Creates an enumeration from the bytes of its values. Throws {@link SchemaError}. */
export const valuesOfParts = (name: string, kind: Kind, parts: ReadonlyArray<Uint8Array>): EnumerationValues =>
  finish(valuesOfSteps(name, kind, { parts: [...parts], keys: parts.map(bytewise) }))

function* valuesOfSteps(
  name: string,
  { type, cellValNum, ordered }: Kind,
  encoded: EncodedValues,
): Steps<EnumerationValues> {
  yield* checkDistinctSteps(name, type, encoded)
  const { data, starts } = yield* joinSteps(encoded.parts)
  return { type, cellValNum, ordered, data, offsets: cellValNum === "var" ? starts : null }
}

/** Converts an enumeration from the user's form. Throws {@link SchemaError}. */
export const enumerationValues = (name: string, input: EnumerationInput): EnumerationValues =>
  finish(enumerationValuesSteps(name, input))

/** Converts an enumeration like {@link enumerationValues}, in steps. */
export function* enumerationValuesSteps(name: string, input: EnumerationInput): Steps<EnumerationValues> {
  const { values, ordered = false, type: explicitType } = isList(input) ? { values: input } as const : input
  const type = explicitType ?? typeOfList(values)
  const kind = { type, cellValNum: isText(type) ? "var" : 1, ordered } as const
  return yield* valuesOfSteps(name, kind, yield* encodeValuesSteps(name, type, values))
}

/** Returns a function that returns the bytes of a value by its index. */
const partReader = ({ type, cellValNum, data, offsets }: EnumerationValues): (i: number) => Uint8Array => {
  const size = cellSize(type, cellValNum === "var" ? VAR : cellValNum)
  return (i) =>
    offsets === null
      ? data.subarray(i * size, (i + 1) * size)
      : data.subarray(offsets[i], offsets[i + 1] ?? data.length)
}

/** Returns the bytes of each value. */
export const partsOf = (values: EnumerationValues): ReadonlyArray<Uint8Array> => {
  const partAt = partReader(values)
  return Array.from({ length: valueCount(values) }, (_, i) => partAt(i))
}

/** Returns the values of `more` that an enumeration does not contain. Throws {@link SchemaError}. */
export function* missingValuesSteps(
  name: string,
  enumeration: EnumerationValues,
  more: EnumerationList,
): Steps<EnumerationList> {
  const existing = new Set((yield* encodedSteps(enumeration)).keys)
  const { keys } = yield* encodeValuesSteps(name, enumeration.type, more)
  return Array.from(more as Iterable<string | number | bigint>).filter((_, i) => !existing.has(keys[i]))
}

/** Whether an enumeration starts with these values, and has the same properties. */
export function* beginsWithSteps(enumeration: EnumerationValues, values: EnumerationValues): Steps<boolean> {
  if (
    enumeration.type !== values.type || enumeration.cellValNum !== values.cellValNum ||
    enumeration.ordered !== values.ordered
  ) return false
  const [all, first] = [(yield* encodedSteps(enumeration)).keys, (yield* encodedSteps(values)).keys]
  return first.length <= all.length && first.every((key, i) => key === all[i])
}

/** Appends values of the same datatype to an enumeration. Throws {@link SchemaError}. */
export function* extendedValuesSteps(
  name: string,
  enumeration: EnumerationValues,
  more: EnumerationList,
): Steps<EnumerationValues> {
  const { type, cellValNum } = enumeration
  const refuse = (reason: SchemaReason, detail: string): never => {
    throw new SchemaError({ field: `enumeration ${name}`, reason, detail })
  }
  if (more.length === 0) refuse("Missing", "no values to add")
  const added = yield* encodeValuesSteps(name, type, more)
  const size = cellValNum === "var" ? 0 : cellSize(type, cellValNum)
  const wrong = added.parts.find((part) => size > 0 && part.length !== size)
  if (wrong !== undefined) {
    refuse("InvalidValue", `a value of ${wrong.length} bytes; the enumeration's values have ${size}`)
  }
  const { parts, keys } = yield* encodedSteps(enumeration)
  return yield* valuesOfSteps(name, enumeration, { parts: parts.concat(added.parts), keys: keys.concat(added.keys) })
}

/** Returns the number of values. */
export const valueCount = ({ type, cellValNum, data, offsets }: EnumerationValues): number =>
  offsets !== null ? offsets.length : Math.floor(data.length / cellSize(type, cellValNum === "var" ? VAR : cellValNum))

/** Checks the names and sizes of enumerations. Throws {@link SchemaError}. */
export const checkEnumerations = (enumerations: Readonly<Record<string, EnumerationValues>>): void => {
  let all = 0
  for (const [name, { data, offsets }] of Object.entries(enumerations)) {
    const field = `enumeration ${name}`
    if (name === "") throw new SchemaError({ field, reason: "InvalidName", detail: "an enumeration needs a name" })
    const bytes = data.length + (offsets === null ? 0 : 8 * offsets.length)
    all += bytes
    if (bytes > MAX_ENUMERATION_SIZE) {
      throw new SchemaError({
        field,
        reason: "TooLarge",
        detail: `the size is ${bytes} bytes; engines accept ${MAX_ENUMERATION_SIZE}`,
      })
    }
  }
  if (all > MAX_ENUMERATIONS_SIZE) {
    const detail = `the total size is ${all} bytes; engines accept ${MAX_ENUMERATIONS_SIZE}`
    throw new SchemaError({ field: "enumerations", reason: "TooLarge", detail })
  }
}

/** Returns the structure of an enumeration file. */
export const enumerationStructure = (name: string, fileName: string, values: EnumerationValues): Enumeration => ({
  version: 0,
  name,
  fileName,
  type: values.type,
  cellValNum: values.cellValNum === "var" ? VAR : values.cellValNum,
  ordered: values.ordered,
  data: values.data,
  offsets: values.offsets,
})

/** Converts an enumeration of an array to its form in a schema value. */
export const valuesOfEnumeration = (enumeration: Enumeration): EnumerationValues => ({
  type: enumeration.type,
  cellValNum: enumeration.cellValNum === VAR ? "var" : enumeration.cellValNum,
  ordered: enumeration.ordered,
  data: enumeration.data,
  offsets: enumeration.offsets,
  fileName: enumeration.fileName,
})
