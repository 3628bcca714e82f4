import { sortCells } from "./sort_cells.ts"

/**
 * The rank of each string among all: equal strings share one, a smaller string has a smaller one. Strings compare as
 * unsigned bytes, a prefix first. String `i` is `bytes[offsets[i]] … bytes[offsets[i + 1] − 1]`.
 *
 * The first eight bytes are sorted as words; only runs of equal ones compare what is behind them.
 */
export const stringRanks = (bytes: Uint8Array, offsets: Uint32Array): Uint32Array => {
  const n = offsets.length - 1
  const high = new Uint32Array(n)
  const low = new Uint32Array(n)
  // the number of bytes among the first eight tells a string from the same one followed by zero bytes
  const head = new Uint32Array(n)
  for (let i = 0; i < n; i++) {
    const from = offsets[i]
    const length = offsets[i + 1] - from
    high[i] = word(bytes, from, length)
    low[i] = word(bytes, from + 4, length - 4)
    head[i] = length < 9 ? length : 9
  }
  const order = sortCells([high, low, head], n)
  const ranks = new Uint32Array(n)
  let rank = 0
  for (let start = 0; start < n;) {
    const first = order[start]
    let end = start + 1
    while (
      end < n && high[order[end]] === high[first] && low[order[end]] === low[first] && head[order[end]] === head[first]
    ) {
      end++
    }
    if (end - start > 1 && head[first] === 9) {
      const run = order.subarray(start, end).sort((a, b) => compare(bytes, offsets, a, b))
      ranks[run[0]] = rank
      for (let k = 1; k < run.length; k++) {
        if (compare(bytes, offsets, run[k - 1], run[k]) !== 0) rank++
        ranks[run[k]] = rank
      }
    } else for (let k = start; k < end; k++) ranks[order[k]] = rank
    rank++
    start = end
  }
  return ranks
}

const word = (bytes: Uint8Array, at: number, length: number): number => {
  let w = 0
  for (let k = 0; k < 4; k++) w = (w << 8) | (k < length ? bytes[at + k] : 0)
  return w >>> 0
}

const compare = (bytes: Uint8Array, offsets: Uint32Array, a: number, b: number): number => {
  const endA = offsets[a + 1]
  const endB = offsets[b + 1]
  let i = offsets[a]
  let j = offsets[b]
  while (i < endA && j < endB) {
    const difference = bytes[i++] - bytes[j++]
    if (difference !== 0) return difference
  }
  return (endA - i) - (endB - j)
}
