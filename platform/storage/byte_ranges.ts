/**
 * Validates byte ranges before memory is allocated for a read.
 *
 * @module
 */
import { StorageError, type StorageOp } from "../errors.ts"
import type { ByteRange } from "./service.ts"

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

/** Throws for invalid ranges, and for ranges beyond the `size` bytes of the file, if known. */
export const checkRanges = (op: StorageOp, uri: string, ranges: ReadonlyArray<ByteRange>, size = Infinity): void => {
  for (const range of ranges) {
    const { offset, length } = range
    if (!isCount(offset) || !isCount(length)) {
      const cause = new RangeError(`invalid byte range: offset ${offset}, length ${length}`)
      throw new StorageError({ op, uri, reason: "Unknown", cause })
    }
    if (offset + length > size) throw truncated(op, uri, range, size)
  }
}

/** Returns the error for a range beyond the end of a file, which is at `end`. */
export const truncated = (op: StorageOp, uri: string, { offset, length }: ByteRange, end: number): StorageError => {
  const cause = new RangeError(
    `the range of ${length} bytes at offset ${offset} exceeds the file, which ends at ${end}`,
  )
  return new StorageError({ op, uri, reason: "Truncated", cause })
}

/** Returns the range of the last `length` bytes, or of the whole file if it is shorter. */
export const tailRange = (op: StorageOp, uri: string, length: number, size: number): ByteRange => {
  const range = { offset: Math.max(size - length, 0), length: Math.min(length, size) }
  checkRanges(op, uri, [range], size)
  return range
}
