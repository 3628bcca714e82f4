/**
 * The arrays that dimension labels lie in.
 * Format: `array_schema.md`, "Dimension Label".
 */
import type { DimensionLabel } from "../../schema/dimension_label.ts"
import { dense } from "./builder/array_schema.ts"
import { of as attributeOf, ordered } from "./builder/attribute.ts"
import type { ArraySchema } from "./builder/schema_value.ts"

/** The schema of the array that holds a label: one label for each coordinate of its dimension, in their order. */
export const labelSchema = (
  schema: ArraySchema,
  { dimension, attribute, type, order }: DimensionLabel,
): ArraySchema => {
  const { filters, ...index } = schema.dims[schema.dimensionNames[dimension]]
  return dense({
    dims: { index: { ...index, filters: { ...filters, filters: [] } } },
    attrs: { [attribute]: order === "unordered" ? attributeOf(type) : ordered(attributeOf(type), order) },
  })
}
