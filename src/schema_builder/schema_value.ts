/**
 * Schemas as values.
 */
import type { ArrayType } from "../../schema/array/array_schema.ts"
import type { DimensionLabel } from "../../schema/array/dimension_label.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import type { Range } from "../../schema/array/range.ts"
import type { Attribute } from "./attribute.ts"
import type { Dimension } from "./dimension.ts"
import type { LabelsInput } from "./label_input.ts"
import type { EnumerationValues } from "./enumeration_values.ts"

/** Dimensions by name. */
export type Dimensions = Readonly<Record<string, Dimension>>

/** Attributes by name. */
export type Attributes = Readonly<Record<string, Attribute>>

/** The order of the cells in a tile: `hilbert` is for sparse arrays only. */
export type CellOrder = "row-major" | "col-major" | "hilbert"

/** The order of the tiles. */
export type TileOrder = "row-major" | "col-major"

/**
 * A schema of an array: a plain, immutable value. Created by `dense` and `sparse`, or from an existing array by
 * `fromStructure`.
 */
export interface ArraySchema<
  K extends ArrayType = ArrayType,
  D extends Dimensions = Dimensions,
  A extends Attributes = Attributes,
  L extends LabelsInput = LabelsInput,
> {
  /** Dense or sparse. */
  readonly arrayType: K
  /** The dimensions. */
  readonly dims: D
  /** The attributes. */
  readonly attrs: A
  /** The names of the dimensions, in schema order. */
  readonly dimensionNames: ReadonlyArray<string>
  /** The names of the attributes, in schema order. */
  readonly attributeNames: ReadonlyArray<string>
  /** The order of the cells in a tile. */
  readonly order: CellOrder
  /** The order of the tiles. */
  readonly tileOrder: TileOrder
  /** The number of cells in a tile of a sparse array. */
  readonly capacity: number
  /** Whether a sparse array keeps all cells with the same coordinates. */
  readonly allowsDuplicates: boolean
  /** The filters of coordinates, for dimensions without filters. */
  readonly coordsFilters: FilterPipeline
  /** The filters of the offsets of var-sized cells. */
  readonly offsetsFilters: FilterPipeline
  /** The filters of the validity of nullable cells. */
  readonly validityFilters: FilterPipeline
  /** The values of enumerated attributes, by the name of the enumeration. */
  readonly enumerations: Readonly<Record<string, EnumerationValues>>
  /** The part of the domain in which cells may be written, raw, by dimension; `null` for the whole domain. */
  readonly currentDomain: ReadonlyArray<Range> | null
  /** The dimension labels by name, in the user's form. */
  readonly labels: L
  /** The dimension labels as stored in the array. */
  readonly dimensionLabels: ReadonlyArray<DimensionLabel>
}
