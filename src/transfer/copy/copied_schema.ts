/**
 * Derives the schema of a copy: the schema of the array with the selected attributes only.
 */
import type { ArraySchema as Structure } from "../../../schema/array/array_schema.ts"
import type { Enumeration } from "../../../schema/array/enumeration.ts"
import type { ArraySchema } from "../../schema_builder/schema_value.ts"
import { fromStructure } from "../../schema_builder/structure.ts"
import { SelectionError } from "../../array/open/errors.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { selectedFields } from "../../query/options/read_options.ts"

/** Returns the names of the selected attributes; the selection may include dimensions. Throws SelectionError. */
export const selectedAttributes = (
  array: OpenedArray,
  select: ReadonlyArray<string> | undefined,
): ReadonlyArray<string> => {
  const { attributes } = array.schema
  if (select === undefined) return attributes.map(({ name }) => name)
  const requested = new Set(selectedFields(array, select).map(({ name }) => name))
  const names = attributes.flatMap(({ name }) => requested.has(name) ? [name] : [])
  if (names.length > 0 || array.schema.arrayType === "sparse") return names
  const detail = "a dense array has at least one attribute; select one"
  throw new SelectionError({ uri: array.uri, field: "", reason: "Missing", detail })
}

/** Returns the schema with only these attributes, and the enumerations that they use. */
export const copiedSchema = (
  schema: Structure,
  enumerations: ReadonlyArray<Enumeration>,
  attributes: ReadonlyArray<string>,
): ArraySchema => {
  const whole = fromStructure(schema, enumerations)
  if (attributes.length === schema.attributes.length) return whole
  const attrs = Object.fromEntries(attributes.map((name) => [name, whole.attrs[name]]))
  const used = new Set(Object.values(attrs).map(({ enumeration }) => enumeration))
  return {
    ...whole,
    attrs,
    attributeNames: attributes,
    enumerations: Object.fromEntries(Object.entries(whole.enumerations).filter(([name]) => used.has(name))),
  }
}
