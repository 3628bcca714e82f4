/**
 * Maps enumeration values to their codes.
 */
import type { Enumeration } from "../../../schema/array/enumeration.ts"
import { isText, readScalar } from "../../../schema/array/scalar.ts"
import { partsOf, valuesOfEnumeration } from "../../schema_builder/enumeration_values.ts"

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Returns a function that maps a value (text, number or bigint) to its code; `undefined` for other values. */
export const codesOf = (enumeration: Enumeration): (value: unknown) => number | undefined => {
  const { type } = enumeration
  const text = isText(type)
  const codes = new Map(
    partsOf(valuesOfEnumeration(enumeration)).map((
      bytes,
      code,
    ) => [text ? decoder.decode(bytes) : String(readScalar(type, bytes)), code]),
  )
  return (value) => text ? codes.get(value as string) : typeof value === "string" ? undefined : codes.get(String(value))
}
