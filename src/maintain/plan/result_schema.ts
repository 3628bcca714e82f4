/**
 * The schema of a combined fragment: it must have all attributes of the fragments that are combined, because earlier
 * times of the array still show attributes that were dropped later.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { compareNames, parseName } from "../../../schema/name/timestamped_name.ts"
import { Since } from "../../../schema/version/version.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import type { Fragment } from "../../fragment/fragment.ts"

/** A schema and the name of its file. */
export interface NamedSchema {
  readonly schema: ArraySchema
  readonly schemaName: string
}

/** Returns whether combined fragments contain the cells of all times: only sparse ones from format 15 on. */
export const keepsTimes = ({ arrayType, version }: ArraySchema): boolean =>
  arrayType === "sparse" && version >= Since.timestampOverlap

/**
 * Returns the schema for the result: the newest one of the combined fragments. Returns the array's newest schema if
 * the result contains only the newest cells (`purge`, dense arrays, older formats), or if the format version changed.
 */
export const resultSchema = (array: OpenedArray, inputs: ReadonlyArray<Fragment>, purge: boolean): NamedSchema => {
  const newest: NamedSchema = array
  if (purge || !keepsTimes(array.schema)) return newest
  let result: NamedSchema | undefined
  for (const { schema, schemaName } of inputs) {
    const [name, before] = [schemaName, result?.schemaName ?? schemaName].map((text) => parseName(text))
    if (schema.version !== array.schema.version || name === undefined || before === undefined) return newest
    if (result === undefined || compareNames(before, name) < 0) result = { schema, schemaName }
  }
  return result ?? newest
}

/**
 * Returns the first attribute of a fragment that the schema of the result does not have; `undefined` if it has all. An
 * attribute that was dropped and added again with another type is another attribute.
 */
export const droppedAttribute = (
  { schema }: NamedSchema,
  inputs: ReadonlyArray<Fragment>,
): readonly [attribute: string, fragment: string] | undefined => {
  for (const input of inputs) {
    if (input.schema === schema) continue
    const lost = input.schema.attributes.find(({ name, type, cellValNum, nullable }) =>
      !schema.attributes.some((other) =>
        other.name === name && other.type === type && other.cellValNum === cellValNum && other.nullable === nullable
      )
    )
    if (lost !== undefined) return [lost.name, input.name.name]
  }
  return undefined
}

/**
 * Divides fragments into runs of neighbours whose result has all of their attributes: at the changes of the schema that
 * dropped an attribute.
 */
export const splitAtDrops = (
  array: OpenedArray,
  fragments: ReadonlyArray<Fragment>,
  purge: boolean,
): ReadonlyArray<ReadonlyArray<Fragment>> => {
  if (purge || !keepsTimes(array.schema)) return [fragments]
  const runs: Array<ReadonlyArray<Fragment>> = []
  let run: Array<Fragment> = []
  for (const fragment of fragments) {
    const last = run.at(-1)
    const schema = last?.schema === fragment.schema ? undefined : resultSchema(array, [...run, fragment], purge)
    if (schema !== undefined && droppedAttribute(schema, [...run, fragment]) !== undefined) {
      runs.push(run)
      run = []
    }
    run.push(fragment)
  }
  return [...runs, run]
}
