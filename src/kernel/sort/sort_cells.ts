import type { KeyWords } from "./order_key.ts"
import { packWordsSteps } from "./pack_words.ts"
import { release } from "../release.ts"
import { finish, inParts, STEP, type Steps } from "../steps.ts"

/** Cells sorted by their key words. */
export interface SortedCells {
  /** The cells 0 … n − 1 in order; stable. */
  readonly order: Uint32Array
  /** The packed key words, in the order of the input cells, without words that are equal in all cells. */
  readonly packed: KeyWords
  /** The first packed word, in sorted order. */
  readonly first: Uint32Array
}

/** Sorts the cells 0 … n − 1 by their key words; stable. */
export const sortCells = (words: KeyWords, n: number): Uint32Array => finish(sortCellsSteps(words, n))

/** Sorts cells like {@link sortCells}, in steps. */
export function* sortCellsSteps(words: KeyWords, n: number): Steps<Uint32Array> {
  if ((yield* firstUnorderedSteps(words, n)) === n) return yield* identitySteps(n)
  return takeOrder(yield* sortPackedSteps(words, n))
}

/** Returns the order alone and releases the memory of the sort keys. */
export const takeOrder = ({ order, packed, first }: SortedCells): Uint32Array => {
  release([...packed, first])
  return order
}

/** Sorts cells like {@link sortPackedSteps}, without steps. */
export const sortPacked = (words: KeyWords, n: number): SortedCells => finish(sortPackedSteps(words, n))

/**
 * Sorts cells by a radix sort on digits of at most eight bits, the least significant first. Larger digits would need
 * fewer passes, but each pass would write to more positions than the processor caches.
 */
export function* sortPackedSteps(words: KeyWords, n: number): Steps<SortedCells> {
  const packed = yield* packWordsSteps(words, n)
  let order = yield* identitySteps(n)
  let spare = new Uint32Array(n)
  let keys = new Uint32Array(n)
  let keyBuffer = new Uint32Array(n)
  const counts = new Uint32Array(256)
  for (let w = packed.length - 1; w >= 0; w--) {
    const { word, bits } = packed[w]
    if (w === packed.length - 1) yield* inParts(n, (from, to) => keys.set(word.subarray(from, to), from))
    else yield* inParts(n, (from, to) => gather(word, order, keys, from, to))
    const digits = Math.ceil(bits / 8)
    const width = Math.ceil(bits / digits)
    const mask = (1 << width) - 1
    for (let shift = 0; shift < bits; shift += width) {
      counts.fill(0)
      for (let from = 0; from < n; from += STEP) {
        countDigits(keys, shift, mask, counts, from, Math.min(n, from + STEP))
        yield
      }
      // a digit that is equal in all cells does not change the order
      if (counts[(keys[0] >>> shift) & mask] === n) continue
      for (let digit = 0, sum = 0; digit <= mask; digit++) {
        const count = counts[digit]
        counts[digit] = sum
        sum += count
      }
      for (let from = 0; from < n; from += STEP) {
        scatter(keys, order, shift, mask, counts, keyBuffer, spare, from, Math.min(n, from + STEP))
        yield
      }
      ;[keys, keyBuffer, order, spare] = [keyBuffer, keys, spare, order]
    }
  }
  release([spare, keyBuffer])
  return { order, packed: packed.map(({ word }) => word), first: packed.length === 0 ? new Uint32Array(0) : keys }
}

const countDigits = (
  keys: Uint32Array,
  shift: number,
  mask: number,
  counts: Uint32Array,
  from: number,
  to: number,
): void => {
  for (let i = from; i < to; i++) counts[(keys[i] >>> shift) & mask]++
}

/** Moves keys and cells to the positions of their digits. */
const scatter = (
  keys: Uint32Array,
  order: Uint32Array,
  shift: number,
  mask: number,
  starts: Uint32Array,
  outKeys: Uint32Array,
  outOrder: Uint32Array,
  from: number,
  to: number,
): void => {
  for (let i = from; i < to; i++) {
    const key = keys[i]
    const at = starts[(key >>> shift) & mask]++
    outKeys[at] = key
    outOrder[at] = order[i]
  }
}

function* identitySteps(n: number): Steps<Uint32Array<ArrayBuffer>> {
  const order = new Uint32Array(n)
  yield* inParts(n, (from, to) => {
    for (let i = from; i < to; i++) order[i] = i
  })
  return order
}

const gather = (word: Uint32Array, order: Uint32Array, out: Uint32Array, from: number, to: number): void => {
  for (let i = from; i < to; i++) out[i] = word[order[i]]
}

/**
 * Returns the first position in `from … n − 1` of the order whose cell has the same words as the previous cell; else
 * `n`.
 */
export const firstRepeat = ({ order, packed, first }: SortedCells, from: number, n: number = order.length): number => {
  for (let i = Math.max(1, from); i < n; i++) {
    if (first[i] !== first[i - 1]) continue
    if (compareCells(packed, order[i - 1], order[i]) === 0) return i
  }
  return n
}

/** Compares cells `a` and `b`: negative, zero or positive. */
export const compareCells = (words: KeyWords, a: number, b: number): number => {
  for (let w = 0; w < words.length; w++) {
    const word = words[w]
    if (word[a] !== word[b]) return word[a] < word[b] ? -1 : 1
  }
  return 0
}

/** Returns the first cell in `from … n − 1` that is less than the previous cell; `n` if all are in order. */
export const firstUnordered = (words: KeyWords, n: number, from = 1): number => {
  let i = from
  while (i < n && compareCells(words, i - 1, i) <= 0) i++
  return Math.min(i, n)
}

/** Returns the first cell in `from … n − 1` that has the same words as the previous cell; else `n`. */
export const firstSame = (words: KeyWords, n: number, from = 1): number => {
  let i = from
  while (i < n && compareCells(words, i - 1, i) !== 0) i++
  return Math.min(i, n)
}

/** Searches like {@link firstUnordered}, in steps. */
export const firstUnorderedSteps = (words: KeyWords, n: number): Steps<number> =>
  searchSteps(1, n, (from, to) => firstUnordered(words, to, from))

/** Searches like {@link firstSame}, in steps. */
export const firstSameSteps = (words: KeyWords, n: number, from = 1): Steps<number> =>
  searchSteps(from, n, (from, to) => firstSame(words, to, from))

/** Searches like {@link firstRepeat}, in steps. */
export const firstRepeatSteps = (sorted: SortedCells, from: number): Steps<number> =>
  searchSteps(Math.max(1, from), sorted.order.length, (from, to) => firstRepeat(sorted, from, to))

/** Searches in steps: `search(from, to)` returns the first match, or `to`. */
function* searchSteps(start: number, n: number, search: (from: number, to: number) => number): Steps<number> {
  for (let from = start; from < n; from += STEP) {
    const to = Math.min(n, from + STEP)
    const match = search(from, to)
    if (match < to) return match
    if (to < n) yield
  }
  return n
}
