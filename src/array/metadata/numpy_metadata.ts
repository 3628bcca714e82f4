/**
 * The form in which TileDB-Py stores NumPy arrays in metadata: two entries, the values under `__np_flat_KEY` and,
 * unless they have one dimension, the shape under `__np_shape_KEY`.
 */
import type { Datatype, TypedArray } from "../../../schema/array/datatype.ts"

/** Prefix of the key that stores the values of a NumPy array. */
export const NUMPY_VALUES_PREFIX = "__np_flat_"
/** Prefix of the key that stores the shape of a NumPy array. */
export const NUMPY_SHAPE_PREFIX = "__np_shape_"

/** An array of numbers with a shape, row-major. */
export interface NumpyArray {
  /** The datatype of the values. */
  readonly type: Datatype
  /** Length of each dimension; empty for zero-dimensional NumPy arrays, which contain one value. */
  readonly shape: ReadonlyArray<number>
  /** All values, row-major. */
  readonly values: TypedArray
}
