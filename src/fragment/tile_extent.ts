/**
 * How long the space tiles of a dimension are.
 */
import { isFloat, sizeOf } from "../../schema/array/datatype.ts"
import type { Dimension } from "../../schema/array/dimension.ts"
import { readScalar, type Scalar } from "../../schema/array/scalar.ts"

/**
 * The extent of the tiles of a dimension, if they have one. It has no sign, whatever the datatype: that of a dimension of int8
 * from −28 to 127 is 156 where nobody chose another, and lies in a schema as −100.
 */
export const tileExtentOf = ({ type, tileExtent }: Pick<Dimension, "type" | "tileExtent">): Scalar | null => {
  if (tileExtent === null) return null
  const extent = readScalar(type, tileExtent)
  if (isFloat(type) || extent >= 0) return extent
  return typeof extent === "bigint" ? BigInt.asUintN(64, extent) : extent + 2 ** (8 * sizeOf(type))
}
