/**
 * Numbers for distinct cells, in the order of first occurrence: 0, 1, and so on.
 */
/**
 * The positions of cells: consecutive with `size` bytes each, or from `offsets[i] · unit` to `offsets[i + 1] · unit`.
 */
export type CellPlaces =
  | { readonly offsets: undefined; readonly size: number }
  | { readonly offsets: ArrayLike<number>; readonly unit: number }

/** The number of masked cells. */
export const NO_NUMBER = 0xffffffff

/** The distinct cells so far, compared bytewise: an open hash table over copies of them. */
export class CellNumbers {
  /** Numbers, −1 for a free slot. At most half of the slots are used. */
  #slots = new Int32Array(64).fill(-1)
  #count = 0
  #bytes = new Uint8Array(256)
  /** The start of each distinct cell, and the end of the last. */
  #starts = new Float64Array(34)

  /** The number of distinct cells. */
  get count(): number {
    return this.#count
  }

  /** The bytes of all distinct cells; a view that is valid until more are added. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#starts[this.#count])
  }

  /** The start of each distinct cell in {@link bytes}, and the end of the last. */
  get starts(): Float64Array {
    return this.#starts.subarray(0, this.#count + 1)
  }

  /**
   * Writes the number of each cell to `out`, or {@link NO_NUMBER} if its `mask` is 0. Stops and returns false if there
   * are more than `maxCount` distinct cells, or if they exceed `maxBytes` bytes.
   */
  add(
    cells: Uint8Array,
    places: CellPlaces,
    mask: Uint8Array | undefined,
    out: Uint32Array,
    maxCount: number,
    maxBytes: number,
  ): boolean {
    let last = NO_NUMBER
    let [lastFrom, lastTo] = [0, 0]
    for (let i = 0; i < out.length; i++) {
      if (mask !== undefined && mask[i] === 0) {
        out[i] = NO_NUMBER
        continue
      }
      const from = places.offsets === undefined ? i * places.size : places.offsets[i] * places.unit
      const to = places.offsets === undefined ? from + places.size : places.offsets[i + 1] * places.unit
      // adjacent cells are often equal
      if (last === NO_NUMBER || !same(cells, from, to, cells, lastFrom, lastTo)) {
        last = this.#numberOf(cells, from, to)
        if (this.#count > maxCount || this.#starts[this.#count] > maxBytes) return false
        lastFrom = from
        lastTo = to
      }
      out[i] = last
    }
    return true
  }

  #numberOf(cells: Uint8Array, from: number, to: number): number {
    const [slots, bytes, starts] = [this.#slots, this.#bytes, this.#starts]
    const mask = slots.length - 1
    let slot = hash(cells, from, to) & mask
    for (let number = slots[slot]; number >= 0; number = slots[slot]) {
      if (same(cells, from, to, bytes, starts[number], starts[number + 1])) return number
      slot = (slot + 1) & mask
    }
    const number = this.#count
    slots[slot] = number
    this.#append(cells, from, to)
    if (2 * this.#count > slots.length) this.#grow()
    return number
  }

  #append(cells: Uint8Array, from: number, to: number): void {
    let at = this.#starts[this.#count]
    const end = at + to - from
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, end))
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    for (let i = from; i < to; i++) this.#bytes[at++] = cells[i]
    this.#starts[++this.#count] = end
  }

  #grow(): void {
    const slots = new Int32Array(2 * this.#slots.length).fill(-1)
    const mask = slots.length - 1
    // the capacity is half the number of slots, plus one cell that is added before growing, plus the end
    const starts = new Float64Array(slots.length / 2 + 2)
    starts.set(this.#starts.subarray(0, this.#count + 1))
    for (let number = 0; number < this.#count; number++) {
      let slot = hash(this.#bytes, starts[number], starts[number + 1]) & mask
      while (slots[slot] >= 0) slot = (slot + 1) & mask
      slots[slot] = number
    }
    this.#slots = slots
    this.#starts = starts
  }
}

const same = (a: Uint8Array, from: number, to: number, b: Uint8Array, start: number, end: number): boolean => {
  if (to - from !== end - start) return false
  for (let i = from, k = start; i < to; i++, k++) if (a[i] !== b[k]) return false
  return true
}

/** FNV-1a with an additional mixing step, because the low bits select the slot. */
const hash = (bytes: Uint8Array, from: number, to: number): number => {
  let h = 0x811c9dc5
  for (let i = from; i < to; i++) h = Math.imul(h ^ bytes[i], 0x01000193)
  h = Math.imul(h ^ h >>> 15, 0x2c1b3c6d)
  return h ^ h >>> 13
}
