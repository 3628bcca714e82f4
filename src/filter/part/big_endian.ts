/**
 * Big-endian unsigned integers of 1 to 8 bytes. The format uses them only in folded strings.
 *
 * @module
 */

/** Reads an integer of `width` existing bytes at `at`. Values above 2^53 are inexact; size checks reject them. */
export const readBigEndian = (bytes: Uint8Array, at: number, width: number): number => {
  let value = bytes[at]
  for (let i = 1; i < width; i++) value = value * 256 + bytes[at + i]
  return value
}

/** Writes `value` (below 2^32) as an integer of `width` bytes at `at`. Returns the position after it. */
export const writeBigEndian = (bytes: Uint8Array, at: number, width: number, value: number): number => {
  for (let i = at + width - 1; i >= at; i--) {
    bytes[i] = value
    value >>>= 8
  }
  return at + width
}

/** Returns the width of integers up to `max` in bytes: 1, 2 or 4. */
export const widthOf = (max: number): number => max < 0x100 ? 1 : max < 0x10000 ? 2 : 4
