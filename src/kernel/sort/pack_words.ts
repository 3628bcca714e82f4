import type { KeyWords } from "./order_key.ts"
import { inParts, type Steps } from "../steps.ts"

/** One of several words, of which only the lower `bits` bits are used; of all but the last that is all 32. */
export interface PackedWord {
  readonly word: Uint32Array
  readonly bits: number
}

/** The bits in which the words of `n` cells differ at most, counted from the smallest. */
function* spanOf(word: Uint32Array, n: number): Steps<{ readonly least: number; readonly bits: number }> {
  let least = 0xffffffff
  let most = 0
  yield* inParts(n, (from, to) => {
    let [low, high] = [least, most]
    for (let i = from; i < to; i++) {
      const value = word[i]
      if (value < low) low = value
      if (value > high) high = value
    }
    ;[least, most] = [low, high]
  })
  return { least, bits: n === 0 ? 0 : 32 - Math.clz32(most - least) }
}

/**
 * Key words that compare as others do, with as few bits as their values need: what is sorted by digits then has fewer of
 * them. Words that all cells share are gone; there may be none left.
 */
export function* packWordsSteps(words: KeyWords, n: number): Steps<ReadonlyArray<PackedWord>> {
  const out: Array<{ word: Uint32Array; bits: number }> = []
  let free = 0
  const append = function* (word: Uint32Array, least: number, shift: number, bits: number): Steps<void> {
    const mask = bits === 32 ? -1 : (1 << bits) - 1
    if (free === 0) {
      const first = new Uint32Array(n)
      yield* inParts(n, (from, to) => packFirst(first, word, least, shift, mask, from, to))
      out.push({ word: first, bits })
      free = 32 - bits
    } else {
      const last = out[out.length - 1]
      yield* inParts(n, (from, to) => packNext(last.word, bits, word, least, shift, mask, from, to))
      last.bits += bits
      free -= bits
    }
  }
  for (const word of words) {
    const { least, bits } = yield* spanOf(word, n)
    if (bits === 0) continue
    // what the word at hand has no room for goes into the next
    const rest = free === 0 ? 0 : Math.max(0, bits - free)
    yield* append(word, least, rest, bits - rest)
    if (rest > 0) yield* append(word, least, 0, rest)
  }
  return out
}

const packFirst = (
  target: Uint32Array,
  word: Uint32Array,
  least: number,
  shift: number,
  mask: number,
  from: number,
  to: number,
): void => {
  for (let i = from; i < to; i++) target[i] = ((word[i] - least) >>> shift) & mask
}

const packNext = (
  target: Uint32Array,
  bits: number,
  word: Uint32Array,
  least: number,
  shift: number,
  mask: number,
  from: number,
  to: number,
): void => {
  for (let i = from; i < to; i++) target[i] = (target[i] << bits) | (((word[i] - least) >>> shift) & mask)
}
