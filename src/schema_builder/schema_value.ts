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
 * What an array is. `dense` and `sparse` make it, and `fromStructure` of what an array has; it is a plain value that does
 * not change.
 */
export interface ArraySchema<
  K extends ArrayType = ArrayType,
  D extends Dimensions = Dimensions,
  A extends Attributes = Attributes,
  L extends LabelsInput = LabelsInput,
> {
  /** Whether every cell has a value, or only some. */
  readonly arrayType: K
  /** The dimensions. */
  readonly dims: D
  /** The attributes. */
  readonly attrs: A
  /** The names of the dimensions, in their order. */
  readonly dimensionNames: ReadonlyArray<string>
  /** The names of the attributes, in their order. */
  readonly attributeNames: ReadonlyArray<string>
  /** The order of the cells in a tile. */
  readonly order: CellOrder
  /** The order of the tiles. */
  readonly tileOrder: TileOrder
  /** Cells of a tile of a sparse array. */
  readonly capacity: number
  /** Sparse arrays: whether cells of the same coordinates are all kept. */
  readonly allowsDuplicates: boolean
  /** What the coordinates of dimensions without filters go through. */
  readonly coordsFilters: FilterPipeline
  /** What the offsets of var-sized cells go through. */
  readonly offsetsFilters: FilterPipeline
  /** What the validity of nullable cells goes through. */
  readonly validityFilters: FilterPipeline
  /** What the codes of enumerated attributes stand for, by name. */
  readonly enumerations: Readonly<Record<string, EnumerationValues>>
  /** The part of the domain in which cells may lie, raw, by dimension; `null` is all of it. */
  readonly currentDomain: ReadonlyArray<Range> | null
  /** Labels of dimensions by name, as users write them. */
  readonly labels: L
  /** Labels of dimensions, as they lie in the array. */
  readonly dimensionLabels: ReadonlyArray<DimensionLabel>
}
