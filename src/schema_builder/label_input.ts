/**
 * The user's form of dimension labels.
 */
import type { Filter } from "../../schema/array/filter.ts"
import type { DimensionType } from "./datatype_values.ts"

/** A dimension label: `{ dim: "y", type: "float64", order: "increasing" }`. */
export interface LabelInput<Name extends string = string> {
  /** The labelled dimension: integers, dates or times. */
  readonly dim: Name
  /** The datatype of the labels. */
  readonly type: DimensionType
  /** Whether the labels are increasing or decreasing. */
  readonly order: "increasing" | "decreasing"
  /** The filters of the labels in the label array, in the order of application. Default: no filters. */
  readonly filters?: ReadonlyArray<Filter>
}

/** Labels by name. */
export type LabelsInput<Name extends string = string> = Readonly<Record<string, LabelInput<Name>>>

/** No labels. */
export interface NoLabels extends Readonly<Record<never, never>> {}
