/**
 * The values of an enumeration, as a schema that is being made keeps them.
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
import { SchemaError } from "./schema_error.ts"

/** What the codes of attributes stand for: code i for value i. */
export interface EnumerationValues {
  /** The datatype of the values. */
  readonly type: Datatype
  /** Values that make up one, or `"var"`. */
  readonly cellValNum: number | "var"
  /** Whether the order of the values means something. */
  readonly ordered: boolean
  /** All values, raw, one after the other. */
  readonly data: Uint8Array
  /** Where each value starts in `data`; `null` if they have a fixed size. */
  readonly offsets: Float64Array | null
  /** The file that holds them, for enumerations of an array; it is chosen when an array is made. */
  readonly fileName?: string
}

/** Values as users list them: texts, numbers or a typed array, which says their datatype. */
export type EnumerationList = ReadonlyArray<string | number | bigint> | TypedArray

/** An enumeration as users write it: its values, and what is not the default. */
export type EnumerationInput =
  | EnumerationList
  | {
    /** In the order of their codes; no value twice. */
    readonly values: EnumerationList
    /** Default: `string_utf8` for texts, `int64` for bigints, `float64` for numbers, its own for a typed array. */
    readonly type?: Datatype
    /** Whether the order of the values means something. Default: false. */
    readonly ordered?: boolean
  }

/** The most bytes that engines accept for one enumeration, and for all of a schema. */
const MAX_BYTES = 10 * 2 ** 20
const MAX_BYTES_OF_ALL = 50 * 2 ** 20

const isTypedArray = (values: EnumerationList): values is TypedArray => ArrayBuffer.isView(values)

const typeOfList = (values: EnumerationList): Datatype => {
  if (isTypedArray(values)) return storageOfArray(values)!
  if (values.length === 0 || typeof values[0] === "string") return "string_utf8"
  return typeof values[0] === "bigint" ? "int64" : "float64"
}

const isList = (given: EnumerationInput): given is EnumerationList => Array.isArray(given) || ArrayBuffer.isView(given)

/** Values as bytes, and each also as text with a character a byte, so that values can be compared. */
interface EncodedValues {
  readonly parts: Array<Uint8Array>
  readonly keys: Array<string>
}

/** Values that are taken at once. */
const BLOCK = 4096
/** Texts of so many characters together are encoded at once. */
const MAX_AT_ONCE = 1 << 20

const encoder = new TextEncoder()

/** The bytes of texts one after the other, if all of them are ASCII: a call of the encoder for each would take long. */
const asciiOf = (values: ReadonlyArray<unknown>): Uint8Array | undefined => {
  let length = 0
  for (const value of values) {
    if (typeof value !== "string") return undefined
    length += value.length
  }
  if (length > MAX_AT_ONCE) return undefined
  const bytes = encoder.encode(values.join(""))
  return bytes.length === length ? bytes : undefined
}

/** The bytes of one value. Throws {@link SchemaError}. */
const encodeValue = (name: string, type: Datatype, value: string | number | bigint): Uint8Array =>
  catchScalarError(
    () => isText(type) ? parseText(type, value as string) : scalarBytes(type, parseScalar(type, value)),
    (reason) => {
      throw new SchemaError({ field: `enumeration ${name}`, detail: reason })
    },
  )

/** The bytes of each value. Throws {@link SchemaError}. */
function* encodeValuesSteps(name: string, type: Datatype, values: EnumerationList): Steps<EncodedValues> {
  const list = Array.from(values as Iterable<string | number | bigint>)
  const [parts, keys]: [Array<Uint8Array>, Array<string>] = [[], []]
  for (let from = 0; from < list.length; from += BLOCK) {
    const block = list.slice(from, from + BLOCK)
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

/** The values that are there. */
function* encodedSteps(values: EnumerationValues): Steps<EncodedValues> {
  const partAt = partReader(values)
  const [parts, keys]: [Array<Uint8Array>, Array<string>] = [[], []]
  const take = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      parts.push(partAt(i))
      keys.push(bytewise(parts[i]))
    }
  }
  yield* inParts(valueCount(values), take, BLOCK)
  return { parts, keys }
}

/** No value may be there twice. Throws {@link SchemaError}. */
function* checkDistinctSteps(name: string, type: Datatype, { parts, keys }: EncodedValues): Steps<void> {
  const seen = new Set<string>()
  for (const [i, part] of parts.entries()) {
    if (i % BLOCK === BLOCK - 1) yield
    const key = keys[i]
    if (seen.has(key)) {
      const shown = isText(type) ? new TextDecoder().decode(part) : scalarsJson(type, part).join(", ")
      throw new SchemaError({
        field: `enumeration ${name}`,
        detail: `the value ${JSON.stringify(shown)} is there twice`,
      })
    }
    seen.add(key)
  }
}

/** The parts one after the other, and where each starts. */
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
  yield* inParts(parts.length, copy, BLOCK)
  return { data, starts }
}

/** What is common to the values of an enumeration. */
type Kind = Pick<EnumerationValues, "type" | "cellValNum" | "ordered">

