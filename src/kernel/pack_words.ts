import type { KeyWords } from "./order_key.ts"

/** One of several words, of which only the lower `bits` bits are used; of all but the last that is all 32. */
export interface PackedWord {
  readonly word: Uint32Array
  readonly bits: number
}

/** The bits in which the words of `n` cells differ at most, counted from the smallest. */
const spanOf = (word: Uint32Array, n: number): { readonly least: number; readonly bits: number } => {
  let least = 0xffffffff
  let most = 0
  for (let i = 0; i < n; i++) {
    const value = word[i]
    if (value < least) least = value
    if (value > most) most = value
  }
  return { least, bits: n === 0 ? 0 : 32 - Math.clz32(most - least) }
}

/**
 * Key words that compare as others do, with as few bits as their values need: what is sorted by digits then has fewer of
 * them. Words that all cells share are gone; there may be none left.
 */
export const packWords = (words: KeyWords, n: number): ReadonlyArray<PackedWord> => {
  const out: Array<{ word: Uint32Array; bits: number }> = []
  let free = 0
  const append = (word: Uint32Array, least: number, shift: number, bits: number): void => {
    const mask = bits === 32 ? -1 : (1 << bits) - 1
    if (free === 0) {
      const first = new Uint32Array(n)
      for (let i = 0; i < n; i++) first[i] = ((word[i] - least) >>> shift) & mask
      out.push({ word: first, bits })
      free = 32 - bits
    } else {
      const last = out[out.length - 1]
      const target = last.word
      for (let i = 0; i < n; i++) target[i] = (target[i] << bits) | (((word[i] - least) >>> shift) & mask)
      last.bits += bits
      free -= bits
    }
  }
  for (const word of words) {
    const { least, bits } = spanOf(word, n)
    if (bits === 0) continue
    // what the word at hand has no room for goes into the next
    const rest = free === 0 ? 0 : Math.max(0, bits - free)
    append(word, least, rest, bits - rest)
    if (rest > 0) append(word, least, 0, rest)
  }
  return out
}
