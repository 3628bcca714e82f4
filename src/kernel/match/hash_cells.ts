/**
 * 64-bit hashes of the coordinates of cells, as two words. The hashes depend on a seed.
 */

/** A column of coordinates: raw values of `size` bytes each, or delimited by offsets. */
export interface HashedColumn {
  readonly values: Uint8Array
  readonly offsets: Uint32Array | undefined
  readonly size: number
}

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by))

const mixed = (word: number): number => {
  let h = word ^ (word >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/**
 * Writes the hashes of the cells `cells[0] … cells[count − 1]` to `high` and `low`; without `cells`, of the cells from
 * `first`.
 */
export const hashCells = (
  columns: ReadonlyArray<HashedColumn>,
  cells: Uint32Array | undefined,
  first: number,
  count: number,
  seed: readonly [number, number],
  high: Uint32Array,
  low: Uint32Array,
): void => {
  high.fill(seed[0], 0, count)
  low.fill(seed[1], 0, count)
  for (const { values, offsets, size } of columns) {
    const view = new DataView(values.buffer, values.byteOffset, values.byteLength)
    for (let i = 0; i < count; i++) {
      const cell = cells === undefined ? first + i : cells[i]
      let at = offsets === undefined ? cell * size : offsets[cell]
      const end = offsets === undefined ? at + size : cell + 1 < offsets.length ? offsets[cell + 1] : values.length
      let h = high[i]
      let l = low[i]
      // includes the length, because texts of several dimensions are ambiguous without it
      let word = end - at
      for (;;) {
        h = (Math.imul(rotated(h ^ Math.imul(word, 0xcc9e2d51), 13), 5) + 0x561ccd1b) | 0
        l = (Math.imul(rotated(l ^ Math.imul(word, 0x1b873593), 17), 9) + 0x0bcaa747) | 0
        if (at >= end) break
        if (end - at >= 4) {
          word = view.getUint32(at, true)
          at += 4
        } else {
          word = 0
          for (let shift = 0; at < end; shift += 8) word |= values[at++] << shift
        }
      }
      high[i] = h
      low[i] = l
    }
  }
  for (let i = 0; i < count; i++) {
    // each word depends on both
    const h = mixed((high[i] + Math.imul(low[i], 0x9e3779b1)) | 0)
    low[i] = mixed((low[i] ^ h) | 0)
    high[i] = h
  }
}
