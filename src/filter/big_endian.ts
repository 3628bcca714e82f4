/**
 * Big-endian unsigned integers of 1 to 8 bytes: the only ones of the format, in folded strings.
 *
 * @module
 */

/** The integer of `width` bytes at `at`, which must be there. Past 2^53 it is not exact, which any size check refuses. */
export const readBigEndian = (bytes: Uint8Array, at: number, width: number): number => {
  let value = bytes[at]
  for (let i = 1; i < width; i++) value = value * 256 + bytes[at + i]
  return value
}
