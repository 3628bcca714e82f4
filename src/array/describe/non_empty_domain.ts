import type { Range } from "../../../schema/array/range.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { compareBytes } from "../../kernel/match/match_ranges.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import type { OpenedArray } from "../open/open.ts"

/** Whether a raw bound of a dimension is less than another. */
const isBefore = ({ type, cellValNum }: Dimension, a: Uint8Array, b: Uint8Array): boolean =>
  cellValNum === VAR ? compareBytes(a, b) < 0 : readScalar(type, a) < readScalar(type, b)

/** Whether two boxes have a place in common. */
export const overlap = (
  dimensions: ReadonlyArray<Dimension>,
  a: ReadonlyArray<Range>,
  b: ReadonlyArray<Range>,
): boolean =>
  dimensions.every((dimension, d) =>
    !isBefore(dimension, a[d].high, b[d].low) && !isBefore(dimension, b[d].high, a[d].low)
  )

/**
 * The smallest box that holds all cells that the open array sees: raw bounds by dimension, both inclusive. `undefined` if
 * nothing was written. Costs nothing: the footers say it.
 */
export const nonEmptyDomain = (array: OpenedArray): ReadonlyArray<Range> | undefined => {
  const domains = array.fragments.map((f) => f.nonEmptyDomain).filter((d) => d !== undefined)
  if (domains.length === 0) return undefined
  return array.schema.dimensions.map((dimension, d) => {
    const before = (a: Uint8Array, b: Uint8Array): boolean => isBefore(dimension, a, b)
    let { low, high } = domains[0][d]
    // of bounds that compare as equal, −0 and 0, the newest fragment's, as the engine has it
    for (const domain of domains) {
      if (!before(low, domain[d].low)) low = domain[d].low
      if (!before(domain[d].high, high)) high = domain[d].high
    }
    return { low, high }
  })
}
