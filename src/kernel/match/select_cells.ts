/**
 * Selects the cells of a tile in ranges, as positions. `among` are the candidates, ascending; without it, all cells
 * are. The first of `cells` is at position `first` of the tile. Positions are written to `out`, which may be `among`
 * itself; the result is their number.
 */

/** Selects numbers in one range; NaN is outside all ranges, −0 equals 0. */
export const selectNumbers = (
  cells: ArrayLike<number>,
  low: number,
  high: number,
  first: number,
  among: Uint32Array | undefined,
  out: Uint32Array,
): number => {
  let count = 0
  if (among === undefined) {
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i]
      if (cell >= low && cell <= high) out[count++] = i + first
    }
    return count
  }
  for (let k = 0; k < among.length; k++) {
    const cell = cells[among[k] - first]
    if (cell >= low && cell <= high) out[count++] = among[k]
  }
  return count
}

/** Selects numbers in ascending, disjoint ranges. */
export const selectNumbersIn = (
  cells: ArrayLike<number>,
  lows: ArrayLike<number>,
  highs: ArrayLike<number>,
  first: number,
  among: Uint32Array | undefined,
  out: Uint32Array,
): number => {
  const ranges = lows.length
  const n = among === undefined ? cells.length : among.length
  // the current range, and the end of the previous one: adjacent cells are often between these
  let before = NaN
  let low = NaN
  let high = NaN
  let count = 0
  for (let k = 0; k < n; k++) {
    const i = among === undefined ? k + first : among[k]
    const cell = cells[i - first]
    if (!(cell > before && cell <= high)) {
      let r = 0
      for (let to = ranges; r < to;) {
        const middle = (r + to) >>> 1
        if (highs[middle] < cell) r = middle + 1
        else to = middle
      }
      before = r === 0 ? -Infinity : highs[r - 1]
      low = r === ranges ? NaN : lows[r]
      high = r === ranges ? Infinity : highs[r]
    }
    if (cell >= low) out[count++] = i
  }
  return count
}

const TOP = 1 << 31

/** Selects 64-bit integers in one range, all as pairs of little-endian halves. */
export const selectHalves = (
  words: Int32Array,
  signed: boolean,
  low: Int32Array,
  high: Int32Array,
  first: number,
  among: Uint32Array | undefined,
  out: Uint32Array,
): number => {
  const n = among === undefined ? words.length >>> 1 : among.length
  let count = 0
  if (low[1] === high[1]) {
    const top = low[1]
    const base = low[0]
    const span = (high[0] - base) >>> 0
    for (let k = 0; k < n; k++) {
      const i = among === undefined ? k + first : among[k]
      const at = 2 * (i - first)
      if (((words[at] - base) >>> 0) <= span && words[at + 1] === top) out[count++] = i
    }
    return count
  }
  // with flipped top bits, unsigned words compare like signed words
  const flip = signed ? 0 : TOP
  const lowHigh = low[1] ^ flip
  const lowLow = low[0] ^ TOP
  const highHigh = high[1] ^ flip
  const highLow = high[0] ^ TOP
  for (let k = 0; k < n; k++) {
    const i = among === undefined ? k + first : among[k]
    const h = words[2 * (i - first) + 1] ^ flip
    const l = words[2 * (i - first)] ^ TOP
    if (h >= lowHigh && h <= highHigh && (h > lowHigh || l >= lowLow) && (h < highHigh || l <= highLow)) {
      out[count++] = i
    }
  }
  return count
}

/** Selects 64-bit integers in ascending, disjoint ranges, all as pairs of little-endian halves. */
export const selectHalvesIn = (
  words: Int32Array,
  signed: boolean,
  lows: Int32Array,
  highs: Int32Array,
  first: number,
  among: Uint32Array | undefined,
  out: Uint32Array,
): number => {
  const ranges = lows.length >>> 1
  const n = among === undefined ? words.length >>> 1 : among.length
  const flip = signed ? 0 : TOP
  // the current range, and the end of the previous one: adjacent cells are often between these; initially both are
  // unset
  let hasGap = false
  let beforeHigh = ~TOP
  let beforeLow = ~TOP
  let lowHigh = 0
  let lowLow = 0
  let highHigh = ~TOP
  let highLow = ~TOP
  let count = 0
  for (let k = 0; k < n; k++) {
    const i = among === undefined ? k + first : among[k]
    const h = words[2 * (i - first) + 1] ^ flip
    const l = words[2 * (i - first)] ^ TOP
    if (h < beforeHigh || h > highHigh || (h === beforeHigh && l <= beforeLow) || (h === highHigh && l > highLow)) {
      let r = 0
      for (let to = ranges; r < to;) {
        const middle = (r + to) >>> 1
        const end = highs[2 * middle + 1] ^ flip
        if (end < h || (end === h && (highs[2 * middle] ^ TOP) < l)) r = middle + 1
        else to = middle
      }
      hasGap = r < ranges
      beforeHigh = r === 0 ? TOP : highs[2 * r - 1] ^ flip
      beforeLow = r === 0 ? TOP : highs[2 * r - 2] ^ TOP
      lowHigh = hasGap ? lows[2 * r + 1] ^ flip : 0
      lowLow = hasGap ? lows[2 * r] ^ TOP : 0
      highHigh = hasGap ? highs[2 * r + 1] ^ flip : ~TOP
      highLow = hasGap ? highs[2 * r] ^ TOP : ~TOP
    }
    if (hasGap && (h > lowHigh || (h === lowHigh && l >= lowLow))) out[count++] = i
  }
  return count
}

/** Returns the positions of the ones in a mask that starts at position `first`. */
export const selectOnes = (mask: Uint8Array, out: Uint32Array, first = 0): number => {
  let count = 0
  for (let i = 0; i < mask.length; i++) if (mask[i] === 1) out[count++] = i + first
  return count
}
