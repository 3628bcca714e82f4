/**
 * Numbers of space tiles: the most significant key of the global order.
 */
import type { Dimension } from "../../../schema/array/dimension.ts"
import { readScalar, type Scalar } from "../../../schema/array/scalar.ts"

/** Returns a function that maps a coordinate to the number of its space tile along a dimension. */
export const spaceTile = (dimension: Dimension, extent: Scalar): (value: Scalar) => Scalar => {
  const low = readScalar(dimension.type, dimension.domain)
  if (typeof low === "bigint") return (value) => ((value as bigint) - low) / (extent as bigint)
  const single = dimension.type === "float32"
  const e = Number(extent)
  return (value) => {
    const offset = (value as number) - low
    return Math.floor(single ? Math.fround(Math.fround(offset) / e) : offset / e)
  }
}
