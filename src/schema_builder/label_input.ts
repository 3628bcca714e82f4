/**
 * Dimension labels as users write them.
 */
import type { Filter } from "../../schema/array/filter.ts"
import type { DimensionType } from "./datatype_values.ts"

/** A label as users write it: `{ dim: "y", type: "float64", order: "increasing" }`. */
export interface LabelInput<Name extends string = string> {
  /** The dimension whose coordinates it names: one of integers, dates or times. */
  readonly dim: Name
  /** The datatype of the labels. */
  readonly type: DimensionType
  /** Whether they run up or down. */
  readonly order: "increasing" | "decreasing"
  /** What the labels go through, first to last, in the array that holds them. Default: none. */
  readonly filters?: ReadonlyArray<Filter>
}

/** Labels by name. */
export type LabelsInput<Name extends string = string> = Readonly<Record<string, LabelInput<Name>>>

/** No label at all. */
export type NoLabels = Readonly<Record<never, never>>
