/**
 * The text of var-sized cells in one buffer.
 *
 * @module
 */

import { inParts, type Steps } from "../../kernel/steps.ts"

/** Cell `i` is `bytes[offsets[i]] … bytes[offsets[i + 1] − 1]`. */
export interface Strings {
  readonly bytes: Uint8Array
  /** The number of cells plus one. */
  readonly offsets: Uint32Array
}

/** Copies a string. Short strings use a loop, because a call costs more than copying the bytes. */
export const copyString = (from: Uint8Array, at: number, length: number, to: Uint8Array, start: number): void => {
  if (length > 32) to.set(from.subarray(at, at + length), start)
  else for (let i = 0; i < length; i++) to[start + i] = from[at + i]
}

/** Whether the `length` bytes at `a` and at `b` are equal. */
export const equalBytes = (bytes: Uint8Array, a: number, b: number, length: number): boolean => {
  for (let i = 0; i < length; i++) if (bytes[a + i] !== bytes[b + i]) return false
  return true
}

/** Returns the size of the longest string in bytes. */
export function* longestOf(offsets: Uint32Array): Steps<number> {
  let longest = 0
  yield* inParts(offsets.length - 1, (from, to) => {
    let longestOfPart = longest
    for (let i = from; i < to; i++) longestOfPart = Math.max(longestOfPart, offsets[i + 1] - offsets[i])
    longest = longestOfPart
  })
  return longest
}
