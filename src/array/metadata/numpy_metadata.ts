/**
 * How TileDB-Py keeps NumPy arrays in metadata: in two entries, their values under `__np_flat_KEY` and, unless they have one
 * dimension, their shape under `__np_shape_KEY`.
 */
import type { Datatype, TypedArray } from "../../../schema/array/datatype.ts"

/** What is before the key of the values of a NumPy array. */
export const FLAT = "__np_flat_"
/** What is before the key of the shape of a NumPy array. */
export const SHAPE = "__np_shape_"

/** An array of numbers with a shape, in row order. */
export interface NumpyArray {
  /** The datatype of the values. */
  readonly type: Datatype
  /** The length of each dimension; empty for NumPy's arrays without dimensions, which hold one value. */
  readonly shape: ReadonlyArray<number>
  /** All values, row after row. */
  readonly values: TypedArray
}
