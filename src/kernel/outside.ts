/**
 * The first cell that does not lie in a range: −1 if all do.
 */

/** Numbers; NaN lies in no range. */
export const firstOutside = (values: Float64Array, n: number, low: number, high: number): number => {
  for (let i = 0; i < n; i++) {
    const value = values[i]
    if (!(value >= low && value <= high)) return i
  }
  return -1
}

const TOP = 1 << 31

/** 64-bit integers as little-endian halves; so are `low` and `high`. */
export const firstHalvesOutside = (
  words: Int32Array,
  signed: boolean,
  low: Int32Array,
  high: Int32Array,
  from = 0,
  to: number = words.length >> 1,
): number => {
  // with their top bits turned, unsigned words compare as signed ones do
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

/** Bytes that are at most `most`. */
export const firstAbove = (bytes: Uint8Array, most: number, from = 0, to: number = bytes.length): number => {
  for (let i = from; i < to; i++) if (bytes[i] > most) return i
  return -1
}
