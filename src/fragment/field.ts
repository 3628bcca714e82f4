/**
 * The fields that have cells in a fragment: attributes, dimensions, and the write times and deletion times of single
 * cells.
 */
import type { ArraySchema } from "../../schema/array/array_schema.ts"
import { cellSize, VAR } from "../../schema/array/cell_val_num.ts"
import type { Datatype } from "../../schema/array/datatype.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import type { DataField } from "../../schema/name/data_file.ts"
import { Since } from "../../schema/version/version.ts"

/** A field of a schema. */
export interface Field {
  readonly name: string
  readonly file: DataField
  readonly type: Datatype
  /** Number of values per cell, or VAR. */
  readonly cellValNum: number
  readonly var: boolean
  readonly nullable: boolean
  /** Size of one cell in bytes; for var-sized fields, of one value. */
  readonly cellSize: number
  /** Filters of its values. */
  readonly filters: FilterPipeline
  /** Fill value of an attribute, which is the value of unwritten cells, and its validity. */
  readonly fillValue: Uint8Array
  readonly fillIsNull: boolean
  /** Name of the enumeration of an enumerated attribute. */
  readonly enumeration: string | undefined
}

const none = new Uint8Array(0)

const attributeField = (schema: ArraySchema, index: number): Field => {
  const a = schema.attributes[index]
  return {
    name: a.name,
    file: { kind: "attribute", index, name: a.name },
    type: a.type,
    cellValNum: a.cellValNum,
    var: a.cellValNum === VAR,
    nullable: a.nullable,
    cellSize: cellSize(a.type, a.cellValNum),
    filters: a.filters,
    fillValue: a.fillValue,
    fillIsNull: a.nullable && a.fillValueValidity === 0,
    enumeration: a.enumeration === "" ? undefined : a.enumeration,
  }
}

const dimensionField = (schema: ArraySchema, index: number): Field => {
  const d = schema.dimensions[index]
  return {
    name: d.name,
    file: { kind: "dimension", index, name: d.name },
    type: d.type,
    cellValNum: d.cellValNum,
    var: d.cellValNum === VAR,
    nullable: false,
    cellSize: cellSize(d.type, d.cellValNum),
    // a dimension without filters has those of the coordinates; older schemas store no filters for dimensions
    filters: d.filters.filters.length === 0 && schema.version >= Since.splitDimensions
      ? schema.coordsFilters
      : d.filters,
    fillValue: none,
    fillIsNull: false,
    enumeration: undefined,
  }
}

/** Returns the coordinates of all dimensions as one field, which they are up to format 4. They have one datatype. */
export const zippedCoordinates = (schema: ArraySchema): Field => {
  const first = dimensionField(schema, 0)
  return {
    ...first,
    name: "__coords",
    file: { kind: "coords" },
    filters: schema.coordsFilters,
    cellSize: first.cellSize * schema.dimensions.length,
  }
}

/** Name of the write times of cells in selections. */
export const TIMESTAMPS = "__timestamps"

const cellTime = (schema: ArraySchema, kind: "timestamps" | "deleteTimes" | "deleteConditions"): Field => ({
  name: `__${kind}`,
  file: { kind },
  type: "uint64",
  cellValNum: 1,
  var: false,
  nullable: false,
  cellSize: 8,
  filters: schema.coordsFilters,
  // the maximum: not deleted
  fillValue: new Uint8Array(8).fill(0xff),
  fillIsNull: false,
  enumeration: undefined,
})

/** The fields of a schema. */
export interface Fields {
  readonly attributes: ReadonlyArray<Field>
  readonly dimensions: ReadonlyArray<Field>
  readonly timestamps: Field
  readonly deleteTimes: Field
  readonly deleteConditions: Field
  /** Attributes and dimensions by name; an attribute hides a dimension of its name. */
  readonly byName: ReadonlyMap<string, Field>
}

/** Property in which a schema stores its fields; copies, comparisons, JSON and logs do not include it. */
const FIELDS: unique symbol = Symbol("fields")

/** Returns the fields of a schema. They are computed once, and stored in the schema. */
export const fieldsOf = (schema: ArraySchema & { readonly [FIELDS]?: Fields }): Fields => {
  let fields = schema[FIELDS]
  if (fields === undefined) {
    const attributes = schema.attributes.map((_, i) => attributeField(schema, i))
    const dimensions = schema.dimensions.map((_, i) => dimensionField(schema, i))
    fields = {
      attributes,
      dimensions,
      timestamps: cellTime(schema, "timestamps"),
      deleteTimes: cellTime(schema, "deleteTimes"),
      deleteConditions: cellTime(schema, "deleteConditions"),
      byName: new Map([...dimensions, ...attributes].map((f) => [f.name, f])),
    }
    if (Object.isExtensible(schema)) Object.defineProperty(schema, FIELDS, { value: fields, enumerable: false })
  }
  return fields
}
