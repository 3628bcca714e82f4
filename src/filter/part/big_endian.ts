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

/** Writes `value` (below 2^32) as an integer of `width` bytes at `at`; answers where it ends. */
export const writeBigEndian = (bytes: Uint8Array, at: number, width: number, value: number): number => {
  for (let i = at + width - 1; i >= at; i--) {
    bytes[i] = value
    value >>>= 8
  }
  return at + width
}

/** The bytes that integers up to `most` take: 1, 2 or 4. */
export const widthOf = (most: number): number => most < 0x100 ? 1 : most < 0x10000 ? 2 : 4
