/**
 * Converts the input of the builders: cells from JSON, values and filters.
 */
import { concat } from "../kernel/copy/concat.ts"
import type { Datatype } from "../../schema/array/datatype.ts"
import type { Filter } from "../../schema/array/filter.ts"
import { type FilterPipeline, noFilters } from "../../schema/array/filter_pipeline.ts"
import {
  catchScalarError,
  type CellJson,
  type HexJson,
  isText,
  parseScalar,
  parseText,
  scalarBytes,
  ScalarError,
  type ScalarInput,
} from "../../schema/array/scalar.ts"

const isHex = (json: unknown): json is HexJson => typeof json === "object" && json !== null && "hex" in json

/**
 * Returns the bytes of a cell that is not null, from text, hex, one value, or a list of values. Throws
 * {@link ScalarError}.
 */
export const cellOfJson = (type: Datatype, json: CellJson): Uint8Array => {
  if (json === null) throw new ScalarError("null is not a value")
  // hex means raw bytes, for any datatype
  if (isHex(json)) return parseText("string_utf8", json)
  if (typeof json === "string" && isText(type)) return parseText(type, json)
  const values = Array.isArray(json) ? json : [json]
  return concat(values.map((value) => scalarBytes(type, parseScalar(type, value))))
}

/**
 * Converts a user's value to the input of {@link parseScalar}.
 */
export const scalarInput = (value: unknown): ScalarInput => {
  if (!(value instanceof Date)) return value as ScalarInput
  if (Number.isNaN(value.getTime())) throw new ScalarError("an invalid Date is not a value")
  return value.toISOString()
}

/**
 * Runs a function that throws {@link ScalarError}; returns the reason of the error as text.
 */
export const problemOf = (part: string, run: () => void): string | undefined =>
  catchScalarError<string | undefined>(() => {
    run()
    return undefined
  }, (reason) => `${part}: ${reason}`)

/** Returns the pipeline of a list of filters. */
export const pipelineOf = (filters: ReadonlyArray<Filter>): FilterPipeline => ({
  maxChunkSize: noFilters.maxChunkSize,
  filters: [...filters],
})
