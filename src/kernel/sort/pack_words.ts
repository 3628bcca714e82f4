import type { KeyWords } from "./order_key.ts"
import { inParts, type Steps } from "../steps.ts"

/** A packed key word. Only the lower `bits` bits are used: all 32 in all words but the last. */
export interface PackedWord {
  readonly word: Uint32Array
  readonly bits: number
}

/** Returns the minimum of a word over `n` cells, and the bits of the difference between minimum and maximum. */
function* spanOf(word: Uint32Array, n: number): Steps<{ readonly min: number; readonly bits: number }> {
  let min = 0xffffffff
  let max = 0
  yield* inParts(n, (from, to) => {
    let [low, high] = [min, max]
    for (let i = from; i < to; i++) {
      const value = word[i]
      if (value < low) low = value
      if (value > high) high = value
    }
    ;[min, max] = [low, high]
  })
  return { min, bits: n === 0 ? 0 : 32 - Math.clz32(max - min) }
}

/**
 * Packs key words into words that compare the same and have as few bits as the values need, so that a radix sort has
 * fewer digits. Words that are equal in all cells are dropped; the result may be empty.
 */
export function* packWordsSteps(words: KeyWords, n: number): Steps<ReadonlyArray<PackedWord>> {
  const out: Array<{ word: Uint32Array; bits: number }> = []
  let free = 0
  const append = function* (word: Uint32Array, min: number, shift: number, bits: number): Steps<void> {
    const mask = bits === 32 ? -1 : (1 << bits) - 1
    if (free === 0) {
      const first = new Uint32Array(n)
      yield* inParts(n, (from, to) => packFirst(first, word, min, shift, mask, from, to))
      out.push({ word: first, bits })
      free = 32 - bits
    } else {
      const last = out[out.length - 1]
      yield* inParts(n, (from, to) => packNext(last.word, bits, word, min, shift, mask, from, to))
      last.bits += bits
      free -= bits
    }
  }
  for (const word of words) {
    const { min, bits } = yield* spanOf(word, n)
    if (bits === 0) continue
    // bits that exceed the current packed word start the next one
    const remaining = free === 0 ? 0 : Math.max(0, bits - free)
    yield* append(word, min, remaining, bits - remaining)
    if (remaining > 0) yield* append(word, min, 0, remaining)
  }
  return out
}

const packFirst = (
  target: Uint32Array,
  word: Uint32Array,
  min: number,
  shift: number,
  mask: number,
  from: number,
  to: number,
): void => {
  for (let i = from; i < to; i++) target[i] = ((word[i] - min) >>> shift) & mask
}

const packNext = (
  target: Uint32Array,
  bits: number,
  word: Uint32Array,
  min: number,
  shift: number,
  mask: number,
  from: number,
  to: number,
): void => {
  for (let i = from; i < to; i++) target[i] = (target[i] << bits) | (((word[i] - min) >>> shift) & mask)
}
