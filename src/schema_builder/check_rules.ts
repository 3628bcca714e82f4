/**
 * The rules for whole schemas, which engines check when they create an array.
 */
import { isInteger } from "../../schema/array/datatype.ts"
import type { Filter } from "../../schema/array/filter.ts"
import { checkAttribute, checkDimension } from "./check_fields.ts"
import { checkInherited } from "./check_filters.ts"
import type { Dimension } from "./dimension.ts"
import { checkLabels } from "./dimension_labels.ts"
import { checkEnumerations } from "./enumeration_values.ts"
import type { ArraySchema } from "./schema_value.ts"
import { SchemaError, type SchemaReason } from "./schema_error.ts"

/** Maximum number of dimensions with Hilbert order: they share the 64 bits of Hilbert values. */
const MAX_HILBERT_DIMENSIONS = 16
/** Maximum width and height of a WebP picture. */
const MAX_WEBP_SIDE = 16383

/** Returns the tile extent of a dimension, if it has one. */
const tileLength = ({ domain, tile }: Dimension): number =>
  Number(tile ?? (domain === null ? 0 : BigInt(domain[1]) - BigInt(domain[0]) + 1n))

const checkWebp = (field: string, schema: ArraySchema, webp: Extract<Filter, { type: "webp" }>): void => {
  const refuse = (reason: SchemaReason, detail: string): never => {
    throw new SchemaError({ field, reason, detail: `webp: ${detail}` })
  }
  if (schema.arrayType !== "dense") refuse("InvalidFilter", "only tiles of dense arrays can be pictures")
  const dims = schema.dimensionNames.map((name) => schema.dims[name])
  if (dims.length !== 2) {
    refuse("InvalidFilter", `pictures have 2 dimensions, rows and columns; the array has ${dims.length}`)
  }
  if (!isInteger(dims[0].type)) refuse("InvalidFilter", `pictures have dimensions of integers, not of ${dims[0].type}`)
  const depth = webp.format === "rgba" || webp.format === "bgra" ? 4 : 3
  const [rows, columns] = dims.map(tileLength)
  if (columns % depth !== 0) {
    refuse("InvalidFilter", `${columns} columns per tile are not a multiple of the pixel size ${depth}`)
  }
  if (rows > MAX_WEBP_SIDE || columns / depth > MAX_WEBP_SIDE) {
    refuse("InvalidFilter", `tiles are larger than ${MAX_WEBP_SIDE} × ${MAX_WEBP_SIDE} pixels`)
  }
}

/** Checks an attribute of a schema. Throws {@link SchemaError}. */
export const checkAttributeOf = (schema: ArraySchema, name: string): void => {
  const { arrayType, dims, attrs, dimensionNames } = schema
  const refuse = (reason: SchemaReason, detail: string): never => {
    throw new SchemaError({ field: name, reason, detail })
  }
  if (Object.hasOwn(dims, name)) refuse("Duplicate", "an attribute and a dimension may not have the same name")
  checkAttribute(name, attrs[name], schema.enumerations)
  if (attrs[name].order !== "unordered" && (arrayType !== "dense" || dimensionNames.length !== 1)) {
    refuse("Unsupported", "ordered attributes belong to dense arrays of one dimension")
  }
  for (const filter of attrs[name].filters.filters) if (filter.type === "webp") checkWebp(name, schema, filter)
}

/** Checks a schema and returns it. Throws {@link SchemaError}. */
export const checkSchemaRules = <S extends ArraySchema>(schema: S): S => {
  const { arrayType, dims, dimensionNames, attributeNames, order, tileOrder, capacity } = schema
  const dense = arrayType === "dense"
  const refuse = (reason: SchemaReason, field: string, detail: string): never => {
    throw new SchemaError({ field, reason, detail })
  }
  if (dimensionNames.length === 0) refuse("Missing", "dims", "an array has at least one dimension")
  if (dense && attributeNames.length === 0) refuse("Missing", "attrs", "a dense array has at least one attribute")
  for (const name of dimensionNames) checkDimension(name, dims[name], dense)
  const first = dims[dimensionNames[0]].type
  for (const name of dense ? dimensionNames : []) {
    const { type } = dims[name]
    if (type !== first) {
      refuse("WrongType", name, `all dimensions of a dense array must have the same datatype, not ${first} and ${type}`)
    }
  }
  for (const name of dimensionNames) {
    if (dims[name].filters.filters.length === 0) checkInherited(name, schema.coordsFilters, dims[name].type)
  }
  checkEnumerations(schema.enumerations)
  for (const name of attributeNames) checkAttributeOf(schema, name)
  checkLabels(schema)
  if (tileOrder !== "row-major" && tileOrder !== "col-major") {
    refuse("InvalidValue", "tileOrder", `invalid tile order ${tileOrder}`)
  }
  if (order !== "row-major" && order !== "col-major" && order !== "hilbert") {
    refuse("InvalidValue", "order", `invalid cell order ${order}`)
  }
  if (order === "hilbert" && dense) refuse("Unsupported", "order", "the Hilbert order is for sparse arrays")
  if (order === "hilbert" && dimensionNames.length > MAX_HILBERT_DIMENSIONS) {
    refuse(
      "Unsupported",
      "order",
      `the Hilbert order supports at most ${MAX_HILBERT_DIMENSIONS} dimensions, not ${dimensionNames.length}`,
    )
  }
  if (dense && schema.allowsDuplicates) {
    refuse("Unsupported", "allowsDuplicates", "dense arrays do not support duplicates")
  }
  if (!Number.isSafeInteger(capacity) || capacity < (dense ? 0 : 1)) {
    refuse("InvalidValue", "capacity", `invalid capacity ${capacity}`)
  }
  return schema
}
