/**
 * Chooses fragments to combine: neighbours in time with similar sizes, as TileDB does.
 */
import type { Fragment } from "../../fragment/fragment.ts"

/** Rules of the choice. */
export interface ChoiceOptions {
  /** Minimum and maximum number of fragments to combine, limited to the number of fragments. */
  readonly minFragments: number
  readonly maxFragments: number
  /** Minimum ratio of the smaller to the larger size of neighbours, from 0 to 1. */
  readonly sizeRatio: number
}

/** Returns the size of a fragment's data files in bytes. */
export const fragmentBytes = ({ fileSizes, varFileSizes, validityFileSizes }: Fragment): number =>
  [fileSizes, varFileSizes, validityFileSizes].reduce(
    (sum, sizes) => sizes.reduce((total, size) => total + size, sum),
    0,
  )

/** A later range is chosen only if it is smaller than an earlier one by this factor. */
const MIN_SIZE_FACTOR = 1.25

/**
 * Returns the range of neighbours to combine: the longest range that the rules allow, and of several the smallest in
 * bytes; `undefined` if there is no such range. `isAllowed` returns whether a range of fragments can be combined.
 */
export const chooseFragments = (
  sizes: ReadonlyArray<number>,
  { minFragments, maxFragments, sizeRatio }: ChoiceOptions,
  isAllowed: (from: number, to: number) => boolean,
): readonly [from: number, to: number] | undefined => {
  const min = Math.max(2, Math.min(minFragments, sizes.length))
  const max = Math.min(maxFragments, sizes.length)
  // for each fragment, the first fragment of its run of similar neighbours
  const runs: Array<number> = []
  const sums = [0]
  sizes.forEach((size, i) => {
    const before = i === 0 ? size : sizes[i - 1]
    const larger = Math.max(before, size)
    const isSimilar = i > 0 && (larger === 0 ? 1 : Math.min(before, size) / larger) >= sizeRatio
    runs.push(isSimilar ? runs[i - 1] : i)
    sums.push(sums[i] + size)
  })
  for (let count = max; count >= min; count--) {
    let chosen: readonly [number, number] | undefined
    let smallest = Infinity
    for (let from = 0; from + count <= sizes.length; from++) {
      const to = from + count
      if (runs[to - 1] > from) continue
      const bytes = sums[to] - sums[from]
      if ((chosen === undefined || bytes < smallest / MIN_SIZE_FACTOR) && isAllowed(from, to)) {
        chosen = [from, to]
        smallest = bytes
      }
    }
    if (chosen !== undefined) return chosen
  }
  return undefined
}
