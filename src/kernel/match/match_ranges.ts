/**
 * Strings in ranges. Ranges are sorted and disjoint, and stored in typed arrays that a query builds once. For each
 * cell, only the last range that starts at or before it can contain it; adjacent cells often share this range.
 */

/** A range of strings with inclusive bounds; `undefined` means unbounded. */
export interface ByteRangeOfStrings {
  readonly low: Uint8Array | undefined
  readonly high: Uint8Array | undefined
}

/** Concatenated ranges of strings: low `r` is `bytes[starts[2r]] … bytes[starts[2r + 1] − 1]`, followed by its high. */
export interface StringRanges {
  readonly count: number
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  /** Whether the last range has no upper bound. */
  readonly open: boolean
  /** The number of bytes of the common prefix of all bounds. */
  readonly shared: number
}

/** Concatenates ranges, which are ascending and disjoint, so that only the last one can be unbounded. */
export const stringRanges = (ranges: ReadonlyArray<ByteRangeOfStrings>): StringRanges => {
  const count = ranges.length
  const open = count > 0 && ranges[count - 1].high === undefined
  const empty = new Uint8Array(0)
  const bounds = ranges.flatMap(({ low, high }) => [low ?? empty, high ?? empty])
  const starts = new Uint32Array(2 * count + 1)
  bounds.forEach((b, k) => starts[k + 1] = starts[k] + b.length)
  const bytes = new Uint8Array(starts[2 * count])
  bounds.forEach((b, k) => bytes.set(b, starts[k]))
  // the common prefix of the first and the last bound is common to all
  let shared = 0
  if (count > 0) {
    const [first, last] = [bounds[0], bounds[2 * count - (open ? 2 : 1)]]
    while (shared < first.length && shared < last.length && first[shared] === last[shared]) shared++
  }
  return { count, bytes, starts, open, shared }
}

/** Sets `mask[i]` to 0 for every string outside all ranges. */
export const matchStrings = (
  bytes: Uint8Array,
  offsets: Uint32Array,
  ranges: StringRanges,
  mask: Uint8Array,
): void => {
  const { count, bytes: bounds, starts, open, shared } = ranges
  let r = -1
  for (let i = 0; i < mask.length; i++) {
    if (mask[i] === 0) continue
    const from = offsets[i]
    const to = offsets[i + 1]
    const head = compareSlices(bytes, from, Math.min(to, from + shared), bounds, 0, count === 0 ? 0 : shared)
    if (head !== 0) {
      // before all bounds, or after them
      if (head < 0 || !open) mask[i] = 0
      continue
    }
    const suffix = from + shared
    const startsBy = (k: number): boolean =>
      compareSlices(bytes, suffix, to, bounds, starts[2 * k] + shared, starts[2 * k + 1]) >= 0
    if ((r >= 0 && !startsBy(r)) || (r + 1 < count && startsBy(r + 1))) {
      let first = 0
      let last = count
      while (first < last) {
        const middle = (first + last) >>> 1
        if (startsBy(middle)) first = middle + 1
        else last = middle
      }
      r = first - 1
    }
    if (r < 0) mask[i] = 0
    else if (r < count - 1 || !open) {
      if (compareSlices(bytes, suffix, to, bounds, starts[2 * r + 1] + shared, starts[2 * r + 2]) > 0) mask[i] = 0
    }
  }
}

/** Compares bytes `from … to − 1` of `a` with a slice of `b`: unsigned, a prefix is less. */
export const compareSlices = (
  a: Uint8Array,
  fromA: number,
  toA: number,
  b: Uint8Array,
  fromB: number,
  toB: number,
): number => {
  const length = Math.min(toA - fromA, toB - fromB)
  for (let k = 0; k < length; k++) {
    const difference = a[fromA + k] - b[fromB + k]
    if (difference !== 0) return difference
  }
  return (toA - fromA) - (toB - fromB)
}

/** Compares strings as unsigned bytes; a prefix is less. */
export const compareBytes = (a: Uint8Array, b: Uint8Array): number => compareSlices(a, 0, a.length, b, 0, b.length)
