import { compareCells, sortCellsSteps } from "./sort_cells.ts"
import { finish, inParts, STEP, type Steps } from "../steps.ts"

/**
 * Returns the rank of each string: the number of smaller strings. Strings compare as unsigned bytes, a prefix is less.
 * String `i` is `bytes[offsets[i]] … bytes[offsets[i + 1] − 1]`.
 *
 * After the common prefix, strings are sorted by eight bytes as words, then equal ones by the next eight bytes.
 */
export const stringRanks = (bytes: Uint8Array, offsets: Uint32Array): Uint32Array =>
  finish(stringRanksSteps(bytes, offsets))

/** Returns ranks like {@link stringRanks}, in steps. */
export function* stringRanksSteps(bytes: Uint8Array, offsets: Uint32Array): Steps<Uint32Array> {
  const n = offsets.length - 1
  const ranks = new Uint32Array(n)
  // strings that are equal to others so far, and the number of smaller strings
  let open = new Uint32Array(n)
  yield* inParts(n, (from, to) => {
    for (let i = from; i < to; i++) open[i] = i
  })
  let smaller = new Uint32Array(n)
  for (let from = yield* sharedPrefix(bytes, offsets); open.length > 1; from += 8) {
    const m = open.length
    const high = new Uint32Array(m)
    const low = new Uint32Array(m)
    // the number of bytes distinguishes a string from one followed by zero bytes
    const head = new Uint32Array(m)
    const strings = open
    yield* inParts(m, (first, end) => headWords(bytes, offsets, strings, from, high, low, head, first, end))
    const words = [smaller, high, low, head]
    const order = yield* sortCellsSteps(words, m)
    const nextOpen = new Uint32Array(m)
    const nextSmaller = new Uint32Array(m)
    let openCount = 0
    let groupStart = 0
    for (let start = 0, step = STEP; start < m;) {
      if (start >= step) {
        step = start + STEP
        yield
      }
      const first = order[start]
      if (start > 0 && smaller[first] !== smaller[order[start - 1]]) groupStart = start
      const rank = smaller[first] + start - groupStart
      let end = start + 1
      while (end < m && compareCells(words, first, order[end]) === 0) end++
      const goesOn = end - start > 1 && head[first] === 9
      for (let k = start; k < end; k++) {
        const string = open[order[k]]
        ranks[string] = rank
        if (!goesOn) continue
        nextOpen[openCount] = string
        nextSmaller[openCount++] = rank
      }
      start = end
    }
    open = nextOpen.slice(0, openCount)
    smaller = nextSmaller.slice(0, openCount)
  }
  return ranks
}

/** Returns the length of the common prefix of all strings. */
function* sharedPrefix(bytes: Uint8Array, offsets: Uint32Array): Steps<number> {
  const n = offsets.length - 1
  let shared = n > 0 ? offsets[1] - offsets[0] : 0
  for (let i = 1, work = 0; i < n && shared > 0; i++, work += 1 + shared) {
    if (work >= STEP) {
      work = 0
      yield
    }
    const start = offsets[i]
    if (offsets[i + 1] - start < shared) shared = offsets[i + 1] - start
    let k = 0
    while (k < shared && bytes[start + k] === bytes[offsets[0] + k]) k++
    shared = k
  }
  return shared
}

/** Returns the eight bytes of strings starting at byte `from` as words, and the number of bytes. */
const headWords = (
  bytes: Uint8Array,
  offsets: Uint32Array,
  strings: Uint32Array,
  from: number,
  high: Uint32Array,
  low: Uint32Array,
  head: Uint32Array,
  first: number,
  end: number,
): void => {
  for (let k = first; k < end; k++) {
    const start = offsets[strings[k]] + from
    const length = offsets[strings[k] + 1] - start
    high[k] = wordAt(bytes, start, length)
    low[k] = wordAt(bytes, start + 4, length - 4)
    head[k] = length < 9 ? length : 9
  }
}

/** Returns up to four bytes as a word, the first byte the most significant. */
const wordAt = (bytes: Uint8Array, at: number, length: number): number => {
  if (length >= 4) return (bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3]) >>> 0
  let word = 0
  for (let k = 0; k < 4; k++) word = word << 8 | (k < length ? bytes[at + k] : 0)
  return word >>> 0
}
