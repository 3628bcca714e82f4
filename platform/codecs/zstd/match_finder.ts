/**
 * Finds the matches of a zstd frame: for a block, the number of literals before each match, its length and its
 * distance; the last three distances are encoded as 1 to 3 (RFC 8878, 3.1.1.5).
 *
 * @module
 */

/** The sequences of a block. The bytes after the last sequence are literals. */
export interface Matches {
  readonly count: number
  readonly literals: Uint32Array
  readonly lengths: Uint32Array
  /** 1 to 3: one of the last three distances; otherwise the distance plus three. */
  readonly offsets: Uint32Array
  /** The bytes outside of matches. */
  readonly rest: Uint8Array
}

const HASH_BITS = 15
const MIN_MATCH_LENGTH = 4

/** Finds the matches of a frame block by block. */
export class MatchFinder {
  /** Positions plus one, by hash. */
  private readonly table = new Uint32Array(1 << HASH_BITS)
  private readonly repeats: [number, number, number] = [1, 4, 8]

  constructor(private readonly input: Uint8Array) {}

  /** Returns the matches in `input[from … end)`. Blocks must be passed in order. */
  find(from: number, end: number): Matches {
    const { input, table } = this
    const max = Math.ceil((end - from) / MIN_MATCH_LENGTH)
    const literals = new Uint32Array(max)
    const lengths = new Uint32Array(max)
    const offsets = new Uint32Array(max)
    const rest = new Uint8Array(end - from)
    let count = 0
    let kept = 0
    let anchor = from
    let at = from
    // hashes use five bytes
    while (at < end - 8) {
      const low = input[at] | (input[at + 1] << 8) | (input[at + 2] << 16) | (input[at + 3] << 24)
      const slot = Math.imul(low ^ Math.imul(input[at + 4], 0x85ebca6b), 0x9e3779b1) >>> (32 - HASH_BITS)
      const hashed = table[slot] - 1
      table[slot] = at + 1
      const before = at - this.repeats[0]
      let index = -1
      if (before >= 0 && at > anchor && same(input, before, at)) index = before
      else if (hashed >= 0 && same(input, hashed, at)) index = hashed
      if (index < 0) {
        // larger steps where nothing matches
        at += 1 + ((at - anchor) >>> 7)
        continue
      }
      let length = MIN_MATCH_LENGTH
      while (at + length < end && input[index + length] === input[at + length]) length++
      while (at > anchor && index > 0 && input[at - 1] === input[index - 1]) {
        at--
        index--
        length++
      }
      literals[count] = at - anchor
      lengths[count] = length
      offsets[count++] = this.numbered(at - index, at - anchor)
      rest.set(input.subarray(anchor, at), kept)
      kept += at - anchor
      at += length
      anchor = at
    }
    rest.set(input.subarray(anchor, end), kept)
    return { count, literals, lengths, offsets, rest: rest.subarray(0, kept + end - anchor) }
  }

  /**
   * Returns the number of a distance after `literals` literals, and moves it to the front of the last three distances.
   */
  private numbered(distance: number, literals: number): number {
    const { repeats } = this
    const [first, second, third] = repeats
    const choices = literals > 0 ? repeats : [second, third, first - 1]
    const which = choices.indexOf(distance)
    // its previous index in the last three: the first stays, the second moves up, any other is new
    const place = which < 0 ? 2 : literals > 0 ? which : which + 1
    if (place > 0) {
      if (place > 1) repeats[2] = second
      repeats[1] = first
      repeats[0] = distance
    }
    return which < 0 ? distance + 3 : which + 1
  }
}

const same = (input: Uint8Array, a: number, b: number): boolean =>
  input[a] === input[b] && input[a + 1] === input[b + 1] && input[a + 2] === input[b + 2] &&
  input[a + 3] === input[b + 3]
