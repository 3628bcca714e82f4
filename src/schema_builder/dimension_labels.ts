/**
 * Dimension labels of a schema: names for the coordinates of a dimension, stored in an array of their own.
 */
import { VAR } from "../../schema/array/cell_val_num.ts"
import { isInteger, isTemporal } from "../../schema/array/datatype.ts"
import type { DimensionLabel } from "../../schema/array/dimension_label.ts"
import { labelPath } from "../../schema/name/array_paths.ts"
import { innerPathFault } from "../../schema/name/inner_path.ts"
import { isCoordinateType } from "./check_fields.ts"
import { checkFilters } from "./check_filters.ts"
import type { DimensionType } from "./datatype_values.ts"
import { pipelineOf } from "./builder_input.ts"
import type { LabelsInput } from "./label_input.ts"
import { SchemaError, type SchemaReason } from "./schema_error.ts"
import type { ArraySchema } from "./schema_value.ts"

/** Returns the number of values in a label. */
export const labelCellValNum = (type: DimensionType): number => type === "string_ascii" ? VAR : 1

/** Returns the label structures for the schema of an array with these dimensions. Throws {@link SchemaError}. */
export const labelStructures = (
  dimensionNames: ReadonlyArray<string>,
  labels: LabelsInput,
): ReadonlyArray<DimensionLabel> =>
  Object.entries(labels).map(([name, { dim, type, order }], i) => {
    const dimension = dimensionNames.indexOf(dim)
    if (dimension < 0) {
      throw new SchemaError({
        field: name,
        reason: "UnknownName",
        detail: `the label names an unknown dimension ${dim}`,
      })
    }
    return {
      dimension,
      name,
      relative: true,
      uri: labelPath(i),
      attribute: "label",
      order,
      type,
      cellValNum: labelCellValNum(type),
      external: false,
    }
  })

/** Converts the label structures of a schema to the user's form. */
export const labelsOf = (
  dimensionNames: ReadonlyArray<string>,
  labels: ReadonlyArray<DimensionLabel>,
): LabelsInput =>
  Object.fromEntries(labels.map(({ name, dimension, type, order }) => [name, {
    dim: dimensionNames[dimension],
    type: type as DimensionType,
    order: order as "increasing",
  }]))

/** Checks the labels of a schema. Throws {@link SchemaError}. */
export const checkLabels = ({ dims, dimensionNames, attributeNames, dimensionLabels, labels }: ArraySchema): void => {
  const names = new Set([...dimensionNames, ...attributeNames])
  for (const { name, dimension, type, order, relative, external, uri } of dimensionLabels) {
    const refuse = (reason: SchemaReason, detail: string): never => {
      throw new SchemaError({ field: name, reason, detail })
    }
    if (name === "") refuse("InvalidName", "a dimension label requires a name")
    if (names.has(name)) {
      refuse("Duplicate", "a dimension label may not have the name of a dimension, an attribute or another label")
    }
    names.add(name)
    // the label array is created with the array, so it must be inside it
    const fault = relative ? innerPathFault(uri) : external ? undefined : "is not relative to the array"
    if (fault !== undefined) refuse("InvalidValue", `the URI of the label ${fault}`)
    const dimensionType = dims[dimensionNames[dimension]].type
    if (!isInteger(dimensionType) && !isTemporal(dimensionType)) {
      refuse("WrongType", `labels require a dimension of integers, dates or times, not of ${dimensionType}`)
    }
    if (!isCoordinateType(type)) refuse("WrongType", `labels cannot be ${type}`)
    if (order === "unordered") refuse("InvalidValue", "labels must be increasing or decreasing")
    const { filters = [] } = (labels as LabelsInput)[name]
    checkFilters(name, pipelineOf(filters), type, type === "string_ascii")
  }
}
