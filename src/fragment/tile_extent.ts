/**
 * The space tile extents of dimensions.
 */
import { isFloat, sizeOf } from "../../schema/array/datatype.ts"
import type { Dimension } from "../../schema/array/dimension.ts"
import { readScalar, type Scalar } from "../../schema/array/scalar.ts"

/**
 * Returns the tile extent of a dimension, if it has one. Extents are unsigned for every datatype: the default extent of
 * an int8 dimension from −28 to 127 is 156, stored in the schema as −100.
 */
export const tileExtentOf = ({ type, tileExtent }: Pick<Dimension, "type" | "tileExtent">): Scalar | null => {
  if (tileExtent === null) return null
  const extent = readScalar(type, tileExtent)
  if (isFloat(type) || extent >= 0) return extent
  return typeof extent === "bigint" ? BigInt.asUintN(64, extent) : extent + 2 ** (8 * sizeOf(type))
}
