/**
 * Minimum, maximum and sum of cells in one pass.
 */

/** The bounds and the sum of numbers, accumulated over several calls. */
export interface NumberBounds {
  /** Minimum and maximum without NaN; initially Infinity and −Infinity. −0 equals 0; the last of equal values is stored. */
  min: number
  max: number
  sum: number
}

/** Returns the bounds of no cells. */
export const noNumbers = (): NumberBounds => ({ min: Infinity, max: -Infinity, sum: 0 })

/** Adds the first `n` numbers to the bounds. */
export const boundNumbers = (values: Float64Array, n: number, bounds: NumberBounds): void => {
  let { min, max, sum } = bounds
  for (let i = 0; i < n; i++) {
    const value = values[i]
    if (value <= min) min = value
    if (value >= max) max = value
    sum += value
  }
  bounds.min = min
  bounds.max = max
  bounds.sum = sum
}

const MAX_NUMBER = Number.MAX_VALUE

/** Adds the first `n` numbers to `sum`; like the engine, it saturates at the largest number. */
export const saturatingSum = (
  values: Float64Array,
  n: number,
  sum: number,
): { readonly sum: number; readonly saturated: boolean } => {
  for (let i = 0; i < n; i++) {
    const value = values[i]
    if (sum < 0 === value < 0 && Math.abs(sum) > MAX_NUMBER - Math.abs(value)) {
      return { sum: sum < 0 ? -MAX_NUMBER : MAX_NUMBER, saturated: true }
    }
    sum += value
  }
  return { sum, saturated: false }
}

/** The bounds and the sum of 64-bit integers as halves; the high halves are signed if the integers are. */
export interface HalvesBounds {
  minHigh: number
  minLow: number
  maxHigh: number
  maxLow: number
  sumHigh: number
  sumLow: number
  /** The number of valid cells. */
  count: number
  /** Whether the sum has reached its limit, which is final. */
  saturated: boolean
}

/** Returns the bounds of no cells. */
export const noHalves = (): HalvesBounds => ({
  minHigh: Infinity,
  minLow: 0,
  maxHigh: -Infinity,
  maxLow: 0,
  sumHigh: 0,
  sumLow: 0,
  count: 0,
  saturated: false,
})

/**
 * Adds the 64-bit integers `from … to − 1`, as pairs of little-endian halves, to the bounds. Skips cells whose validity
 * is 0. The sum saturates at the largest (smallest) 64-bit integer.
 */
export const boundHalves = (
  words: Uint32Array,
  signed: boolean,
  validity: Uint8Array | undefined,
  from: number,
  to: number,
  bounds: HalvesBounds,
): void => {
  const base = signed ? 0x80000000 : 0
  const highest = signed ? 0x7fffffff : 0xffffffff
  const lowest = signed ? -0x80000000 : 0
  let { minHigh, minLow, maxHigh, maxLow, sumHigh, sumLow, count, saturated } = bounds
  for (let i = from; i < to; i++) {
    if (validity !== undefined && validity[i] === 0) continue
    count++
    const low = words[2 * i]
    const word = words[2 * i + 1]
    const high = word >= base && signed ? word - 0x100000000 : word
    if (high < minHigh || (high === minHigh && low < minLow)) {
      minHigh = high
      minLow = low
    }
    if (high > maxHigh || (high === maxHigh && low > maxLow)) {
      maxHigh = high
      maxLow = low
    }
    if (saturated) continue
    sumLow += low
    sumHigh += high
    if (sumLow > 0xffffffff) {
      sumLow -= 0x100000000
      sumHigh++
    }
    if (sumHigh > highest) {
      sumHigh = highest
      sumLow = 0xffffffff
      saturated = true
    } else if (sumHigh < lowest) {
      sumHigh = lowest
      sumLow = 0
      saturated = true
    }
  }
  bounds.minHigh = minHigh
  bounds.minLow = minLow
  bounds.maxHigh = maxHigh
  bounds.maxLow = maxLow
  bounds.sumHigh = sumHigh
  bounds.sumLow = sumLow
  bounds.count = count
  bounds.saturated = saturated
}
