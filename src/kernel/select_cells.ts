/**
 * The cells of a tile that lie in one range, as their positions. `among` are the candidates, ascending; without it all
 * cells of the tile are. Positions go to `out`, which may be `among` itself; the answer is how many there are.
 */

/** Cells that are numbers; NaN is in no range, −0 is 0. */
export const selectNumbers = (
  cells: ArrayLike<number>,
  low: number,
  high: number,
  among: Uint32Array | undefined,
  out: Uint32Array,
): number => {
  let found = 0
  if (among === undefined) {
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i]
      if (cell >= low && cell <= high) out[found++] = i
    }
    return found
  }
  for (let k = 0; k < among.length; k++) {
    const cell = cells[among[k]]
    if (cell >= low && cell <= high) out[found++] = among[k]
  }
  return found
}

const TOP = 1 << 31

/** Cells that are 64-bit integers, as little-endian halves; so are `low` and `high`. */
export const selectHalves = (
  words: Int32Array,
  signed: boolean,
  low: Int32Array,
  high: Int32Array,
  among: Uint32Array | undefined,
  out: Uint32Array,
): number => {
  // with their top bits turned, unsigned words compare as signed ones do
  const flip = signed ? 0 : TOP
  const lowHigh = low[1] ^ flip
  const lowLow = low[0] ^ TOP
  const highHigh = high[1] ^ flip
  const highLow = high[0] ^ TOP
  const n = among === undefined ? words.length >>> 1 : among.length
  let found = 0
  for (let k = 0; k < n; k++) {
    const i = among === undefined ? k : among[k]
    const h = words[2 * i + 1] ^ flip
    const l = words[2 * i] ^ TOP
    if (h >= lowHigh && h <= highHigh && (h > lowHigh || l >= lowLow) && (h < highHigh || l <= highLow)) {
      out[found++] = i
    }
  }
  return found
}

/** The positions of the ones of a mask. */
export const selectOnes = (mask: Uint8Array, out: Uint32Array): number => {
  let found = 0
  for (let i = 0; i < mask.length; i++) if (mask[i] === 1) out[found++] = i
  return found
}
