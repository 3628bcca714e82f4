/**
 * Space tiles: by their numbers cells lie in global order, before anything else.
 */
import type { Dimension } from "../../../schema/array/dimension.ts"
import { readScalar, type Scalar } from "../../../schema/array/scalar.ts"

/** The number of the space tile of a coordinate, along a dimension of this extent. */
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
