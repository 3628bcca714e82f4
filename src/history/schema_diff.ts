/**
 * Compares two schemas of an array, with their enumerations.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { describeEnumerations, describeSchema, type Json, type JsonObject } from "../array/describe/describe.ts"
import { type EnumerationError, loadEnumerations } from "../array/enumeration/enumerations.ts"
import type { OpenedArray } from "../array/open/open.ts"
import type { DiffStates } from "./diff_states.ts"

/** A difference between two schemas. */
export interface SchemaPartDifference {
  /** The kind of the part; `property` is any other property of the schema, such as `version` or `current_domain`. */
  readonly part: "dimension" | "attribute" | "label" | "enumeration" | "property"
  /** Name of the part. */
  readonly name: string
  /** The description in the earlier schema; `null` if the part was added. */
  readonly before: Json | null
  /** The description in the later schema; `null` if the part was removed. */
  readonly after: Json | null
}

/** The lists of named parts in the description of a schema. */
const lists: ReadonlyArray<readonly [SchemaPartDifference["part"], list: string]> = [
  ["dimension", "dimensions"],
  ["attribute", "attributes"],
  ["label", "dimension_labels"],
]

const byName = (list: Json | undefined): ReadonlyMap<string, Json> =>
  new Map(((list ?? []) as ReadonlyArray<JsonObject>).map((item) => [String(item.name), item]))

const compareParts = (
  part: SchemaPartDifference["part"],
  before: ReadonlyMap<string, Json>,
  after: ReadonlyMap<string, Json>,
): ReadonlyArray<SchemaPartDifference> =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const pair = { before: before.get(name) ?? null, after: after.get(name) ?? null }
    return JSON.stringify(pair.before) === JSON.stringify(pair.after) ? [] : [{ part, name, ...pair }]
  })

/** Returns the enumerations of an array whose files the other array does not have. */
const ownEnumerations = (
  array: OpenedArray,
  other: OpenedArray,
): Effect.Effect<ReadonlyMap<string, Json>, EnumerationError, Storage | Codecs> => {
  const files = new Set(other.schema.enumerations.map(({ name, fileName }) => `${fileName}/${name}`))
  const own = array.schema.enumerations.filter(({ name, fileName }) => !files.has(`${fileName}/${name}`))
  return own.length === 0 ? Effect.succeed(new Map()) : Effect.map(
    loadEnumerations(array, own.map(({ name }) => name)),
    (loaded) => new Map(Object.entries(describeEnumerations(loaded))),
  )
}

/** Compares the schemas of two states. Reads the enumerations that differ. */
export const schemaDifferencesBetween = (
  { before, after }: DiffStates,
): Effect.Effect<ReadonlyArray<SchemaPartDifference>, EnumerationError, Storage | Codecs> =>
  Effect.gen(function* () {
    if (before.schemaName === after.schemaName) return []
    const [old, current] = [describeSchema(before.schema), describeSchema(after.schema)]
    const named = lists.map(([, list]) => list)
    const properties = (schema: JsonObject) => new Map(Object.entries(schema).filter(([name]) => !named.includes(name)))
    return [
      ...lists.flatMap(([part, list]) => compareParts(part, byName(old[list]), byName(current[list]))),
      ...compareParts("enumeration", yield* ownEnumerations(before, after), yield* ownEnumerations(after, before)),
      ...compareParts("property", properties(old), properties(current)),
    ]
  })
