import type { KeyWords } from "./order_key.ts"

/**
 * The cells 0 … n − 1 in the order of their key words; stable. A radix sort of 16-bit digits, least significant first;
 * digits that all cells share cost one look at them and no pass.
 */
export const sortCells = (words: KeyWords, n: number): Uint32Array => {
  let order = new Uint32Array(n)
  for (let i = 0; i < n; i++) order[i] = i
  if (firstFall(words, n) === n) return order
  if (n < 64) return insertionSort(words, order)
  let spare = new Uint32Array(n)
  // small inputs sweep small tables
  const bits = n < 4096 ? 8 : 16
  const counts = new Uint32Array(1 << bits)
  const mask = (1 << bits) - 1
  for (let w = words.length - 1; w >= 0; w--) {
    const word = words[w]
    for (let shift = 0; shift < 32; shift += bits) {
      const first = (word[0] >>> shift) & mask
      let i = 1
      while (i < n && ((word[i] >>> shift) & mask) === first) i++
      if (i === n) continue
      counts.fill(0)
      for (let k = 0; k < n; k++) counts[(word[k] >>> shift) & mask]++
      for (let digit = 0, sum = 0; digit <= mask; digit++) {
        const count = counts[digit]
        counts[digit] = sum
        sum += count
      }
      for (let k = 0; k < n; k++) {
        const cell = order[k]
        spare[counts[(word[cell] >>> shift) & mask]++] = cell
      }
      const swap = order
      order = spare
      spare = swap
    }
  }
  return order
}

/** Less than, equal to or greater than zero as cell `a` comes before, with or after cell `b`. */
export const compareCells = (words: KeyWords, a: number, b: number): number => {
  for (const word of words) {
    if (word[a] !== word[b]) return word[a] < word[b] ? -1 : 1
  }
  return 0
}

/** The first of `n` cells that comes before the one in front of it; `n` if all are in order. */
export const firstFall = (words: KeyWords, n: number): number => {
  for (let i = 1; i < n; i++) if (compareCells(words, i - 1, i) > 0) return i
  return n
}

const insertionSort = (words: KeyWords, order: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> => {
  for (let i = 1; i < order.length; i++) {
    const cell = order[i]
    let k = i
    while (k > 0 && compareCells(words, order[k - 1], cell) > 0) {
      order[k] = order[k - 1]
      k--
    }
    order[k] = cell
  }
  return order
}
