import type { KeyWords } from "./order_key.ts"
import { packWords } from "./pack_words.ts"
import { release } from "./release.ts"

/** Cells sorted by their key words. */
export interface SortedCells {
  /** The cells 0 … n − 1 in order; stable. */
  readonly order: Uint32Array
  /** The packed words that they were sorted by, as the cells were given; without those that all cells share. */
  readonly packed: KeyWords
  /** The first of those words, in order. */
  readonly first: Uint32Array
}

/** The cells 0 … n − 1 in the order of their key words; stable. */
export const sortCells = (words: KeyWords, n: number): Uint32Array =>
  firstFall(words, n) === n ? identity(n) : orderOf(sortPacked(words, n))

/** The order alone; what it was found by is given back. */
export const orderOf = ({ order, packed, first }: SortedCells): Uint32Array => {
  release([...packed, first])
  return order
}

/**
 * Sorts cells, of which some are not in order yet: by digits of at most eight bits, the least significant first. Larger
 * digits would be fewer, but a pass then writes to more places than the processor has at hand.
 */
export const sortPacked = (words: KeyWords, n: number): SortedCells => {
  const packed = packWords(words, n)
  let order = identity(n)
  let spare = new Uint32Array(n)
  let keys = new Uint32Array(0)
  let spareKeys = new Uint32Array(n)
  const counts = new Uint32Array(256)
  for (let w = packed.length - 1; w >= 0; w--) {
    const { word, bits } = packed[w]
    keys = w === packed.length - 1 ? word.slice() : gather(word, order, keys)
    const digits = Math.ceil(bits / 8)
    const width = Math.ceil(bits / digits)
    const mask = (1 << width) - 1
    for (let shift = 0; shift < bits; shift += width) {
      counts.fill(0)
      for (let i = 0; i < n; i++) counts[(keys[i] >>> shift) & mask]++
      // a digit that all share moves nothing
      if (counts[(keys[0] >>> shift) & mask] === n) continue
      for (let digit = 0, sum = 0; digit <= mask; digit++) {
        const count = counts[digit]
        counts[digit] = sum
        sum += count
      }
      for (let i = 0; i < n; i++) {
        const key = keys[i]
        const at = counts[(key >>> shift) & mask]++
        spareKeys[at] = key
        spare[at] = order[i]
      }
      ;[keys, spareKeys, order, spare] = [spareKeys, keys, spare, order]
    }
  }
  release([spare, spareKeys])
  return { order, packed: packed.map(({ word }) => word), first: keys }
}

const identity = (n: number): Uint32Array<ArrayBuffer> => {
  const order = new Uint32Array(n)
  for (let i = 0; i < n; i++) order[i] = i
  return order
}

const gather = (word: Uint32Array, order: Uint32Array, out: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> => {
  for (let i = 0; i < order.length; i++) out[i] = word[order[i]]
  return out
}

/** From `from` on, the first place in the order whose cell has the words of the cell in front of it; `n` if there is none. */
export const firstRepeat = ({ order, packed, first }: SortedCells, from: number): number => {
  const n = order.length
  for (let i = Math.max(1, from); i < n; i++) {
    if (first[i] !== first[i - 1]) continue
    if (compareCells(packed, order[i - 1], order[i]) === 0) return i
  }
  return n
}

/** Less than, equal to or greater than zero as cell `a` comes before, with or after cell `b`. */
export const compareCells = (words: KeyWords, a: number, b: number): number => {
  for (let w = 0; w < words.length; w++) {
    const word = words[w]
    if (word[a] !== word[b]) return word[a] < word[b] ? -1 : 1
  }
  return 0
}

/** From `from` on, the first of `n` cells that comes before the one in front of it; `n` if all are in order. */
export const firstFall = (words: KeyWords, n: number, from = 1): number => {
  let i = from
  while (i < n && compareCells(words, i - 1, i) <= 0) i++
  return Math.min(i, n)
}

/** From `from` on, the first of `n` cells that has the words of the one in front of it; `n` if none has. */
export const firstSame = (words: KeyWords, n: number, from = 1): number => {
  let i = from
  while (i < n && compareCells(words, i - 1, i) !== 0) i++
  return Math.min(i, n)
}
