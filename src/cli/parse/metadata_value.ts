/**
 * Parses metadata values on the command line.
 */
import { isText, ScalarError } from "../../../schema/array/scalar.ts"
import { type MetadataInput, typedValue, type ValueInput } from "../../array/metadata/metadata_input.ts"
import { datatypeOf } from "./column_options.ts"
import { UsageError } from "./usage_error.ts"

const INTEGER = /^-?(0|[1-9]\d*)$/

const MAX_UINT64 = 2n ** 64n - 1n
const MIN_INT64 = -(2n ** 63n)

/** Returns the value of JSON text; `undefined` for other text. */
const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Converts JSON text without a datatype: numbers, booleans, lists of numbers and text in quotes. */
const inferred = (text: string): MetadataInput => {
  if (INTEGER.test(text)) {
    const integer = BigInt(text)
    return integer >= MIN_INT64 && integer <= MAX_UINT64 ? integer : text
  }
  const json = jsonOf(text)
  if (typeof json === "string" || typeof json === "number") return json
  if (typeof json === "boolean") return typedValue("bool", json)
  const isNumbers = Array.isArray(json) && json.length > 0 && json.every((value) => typeof value === "number")
  return isNumbers ? json as ReadonlyArray<number> : text
}

/** Converts text to a value of a datatype: one value, or a list in JSON. */
const typed = (type: string, text: string): MetadataInput => {
  const datatype = datatypeOf("type", type, type)
  if (isText(datatype)) return typedValue(datatype, text)
  const json = text.startsWith("[") || text === "true" || text === "false" ? jsonOf(text) : undefined
  return typedValue(datatype, json === undefined ? text : json as ValueInput)
}

/** Parses a metadata value. Throws {@link UsageError}. */
export const parseMetadataValue = (text: string, type: string | undefined): MetadataInput => {
  if (type === undefined) return inferred(text)
  try {
    return typed(type, text)
  } catch (error) {
    if (!(error instanceof ScalarError)) throw error
    throw new UsageError({ detail: `meta put: ${JSON.stringify(text)} as ${type}: ${error.reason}` })
  }
}
