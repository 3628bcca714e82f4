/**
 * A set of 64-bit hashes in bounded memory: open addressing, in parts that grow one by one, so that no growth takes long.
 */

/** Parts of a set, a power of two; the first bits of a hash choose one. */
const PARTS = 64
const SHIFT = 26

/** The fewest slots of a part. */
const FEWEST = 16

/** What became of a hash that was added. */
export type Added = "new" | "known" | "full"

/** A set of hashes of two words each. */
export class HashSet {
  readonly #parts: Array<Uint32Array> = Array.from({ length: PARTS }, () => new Uint32Array(2 * FEWEST))
  readonly #counts = new Uint32Array(PARTS)
  readonly #maxBytes: number
  #bytes = PARTS * FEWEST * 8

  /** A set that takes at most so many bytes, but for those that it starts with. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Adds a hash, and says whether it was there; `full` if there is no room for it. */
  add(high: number, low: number): Added {
    const h = high >>> 0
    // zero stands for an empty slot
    const l = (low >>> 0) || 1
    const p = h >>> SHIFT
    let slots = this.#parts[p]
    let at = find(slots, h, l)
    if (slots[at + 1] === l && slots[at] === h) return "known"
    if (4 * (this.#counts[p] + 1) > 3 * (slots.length >>> 1)) {
      // twice as many: its old slots, a small part of all, are there for a moment too
      if (this.#bytes + slots.byteLength > this.#maxBytes) return "full"
      this.#bytes += slots.byteLength
      slots = this.#parts[p] = grown(slots)
      at = find(slots, h, l)
    }
    slots[at] = h
    slots[at + 1] = l
    this.#counts[p]++
    return "new"
  }
}

/** The slot of a hash, or the empty one where it belongs. */
const find = (slots: Uint32Array, high: number, low: number): number => {
  const mask = slots.length - 1
  // an even number: two words a slot
  let at = (low << 1) & mask
  while (slots[at + 1] !== 0 && (slots[at + 1] !== low || slots[at] !== high)) at = (at + 2) & mask
  return at
}

const grown = (slots: Uint32Array): Uint32Array => {
  const larger = new Uint32Array(2 * slots.length)
  for (let i = 0; i < slots.length; i += 2) {
    if (slots[i + 1] === 0) continue
    const at = find(larger, slots[i], slots[i + 1])
    larger[at] = slots[i]
    larger[at + 1] = slots[i + 1]
  }
  return larger
}
