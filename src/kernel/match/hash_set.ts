/**
 * A set of 64-bit hashes in bounded memory: open addressing, in partitions that grow separately, so that growth is
 * never slow.
 */

/** The number of partitions, a power of two; the first bits of a hash select one. */
const PARTITIONS = 64
const PARTITION_SHIFT = 26

/** The minimum number of slots of a partition. */
const MIN_SLOTS = 16

/** The result of adding a hash. */
export type Added = "new" | "known" | "full"

/** A set of hashes of two words each. */
export class HashSet {
  readonly #parts: Array<Uint32Array> = Array.from({ length: PARTITIONS }, () => new Uint32Array(2 * MIN_SLOTS))
  readonly #counts = new Uint32Array(PARTITIONS)
  readonly #maxBytes: number
  #bytes = PARTITIONS * MIN_SLOTS * 8

  /** Creates a set of at most `maxBytes` bytes, in addition to its initial size. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Adds a hash. Returns whether it is new or known; `full` if there is no memory for it. */
  add(high: number, low: number): Added {
    const h = high >>> 0
    // zero marks an empty slot
    const l = (low >>> 0) || 1
    const p = h >>> PARTITION_SHIFT
    let slots = this.#parts[p]
    let at = find(slots, h, l)
    if (slots[at + 1] === l && slots[at] === h) return "known"
    if (4 * (this.#counts[p] + 1) > 3 * (slots.length >>> 1)) {
      // twice the slots: until the copy is complete, the old slots (a small part of all) exist in addition
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

/** Returns the slot of a hash, or the empty slot for it. */
const find = (slots: Uint32Array, high: number, low: number): number => {
  const mask = slots.length - 1
  // an even number: two words per slot
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
