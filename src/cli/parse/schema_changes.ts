/**
 * Converts the options of `tessera evolve` to changes of a schema.
 */
import type { CellJson } from "../../../schema/array/scalar.ts"
import { ScalarError } from "../../../schema/array/scalar.ts"
import type { SchemaChanges } from "../../array/evolve/evolve_schema.ts"
import { type Attribute, enumerated, fill, nullable, of } from "../../schema_builder/attribute.ts"
import { cellOfJson } from "../../schema_builder/builder_input.ts"
import type { EnumerationList } from "../../schema_builder/enumeration_values.ts"
import type { Request } from "./arguments.ts"
import { type AttributeType, attributeTypesOf, domainsOf, filtersOf, namesOf, pairOf } from "./column_options.ts"
import { UsageError } from "./usage_error.ts"

const fail = (option: string, text: string, detail: string): never => {
  throw new UsageError({ detail: `--${option} ${JSON.stringify(text)}: ${detail}` })
}

/** Parses `NAME=VALUE` options, which are separated at the first `=`. */
const pairsOf = (request: Request, option: string): ReadonlyArray<readonly [name: string, value: string]> =>
  request.texts(option).map((text) => {
    const at = text.indexOf("=")
    return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : fail(option, text, "write NAME=VALUE")
  })

/** Parses `NAME=["a","b"]`, or `NAME=a,b`. */
const listsOf = (request: Request, option: string): Readonly<Record<string, EnumerationList>> =>
  Object.fromEntries(
    pairsOf(request, option).map(([name, text]) => {
      if (!text.startsWith("[")) return [name, text === "" ? [] : text.split(",")]
      try {
        const values: unknown = JSON.parse(text)
        if (Array.isArray(values)) return [name, values as EnumerationList]
      } catch {
        // invalid JSON is reported below
      }
      return fail(option, text, "the list is not JSON")
    }),
  )

/** Converts the value of `--fill`: text, or JSON. */
const fillOf = (type: AttributeType["type"], text: string): Uint8Array => {
  let json: CellJson = text
  try {
    const parsed: unknown = JSON.parse(text)
    // keep numbers as text, which preserves all digits
    if (typeof parsed === "object" || typeof parsed === "string") json = parsed as CellJson
    else if (typeof parsed === "boolean") json = Number(parsed)
  } catch {
    // not JSON: plain text
  }
  try {
    return cellOfJson(type, json)
  } catch (error) {
    if (!(error instanceof ScalarError)) throw error
    return fail("fill", text, error.reason)
  }
}

/** Returns the attributes of `--add` with their filters, fill values and enumerations. Throws {@link UsageError}. */
const addedAttributes = (request: Request): Readonly<Record<string, Attribute>> => {
  const { filters = [], columnFilters } = filtersOf(request)
  const fills = new Map(pairsOf(request, "fill"))
  const enumerations = new Map(request.texts("codes-of").map((text) => pairOf("codes-of", text)))
  const types = attributeTypesOf(request, "add")
  const names = new Set(Object.keys(types))
  const options = { fill: fills.keys(), "codes-of": enumerations.keys(), filter: Object.keys(columnFilters) }
  for (const [option, used] of Object.entries(options)) {
    for (const name of used) {
      if (!names.has(name)) fail(option, name, "--add does not name this attribute")
    }
  }
  return Object.fromEntries(
    Object.entries(types).map(([name, { type, isNullable }]) => {
      let attribute: Attribute = of(type, { filters: columnFilters[name] ?? filters })
      if (isNullable) attribute = nullable(attribute)
      const text = fills.get(name)
      if (text !== undefined) attribute = fill(attribute, fillOf(type, text), { valid: isNullable })
      const enumeration = enumerations.get(name)
      if (enumeration !== undefined) attribute = enumerated(attribute, enumeration)
      return [name, attribute]
    }),
  )
}

/** Returns the changes of a schema. Throws {@link UsageError}. */
export const schemaChangesOf = (request: Request): SchemaChanges => {
  const drop = namesOf(request, "drop")
  const dropEnumerations = namesOf(request, "drop-enumeration")
  const changes = {
    ...(request.on("add") ? { addAttributes: addedAttributes(request) } : {}),
    ...(drop === undefined ? {} : { dropAttributes: drop }),
    ...(request.on("add-enumeration") ? { addEnumerations: listsOf(request, "add-enumeration") } : {}),
    ...(request.on("extend-enumeration") ? { extendEnumerations: listsOf(request, "extend-enumeration") } : {}),
    ...(dropEnumerations === undefined ? {} : { dropEnumerations }),
    ...(request.on("current-domain") ? { currentDomain: domainsOf(request, "current-domain") } : {}),
  }
  if (Object.keys(changes).length === 0) {
    throw new UsageError({
      detail: "evolve: name a change: --add, --drop, --current-domain; see tessera evolve --help",
    })
  }
  for (const option of ["filter", "fill", "codes-of"]) {
    if (request.on(option) && !request.on("add")) {
      throw new UsageError({ detail: `evolve: --${option} requires --add` })
    }
  }
  return changes as SchemaChanges
}
