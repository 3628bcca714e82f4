/**
 * Compares an array with its declared schema: checks all properties that reads rely on, and no others. Domains, tiles,
 * orders and filters may differ, and the array may have attributes that the schema does not declare.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import type { ArraySchema as SchemaStructure } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { taggedError, type TaggedErrorClass } from "../../../schema/errors/tagged_error.ts"
import type { ArraySchema } from "../../schema_builder/schema_value.ts"

/** A difference between an array and its declared schema. */
export interface SchemaDifference {
  /** The dimension or attribute; "" for the array itself. */
  readonly field: string
  /** The declared property. */
  readonly expected: string
  /** The array's property. */
  readonly actual: string
}

const SchemaMismatchBase: TaggedErrorClass<SchemaMismatch, "SchemaMismatch", {
  readonly uri: string
  readonly differences: ReadonlyArray<SchemaDifference>
}> = taggedError("SchemaMismatch", () => ({
  uri: Schema.String,
  differences: Schema.Array(Schema.Struct({ field: Schema.String, expected: Schema.String, actual: Schema.String })),
}))

/**
 * The array at `uri` differs from the schema with which it was opened. `differences` lists all differences.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const Wrong = ArraySchema.sparse({
 *   dims: { lat: Dim.float64([-90, 90]), lon: Dim.float64([-180, 180]) },
 *   attrs: { depth: Attr.float64() },
 * })
 * const opened = TileArray.open("tests/support/quakes", Wrong)
 * const program = Effect.catchTag(opened, "SchemaMismatch", ({ differences }) => Effect.succeed(differences))
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), [
 *   { field: "depth", expected: "float64", actual: "float32" },
 * ])
 * ```
 */
export class SchemaMismatch extends SchemaMismatchBase {
  /** All differences, and advice. */
  override get message(): string {
    const all = this.differences.map(({ field, expected, actual }) =>
      `${field === "" ? "" : `${JSON.stringify(field)}: `}the schema says ${expected}, the array has ${actual}`
    )
    return `${this.uri}: the array is not what the schema declares: ${
      all.join("; ")
    }; change the schema, or open without one`
  }
}

/** Formats the type of a field. */
const described = (type: string, nullable: boolean, cellValNum: number | "var"): string => {
  const cells = cellValNum === "var" ? ", var-sized" : cellValNum === 1 ? "" : `, ${cellValNum} values in a cell`
  return `${nullable ? "nullable " : ""}${type}${cells}`
}

const count = (cellValNum: number): number | "var" => cellValNum === VAR ? "var" : cellValNum

const listed = (names: ReadonlyArray<string>): string => names.map((name) => JSON.stringify(name)).join(", ")

/** Returns all differences between an array and its declared schema. */
export const schemaDifferences = (
  declared: ArraySchema,
  { arrayType, dimensions, attributes }: SchemaStructure,
): ReadonlyArray<SchemaDifference> => {
  const differences: Array<SchemaDifference> = []
  const compare = (field: string, expected: string, actual: string): void => {
    if (expected !== actual) differences.push({ field, expected, actual })
  }
  const an = (kind: string): string => `a ${kind} array`
  compare("", an(declared.arrayType), an(arrayType))

  // all dimensions must agree, in order: shapes and cell orders depend on them
  const names = dimensions.map((d) => d.name)
  compare("", `the dimensions ${listed(declared.dimensionNames)}`, `the dimensions ${listed(names)}`)
  for (const { name, type } of dimensions) {
    if (Object.hasOwn(declared.dims, name)) compare(name, declared.dims[name].type, type)
  }

  const byName = new Map(attributes.map((attribute) => [attribute.name, attribute]))
  for (const name of declared.attributeNames) {
    const { type, nullable, cellValNum, enumeration } = declared.attrs[name]
    const expected = described(type, nullable, cellValNum)
    const match = byName.get(name)
    if (match === undefined) {
      const others = attributes.map((a) => a.name)
      differences.push({
        field: name,
        expected,
        actual: others.length === 0 ? "no attributes" : `no such attribute, but ${listed(others)}`,
      })
      continue
    }
    compare(name, expected, described(match.type, match.nullable, count(match.cellValNum)))
    // an enumerated attribute may be declared as codes, but an attribute without enumeration has no values
    if (enumeration !== "" && match.enumeration === "") compare(name, "codes of an enumeration", "no enumeration")
  }
  return differences
}
