/**
 * Finds the tiles of dense fragments that are completely inside the written box.
 */
import type { Fragment } from "../fragment/fragment.ts"
import { axisOf, tilesOf } from "../fragment/dense_tiles.ts"
import { readScalar } from "../../schema/array/scalar.ts"

/**
 * Returns a function that returns whether all cells of a tile were written: true for sparse fragments; in dense
 * fragments for tiles completely inside the non-empty domain.
 */
export const writtenWhole = ({ dense, schema, nonEmptyDomain }: Fragment): (tile: number) => boolean => {
  if (!dense) return () => true
  if (nonEmptyDomain === undefined) return () => false
  const axes = schema.dimensions.map((dimension, d) => {
    const { low, extent } = axisOf(dimension)
    const [first, last] = tilesOf(dimension, nonEmptyDomain[d])
    const from = BigInt(readScalar(dimension.type, nonEmptyDomain[d].low))
    const to = BigInt(readScalar(dimension.type, nonEmptyDomain[d].high))
    const isInside = (tile: number): boolean => {
      const start = low + (first + BigInt(tile)) * extent
      return start >= from && start + extent - 1n <= to
    }
    return { count: Number(last - first + 1n), isInside }
  })
  // the fastest dimension first
  const fastest = schema.tileOrder === "col-major" ? axes : [...axes].reverse()
  return (tile) => {
    let rest = tile
    for (const { count, isInside } of fastest) {
      if (!isInside(rest % count)) return false
      rest = Math.floor(rest / count)
    }
    return true
  }
}
