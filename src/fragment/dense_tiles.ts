/**
 * Computes the space tiles of dense arrays: their number and the number of their cells.
 */
import type { ArraySchema } from "../../schema/array/array_schema.ts"
import type { Dimension } from "../../schema/array/dimension.ts"
import { sizeOf } from "../../schema/array/datatype.ts"
import type { Range } from "../../schema/array/range.ts"
import { readScalar } from "../../schema/array/scalar.ts"
import { tileExtentOf } from "./tile_extent.ts"

/** A dense dimension in whole numbers. */
export interface Axis {
  readonly low: bigint
  readonly high: bigint
  readonly extent: bigint
}

/**
 * Returns the domain and the tile extent of a dimension of integers, dates or times. Without an extent, the domain is
 * one tile.
 */
export const axisOf = (dimension: Dimension): Axis => {
  const { type, domain } = dimension
  const low = BigInt(readScalar(type, domain, 0))
  const high = BigInt(readScalar(type, domain, sizeOf(type)))
  const extent = BigInt(tileExtentOf(dimension) ?? high - low + 1n)
  return { low, high, extent: extent < 1n ? 1n : extent }
}

/** Returns the number of cells of a space tile. */
export const denseCells = (schema: ArraySchema): number =>
  Number(schema.dimensions.reduce((cells, d) => cells * axisOf(d).extent, 1n))

/** Returns the number of the tile that contains a coordinate, counted from the start of the domain. */
export const tileOf = (axis: Axis, coordinate: bigint): bigint => (coordinate - axis.low) / axis.extent

/** Returns the first and the last tile of a range along a dimension. */
export const tilesOf = (dimension: Dimension, range: Range): readonly [bigint, bigint] => {
  const axis = axisOf(dimension)
  return [
    tileOf(axis, BigInt(readScalar(dimension.type, range.low))),
    tileOf(axis, BigInt(readScalar(dimension.type, range.high))),
  ]
}

/** Returns the number of space tiles that the non-empty domain of a dense fragment overlaps. */
export const fragmentTiles = (schema: ArraySchema, nonEmptyDomain: ReadonlyArray<Range>): number =>
  Number(
    schema.dimensions.reduce((tiles, d, i) => {
      const [first, last] = tilesOf(d, nonEmptyDomain[i])
      return tiles * (last - first + 1n)
    }, 1n),
  )
