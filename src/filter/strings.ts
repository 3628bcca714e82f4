/**
 * The text of var-sized cells, in one buffer.
 *
 * @module
 */

/** Cell `i` is `bytes[offsets[i]] … bytes[offsets[i + 1] − 1]`. */
export interface Strings {
  readonly bytes: Uint8Array
  /** one more than there are cells */
  readonly offsets: Uint32Array
}

/** Copies one string; a loop for short ones, where a call costs more than the bytes. */
export const copyString = (from: Uint8Array, at: number, length: number, to: Uint8Array, start: number): void => {
  if (length > 32) to.set(from.subarray(at, at + length), start)
  else for (let i = 0; i < length; i++) to[start + i] = from[at + i]
}

/** Whether the `length` bytes at `a` are those at `b`. */
export const equalBytes = (bytes: Uint8Array, a: number, b: number, length: number): boolean => {
  for (let i = 0; i < length; i++) if (bytes[a + i] !== bytes[b + i]) return false
  return true
}

/** The bytes of the longest of the strings. */
export const longestOf = (offsets: Uint32Array): number => {
  let longest = 0
  for (let i = 1; i < offsets.length; i++) longest = Math.max(longest, offsets[i] - offsets[i - 1])
  return longest
}
