/**
 * Dimension labels of a schema: other names for the coordinates of a dimension, which lie in an array of their own.
 */
import { VAR } from "../../schema/array/cell_val_num.ts"
import { isInteger, isTemporal } from "../../schema/array/datatype.ts"
import type { DimensionLabel } from "../../schema/array/dimension_label.ts"
import { labelPath } from "../../schema/name/array_paths.ts"
import { innerPathFault } from "../../schema/name/inner_path.ts"
import { isCoordinateType } from "./check_fields.ts"
import { checkFilters } from "./check_filters.ts"
import type { DimensionType } from "./datatype_values.ts"
import { pipelineOf } from "./filter.ts"
import type { LabelsInput } from "./label_input.ts"
import { SchemaError } from "./schema_error.ts"
import type { ArraySchema } from "./schema_value.ts"

/** Values in a label. */
export const labelCellValNum = (type: DimensionType): number => type === "string_ascii" ? VAR : 1

/** The labels as they lie in the schema of an array with these dimensions. Throws {@link SchemaError}. */
export const labelStructures = (
  dimensionNames: ReadonlyArray<string>,
  labels: LabelsInput,
): ReadonlyArray<DimensionLabel> =>
  Object.entries(labels).map(([name, { dim, type, order }], i) => {
    const dimension = dimensionNames.indexOf(dim)
    if (dimension < 0) {
      throw new SchemaError({ field: name, detail: `the label is of a dimension ${dim}, which is not there` })
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

/** Labels as users write them, of those that lie in a schema. */
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
    const refuse = (reason: string): never => {
      throw new SchemaError({ field: name, detail: reason })
    }
    if (name === "") refuse("a dimension label has a name")
    if (names.has(name)) refuse("a dimension label may not have the name of a dimension, an attribute or another label")
    names.add(name)
    // the label array is made there, so it must be in the array
    const fault = relative ? innerPathFault(uri) : external ? undefined : "is not relative to the array"
    if (fault !== undefined) refuse(`the URI of the label ${fault}`)
    const its = dims[dimensionNames[dimension]].type
    if (!isInteger(its) && !isTemporal(its)) {
      refuse(`labels are of dimensions of integers, dates or times, not of ${its}`)
    }
    if (!isCoordinateType(type)) refuse(`labels may not be ${type}`)
    if (order === "unordered") refuse("labels run up or down; engines have no others")
    const { filters = [] } = (labels as LabelsInput)[name]
    checkFilters(name, pipelineOf(filters), type, type === "string_ascii")
  }
}
