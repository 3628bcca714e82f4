/**
 * The cells of a tile that lie in ranges, as their positions. `among` are the candidates, ascending; without it all cells
 * are. The first of `cells` stands at position `first` of the tile. Positions go to `out`, which may be `among` itself; the
 * answer is how many there are.
 */

/** Cells that are numbers, in one range; NaN is in no range, −0 is 0. */
export const selectNumbers = (
  cells: ArrayLike<number>,
  low: number,
  high: number,
  first: number,
  among: Uint32Array | undefined,
  out: Uint32Array,
): number => {
  let found = 0
  if (among === undefined) {
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i]
      if (cell >= low && cell <= high) out[found++] = i + first
    }
    return found
  }
  for (let k = 0; k < among.length; k++) {
    const cell = cells[among[k] - first]
    if (cell >= low && cell <= high) out[found++] = among[k]
  }
  return found
}

/** Cells that are numbers, in ranges that ascend and are disjoint. */
export const selectNumbersIn = (
  cells: ArrayLike<number>,
  lows: ArrayLike<number>,
  highs: ArrayLike<number>,
  first: number,
  among: Uint32Array | undefined,
  out: Uint32Array,
): number => {
  const count = lows.length
  const n = among === undefined ? cells.length : among.length
  // a range, and where the one before it ends: neighbours often lie between these
  let before = NaN
  let low = NaN
  let high = NaN
  let found = 0
  for (let k = 0; k < n; k++) {
    const i = among === undefined ? k + first : among[k]
    const cell = cells[i - first]
    if (!(cell > before && cell <= high)) {
      let r = 0
      for (let to = count; r < to;) {
        const middle = (r + to) >>> 1
        if (highs[middle] < cell) r = middle + 1
        else to = middle
      }
      before = r === 0 ? -Infinity : highs[r - 1]
      low = r === count ? NaN : lows[r]
      high = r === count ? Infinity : highs[r]
    }
    if (cell >= low) out[found++] = i
  }
  return found
}

const TOP = 1 << 31

/** Cells that are 64-bit integers, in one range, all as little-endian halves. */
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
  let found = 0
  if (low[1] === high[1]) {
    const top = low[1]
    const base = low[0]
    const span = (high[0] - base) >>> 0
    for (let k = 0; k < n; k++) {
      const i = among === undefined ? k + first : among[k]
      const at = 2 * (i - first)
      if (((words[at] - base) >>> 0) <= span && words[at + 1] === top) out[found++] = i
    }
    return found
  }
  // with their top bits turned, unsigned words compare as signed ones do
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
      out[found++] = i
    }
  }
  return found
}

/** Cells that are 64-bit integers, in ranges that ascend and are disjoint, all as little-endian halves. */
export const selectHalvesIn = (
  words: Int32Array,
  signed: boolean,
  lows: Int32Array,
  highs: Int32Array,
  first: number,
  among: Uint32Array | undefined,
  out: Uint32Array,
): number => {
  const count = lows.length >>> 1
  const n = among === undefined ? words.length >>> 1 : among.length
  const flip = signed ? 0 : TOP
  // a range, and where the one before it ends: neighbours often lie between these; at first there is nothing between
  let some = false
  let beforeHigh = ~TOP
  let beforeLow = ~TOP
  let lowHigh = 0
  let lowLow = 0
  let highHigh = ~TOP
  let highLow = ~TOP
  let found = 0
  for (let k = 0; k < n; k++) {
    const i = among === undefined ? k + first : among[k]
    const h = words[2 * (i - first) + 1] ^ flip
    const l = words[2 * (i - first)] ^ TOP
    if (h < beforeHigh || h > highHigh || (h === beforeHigh && l <= beforeLow) || (h === highHigh && l > highLow)) {
      let r = 0
      for (let to = count; r < to;) {
        const middle = (r + to) >>> 1
        const its = highs[2 * middle + 1] ^ flip
        if (its < h || (its === h && (highs[2 * middle] ^ TOP) < l)) r = middle + 1
        else to = middle
      }
      some = r < count
      beforeHigh = r === 0 ? TOP : highs[2 * r - 1] ^ flip
      beforeLow = r === 0 ? TOP : highs[2 * r - 2] ^ TOP
      lowHigh = some ? lows[2 * r + 1] ^ flip : 0
      lowLow = some ? lows[2 * r] ^ TOP : 0
      highHigh = some ? highs[2 * r + 1] ^ flip : ~TOP
      highLow = some ? highs[2 * r] ^ TOP : ~TOP
    }
    if (some && (h > lowHigh || (h === lowHigh && l >= lowLow))) out[found++] = i
  }
  return found
}

/** The positions of the ones of a mask, which starts at position `first`. */
export const selectOnes = (mask: Uint8Array, out: Uint32Array, first = 0): number => {
  let found = 0
  for (let i = 0; i < mask.length; i++) if (mask[i] === 1) out[found++] = i + first
  return found
}
