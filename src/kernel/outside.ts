/**
 * Searches for the first cell outside a range; the result is −1 if all cells are inside.
 */

/** Searches numbers; NaN is outside any range. */
export const firstOutside = (values: Float64Array, n: number, low: number, high: number): number => {
  for (let i = 0; i < n; i++) {
    const value = values[i]
    if (!(value >= low && value <= high)) return i
  }
  return -1
}

const TOP = 1 << 31

/** Searches 64-bit integers as pairs of little-endian halves, like `low` and `high`. */
export const firstHalvesOutside = (
  words: Int32Array,
  signed: boolean,
  low: Int32Array,
  high: Int32Array,
  from = 0,
  to: number = words.length >> 1,
): number => {
  // with flipped top bits, unsigned words compare like signed words
  const flip = signed ? 0 : TOP
  const lowHigh = low[1] ^ flip
  const lowLow = low[0] ^ TOP
  const highHigh = high[1] ^ flip
  const highLow = high[0] ^ TOP
  for (let k = 2 * from; k < 2 * to; k += 2) {
    const h = words[k + 1] ^ flip
    const l = words[k] ^ TOP
    if (h < lowHigh || h > highHigh || (h === lowHigh && l < lowLow) || (h === highHigh && l > highLow)) return k >> 1
  }
  return -1
}

/** Searches for a byte greater than `max`. */
export const firstAbove = (bytes: Uint8Array, max: number, from = 0, to: number = bytes.length): number => {
  for (let i = from; i < to; i++) if (bytes[i] > max) return i
  return -1
}
