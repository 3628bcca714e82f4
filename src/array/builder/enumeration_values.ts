/**
 * The values of an enumeration, as a schema that is being made keeps them.
 */
import { cellSize, VAR } from "../../../schema/cell_val_num.ts"
import { arrayOf, type Datatype, type TypedArray } from "../../../schema/datatype.ts"
import type { Enumeration } from "../../../schema/enumeration.ts"
import { isText, parseScalar, parseText, scalarBytes, ScalarError, scalarsJson } from "../../../schema/scalar.ts"
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
const MOST_BYTES = 10 * 2 ** 20
const MOST_BYTES_OF_ALL = 50 * 2 ** 20

const typeOfArray = (values: TypedArray): Datatype => {
  const types = [
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float32",
    "float64",
  ] as const
  return types.find((type) => values instanceof arrayOf(type))!
}

const isTypedArray = (values: EnumerationList): values is TypedArray => ArrayBuffer.isView(values)

const typeOfList = (values: EnumerationList): Datatype => {
  if (isTypedArray(values)) return typeOfArray(values)
  if (values.length === 0 || typeof values[0] === "string") return "string_utf8"
  return typeof values[0] === "bigint" ? "int64" : "float64"
}

const join = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

const isList = (given: EnumerationInput): given is EnumerationList => Array.isArray(given) || ArrayBuffer.isView(given)

/** Bytes as text, so that those of values can be compared. */
const latin1 = new TextDecoder("latin1")

/** The bytes of each value. Throws {@link SchemaError}. */
const encodeValues = (name: string, type: Datatype, values: EnumerationList): ReadonlyArray<Uint8Array> =>
  Array.from(values as Iterable<string | number | bigint>, (value) => {
    try {
      return isText(type) ? parseText(type, value as string) : scalarBytes(type, parseScalar(type, value))
    } catch (error) {
      if (error instanceof ScalarError) throw new SchemaError({ field: `enumeration ${name}`, reason: error.reason })
      throw error
    }
  })

/** No value may be there twice. Throws {@link SchemaError}. */
const checkDistinct = (name: string, type: Datatype, parts: ReadonlyArray<Uint8Array>): void => {
  const seen = new Set<string>()
  for (const part of parts) {
    const key = latin1.decode(part)
    if (seen.has(key)) {
      const shown = isText(type) ? new TextDecoder().decode(part) : scalarsJson(type, part).join(", ")
      throw new SchemaError({
        field: `enumeration ${name}`,
        reason: `the value ${JSON.stringify(shown)} is there twice`,
      })
    }
    seen.add(key)
  }
}

/** Where each part starts. */
const startsOf = (parts: ReadonlyArray<Uint8Array>): Float64Array => {
  let at = 0
  return Float64Array.from(parts, (part) => {
    at += part.length
    return at - part.length
  })
}

/** An enumeration of values that are bytes already. Throws {@link SchemaError}. */
export const valuesOfParts = (
  name: string,
  { type, cellValNum, ordered }: Pick<EnumerationValues, "type" | "cellValNum" | "ordered">,
  parts: ReadonlyArray<Uint8Array>,
): EnumerationValues => {
  checkDistinct(name, type, parts)
  return { type, cellValNum, ordered, data: join(parts), offsets: cellValNum === "var" ? startsOf(parts) : null }
}

/** An enumeration as users write it, as it is kept. Throws {@link SchemaError}. */
export const enumerationValues = (name: string, given: EnumerationInput): EnumerationValues => {
  const { values, ordered = false, type: wanted } = isList(given) ? { values: given } as const : given
  const type = wanted ?? typeOfList(values)
  return valuesOfParts(name, { type, cellValNum: isText(type) ? "var" : 1, ordered }, encodeValues(name, type, values))
}

/** The bytes of each value that is there. */
export const partsOf = (values: EnumerationValues): ReadonlyArray<Uint8Array> => {
  const { type, cellValNum, data, offsets } = values
  const size = cellSize(type, cellValNum === "var" ? VAR : cellValNum)
  return Array.from(
    { length: valueCount(values) },
    (_, i) =>
      offsets === null
        ? data.subarray(i * size, (i + 1) * size)
        : data.subarray(offsets[i], offsets[i + 1] ?? data.length),
  )
}

/** Those of some values that an enumeration does not have. Throws {@link SchemaError}. */
export const missingValues = (name: string, its: EnumerationValues, more: EnumerationList): EnumerationList => {
  const known = new Set(partsOf(its).map((part) => latin1.decode(part)))
  const parts = encodeValues(name, its.type, more)
  return (Array.from(more as Iterable<string | number | bigint>)).filter((_, i) => !known.has(latin1.decode(parts[i])))
}

/** Whether an enumeration begins with these values, and is of their kind. */
export const beginsWith = (its: EnumerationValues, values: EnumerationValues): boolean => {
  const [all, first] = [partsOf(its), partsOf(values)]
  return its.type === values.type && its.cellValNum === values.cellValNum && its.ordered === values.ordered &&
    first.length <= all.length && first.every((part, i) => latin1.decode(part) === latin1.decode(all[i]))
}

/** An enumeration with more values behind those that it has, of the same datatype. Throws {@link SchemaError}. */
export const extendedValues = (name: string, its: EnumerationValues, more: EnumerationList): EnumerationValues => {
  const { type, cellValNum } = its
  const refuse = (reason: string): never => {
    throw new SchemaError({ field: `enumeration ${name}`, reason })
  }
  if (more.length === 0) refuse("there are no values to extend it by")
  const parts = encodeValues(name, type, more)
  const size = cellValNum === "var" ? 0 : cellSize(type, cellValNum)
  const wrong = parts.find((part) => size > 0 && part.length !== size)
  if (wrong !== undefined) refuse(`a value of ${wrong.length} bytes; all of its values have ${size}`)
  return valuesOfParts(name, its, [...partsOf(its), ...parts])
}

/** How many values there are. */
export const valueCount = ({ type, cellValNum, data, offsets }: EnumerationValues): number =>
  offsets !== null ? offsets.length : Math.floor(data.length / cellSize(type, cellValNum === "var" ? VAR : cellValNum))

/** Checks names and sizes. Throws {@link SchemaError}. */
export const checkEnumerations = (enumerations: Readonly<Record<string, EnumerationValues>>): void => {
  let all = 0
  for (const [name, { data, offsets }] of Object.entries(enumerations)) {
    const field = `enumeration ${name}`
    if (name === "") throw new SchemaError({ field, reason: "an enumeration needs a name" })
    const bytes = data.length + (offsets === null ? 0 : 8 * offsets.length)
    all += bytes
    if (bytes > MOST_BYTES) {
      throw new SchemaError({ field, reason: `it takes ${bytes} bytes; engines accept ${MOST_BYTES}` })
    }
  }
  if (all > MOST_BYTES_OF_ALL) {
    const reason = `they take ${all} bytes together; engines accept ${MOST_BYTES_OF_ALL}`
    throw new SchemaError({ field: "enumerations", reason })
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
