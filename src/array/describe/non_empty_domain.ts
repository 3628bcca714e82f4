import type { Range } from "../../../schema/array/range.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { compareBytes } from "../../kernel/match/match_ranges.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import type { OpenedArray } from "../open/open.ts"

/** Returns whether a raw bound of a dimension is less than another. */
const isBefore = ({ type, cellValNum }: Dimension, a: Uint8Array, b: Uint8Array): boolean =>
  cellValNum === VAR ? compareBytes(a, b) < 0 : readScalar(type, a) < readScalar(type, b)

/** Returns whether two boxes overlap. */
export const overlap = (
  dimensions: ReadonlyArray<Dimension>,
  a: ReadonlyArray<Range>,
  b: ReadonlyArray<Range>,
): boolean =>
  dimensions.every((dimension, d) =>
    !isBefore(dimension, a[d].high, b[d].low) && !isBefore(dimension, b[d].high, a[d].low)
  )

/**
 * Returns the smallest box that contains all cells of the open array: raw bounds by dimension, both inclusive.
 * `undefined` if nothing was written. Takes no request, since the footers contain the box of each fragment.
 */
export const nonEmptyDomain = (array: OpenedArray): ReadonlyArray<Range> | undefined => {
  const domains = array.fragments.map((f) => f.nonEmptyDomain).filter((d) => d !== undefined)
  if (domains.length === 0) return undefined
  return array.schema.dimensions.map((dimension, d) => {
    const before = (a: Uint8Array, b: Uint8Array): boolean => isBefore(dimension, a, b)
    let { low, high } = domains[0][d]
    // of equal bounds (−0 and 0), use that of the newest fragment, as the engine does
    for (const domain of domains) {
      if (!before(low, domain[d].low)) low = domain[d].low
      if (!before(domain[d].high, high)) high = domain[d].high
    }
    return { low, high }
  })
}
