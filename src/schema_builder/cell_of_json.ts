/**
 * Converts cells from JSON.
 */
import { concat } from "../kernel/copy/concat.ts"
import type { Datatype } from "../../schema/array/datatype.ts"
import {
  type CellJson,
  type HexJson,
  isText,
  parseScalar,
  parseText,
  scalarBytes,
  ScalarError,
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
