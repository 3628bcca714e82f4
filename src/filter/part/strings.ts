/**
 * The text of var-sized cells, in one buffer.
 *
 * @module
 */

import { inParts, type Steps } from "../../kernel/steps.ts"

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
export function* longestOf(offsets: Uint32Array): Steps<number> {
  let longest = 0
  yield* inParts(offsets.length - 1, (from, to) => {
    let most = longest
    for (let i = from; i < to; i++) most = Math.max(most, offsets[i + 1] - offsets[i])
    longest = most
  })
  return longest
}
