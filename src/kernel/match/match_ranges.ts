/**
 * Strings in ranges. Ranges are sorted and disjoint, and lie flat in typed arrays that a query builds once: of each cell the
 * last range that starts at or before it is the only one that may hold it, and neighbours often share it.
 */

/** A range of strings, both ends inclusive; `undefined` is no end. */
export interface ByteRangeOfStrings {
  readonly low: Uint8Array | undefined
  readonly high: Uint8Array | undefined
}

/** Ranges of strings behind each other: low `r` is `bytes[starts[2r]] … bytes[starts[2r + 1] − 1]`, then its high. */
export interface StringRanges {
  readonly count: number
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  /** Whether the last range has no end. */
  readonly open: boolean
  /** Bytes that all bounds start with. */
  readonly shared: number
}

/** Lays ranges flat; they are ascending and disjoint, so that only the last has no end. */
export const stringRanges = (ranges: ReadonlyArray<ByteRangeOfStrings>): StringRanges => {
  const count = ranges.length
  const open = count > 0 && ranges[count - 1].high === undefined
  const none = new Uint8Array(0)
  const bounds = ranges.flatMap(({ low, high }) => [low ?? none, high ?? none])
  const starts = new Uint32Array(2 * count + 1)
  bounds.forEach((b, k) => starts[k + 1] = starts[k] + b.length)
  const bytes = new Uint8Array(starts[2 * count])
  bounds.forEach((b, k) => bytes.set(b, starts[k]))
  // between the first and the last bound all share what these two share
  let shared = 0
  if (count > 0) {
    const [first, last] = [bounds[0], bounds[2 * count - (open ? 2 : 1)]]
    while (shared < first.length && shared < last.length && first[shared] === last[shared]) shared++
  }
  return { count, bytes, starts, open, shared }
}

/** Clears `mask[i]` for every string that is in none of the ranges. */
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
      // before all bounds, or behind them
      if (head < 0 || !open) mask[i] = 0
      continue
    }
    const rest = from + shared
    const startsBy = (k: number): boolean =>
      compareSlices(bytes, rest, to, bounds, starts[2 * k] + shared, starts[2 * k + 1]) >= 0
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
      if (compareSlices(bytes, rest, to, bounds, starts[2 * r + 1] + shared, starts[2 * r + 2]) > 0) mask[i] = 0
    }
  }
}

/** Bytes `from … to − 1` of `a` against those of `b`: unsigned, a prefix first. */
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

/** Strings compare as unsigned bytes, a prefix first. */
export const compareBytes = (a: Uint8Array, b: Uint8Array): number => compareSlices(a, 0, a.length, b, 0, b.length)