/** An enumeration of values that are bytes already. Throws {@link SchemaError}. */
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

/** An enumeration as users write it, as it is kept. Throws {@link SchemaError}. */
export const enumerationValues = (name: string, given: EnumerationInput): EnumerationValues =>
  finish(enumerationValuesSteps(name, given))

/** As {@link enumerationValues}, in steps. */
export function* enumerationValuesSteps(name: string, given: EnumerationInput): Steps<EnumerationValues> {
  const { values, ordered = false, type: wanted } = isList(given) ? { values: given } as const : given
  const type = wanted ?? typeOfList(values)
  const kind = { type, cellValNum: isText(type) ? "var" : 1, ordered } as const
  return yield* valuesOfSteps(name, kind, yield* encodeValuesSteps(name, type, values))
}

/** Answers the bytes of the value with a number. */
const partReader = ({ type, cellValNum, data, offsets }: EnumerationValues): (i: number) => Uint8Array => {
  const size = cellSize(type, cellValNum === "var" ? VAR : cellValNum)
  return (i) =>
    offsets === null
      ? data.subarray(i * size, (i + 1) * size)
      : data.subarray(offsets[i], offsets[i + 1] ?? data.length)
}

/** The bytes of each value that is there. */
export const partsOf = (values: EnumerationValues): ReadonlyArray<Uint8Array> => {
  const partAt = partReader(values)
  return Array.from({ length: valueCount(values) }, (_, i) => partAt(i))
}

/** Those of some values that an enumeration does not have. Throws {@link SchemaError}. */
export function* missingValuesSteps(
  name: string,
  its: EnumerationValues,
  more: EnumerationList,
): Steps<EnumerationList> {
  const known = new Set((yield* encodedSteps(its)).keys)
  const { keys } = yield* encodeValuesSteps(name, its.type, more)
  return Array.from(more as Iterable<string | number | bigint>).filter((_, i) => !known.has(keys[i]))
}

/** Whether an enumeration begins with these values, and is of their kind. */
export function* beginsWithSteps(its: EnumerationValues, values: EnumerationValues): Steps<boolean> {
  if (its.type !== values.type || its.cellValNum !== values.cellValNum || its.ordered !== values.ordered) return false
  const [all, first] = [(yield* encodedSteps(its)).keys, (yield* encodedSteps(values)).keys]
  return first.length <= all.length && first.every((key, i) => key === all[i])
}

/** An enumeration with more values behind those that it has, of the same datatype. Throws {@link SchemaError}. */
export function* extendedValuesSteps(
  name: string,
  its: EnumerationValues,
  more: EnumerationList,
): Steps<EnumerationValues> {
  const { type, cellValNum } = its
  const refuse = (reason: string): never => {
    throw new SchemaError({ field: `enumeration ${name}`, detail: reason })
  }
  if (more.length === 0) refuse("there are no values to extend it by")
  const added = yield* encodeValuesSteps(name, type, more)
  const size = cellValNum === "var" ? 0 : cellSize(type, cellValNum)
  const wrong = added.parts.find((part) => size > 0 && part.length !== size)
  if (wrong !== undefined) refuse(`a value of ${wrong.length} bytes; all of its values have ${size}`)
  const { parts, keys } = yield* encodedSteps(its)
  return yield* valuesOfSteps(name, its, { parts: parts.concat(added.parts), keys: keys.concat(added.keys) })
}

/** How many values there are. */
export const valueCount = ({ type, cellValNum, data, offsets }: EnumerationValues): number =>
  offsets !== null ? offsets.length : Math.floor(data.length / cellSize(type, cellValNum === "var" ? VAR : cellValNum))

/** Checks names and sizes. Throws {@link SchemaError}. */
export const checkEnumerations = (enumerations: Readonly<Record<string, EnumerationValues>>): void => {
  let all = 0
  for (const [name, { data, offsets }] of Object.entries(enumerations)) {
    const field = `enumeration ${name}`
    if (name === "") throw new SchemaError({ field, detail: "an enumeration needs a name" })
    const bytes = data.length + (offsets === null ? 0 : 8 * offsets.length)
    all += bytes
    if (bytes > MAX_BYTES) {
      throw new SchemaError({ field, detail: `it takes ${bytes} bytes; engines accept ${MAX_BYTES}` })
    }
  }
  if (all > MAX_BYTES_OF_ALL) {
    const reason = `they take ${all} bytes together; engines accept ${MAX_BYTES_OF_ALL}`
    throw new SchemaError({ field: "enumerations", detail: reason })
  }
}

/** The structure of the file of an enumeration. */
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

/** An enumeration of an array, as a schema that is being made keeps it. */
export const valuesOfEnumeration = (enumeration: Enumeration): EnumerationValues => ({
  type: enumeration.type,
  cellValNum: enumeration.cellValNum === VAR ? "var" : enumeration.cellValNum,
  ordered: enumeration.ordered,
  data: enumeration.data,
  offsets: enumeration.offsets,
  fileName: enumeration.fileName,
})
