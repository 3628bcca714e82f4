/**
 * Ranges of one dimension in non-empty domains, MBRs and current domains.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { BinaryIssue, type Cursor, type Sink, u64 } from "../binary/mod.ts"

/** The lowest and highest value, both inclusive, as raw bytes of the dimension's type. */
export interface Range {
  /** The lowest value, raw. */
  readonly low: Uint8Array
  /** The highest value, raw. */
  readonly high: Uint8Array
}

/** Size of one value of a dimension in bytes, or "var" for strings. */
export type RangeSize = number | "var"

/** Returns the Schema of a list of ranges. */
export const rangesSchema = (): Schema.Schema<ReadonlyArray<Range>> =>
  Schema.Array(Schema.Struct({
    low: Schema.Uint8ArrayFromSelf,
    high: Schema.Uint8ArrayFromSelf,
  })) as unknown as Schema.Schema<ReadonlyArray<Range>>

/** Reads a range: low and high. If the size is "var", the sizes `bytes u64, low bytes u64` precede them. */
export const getRange = (c: Cursor, size: RangeSize): Range => {
  if (size !== "var") return { low: c.bytesOf(size), high: c.bytesOf(size) }
  const at = c.offset
  const total = u64.get(c, undefined)
  const low = u64.get(c, undefined)
  if (low > total) throw new BinaryIssue(at, `the low bound takes ${low} of the range's ${total} bytes`)
  return { low: c.bytesOf(low), high: c.bytesOf(total - low) }
}

/** Writes a range. */
export const putRange = (s: Sink, range: Range, size: RangeSize): void => {
  if (size === "var") {
    u64.put(s, range.low.byteLength + range.high.byteLength, undefined)
    u64.put(s, range.low.byteLength, undefined)
  } else if (range.low.byteLength !== size || range.high.byteLength !== size) {
    throw new BinaryIssue(s.offset, `bounds of ${range.low.byteLength} and ${range.high.byteLength} bytes, not ${size}`)
  }
  s.append(range.low)
  s.append(range.high)
}

/** Reads one range per dimension. */
export const getRanges = (c: Cursor, sizes: ReadonlyArray<RangeSize>): ReadonlyArray<Range> =>
  sizes.map((size, i) => {
    try {
      return getRange(c, size)
    } catch (error) {
      if (error instanceof BinaryIssue) error.path.unshift(i)
      throw error
    }
  })

/** Writes one range per dimension. */
export const putRanges = (s: Sink, ranges: ReadonlyArray<Range>, sizes: ReadonlyArray<RangeSize>): void => {
  if (ranges.length !== sizes.length) {
    throw new BinaryIssue(s.offset, `${ranges.length} ranges for ${sizes.length} dimensions`)
  }
  ranges.forEach((range, i) => putRange(s, range, sizes[i]))
}

const resize = (a: Uint8Array, length: number): Uint8Array => {
  const out = new Uint8Array(length)
  out.set(a.subarray(0, length))
  return out
}

const emptyRange: Range = { low: new Uint8Array(0), high: new Uint8Array(0) }

/** Adjusts arbitrary ranges to the dimensions. */
export const fitRanges = (ranges: ReadonlyArray<Range>, sizes: ReadonlyArray<RangeSize>): ReadonlyArray<Range> =>
  sizes.map((size, i) => {
    const { low, high } = ranges[i] ?? emptyRange
    return size === "var" ? { low, high } : { low: resize(low, size), high: resize(high, size) }
  })
