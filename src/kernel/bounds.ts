/**
 * Smallest, largest and sum of cells in one pass.
 */

/** Bounds and sum of numbers, going on from cells before. */
export interface NumberBounds {
  /** The smallest and the largest that is not NaN; Infinity and −Infinity before there is one. Of equal ones the last: −0 is 0. */
  min: number
  max: number
  sum: number
}

/** No cells yet. */
export const noNumbers = (): NumberBounds => ({ min: Infinity, max: -Infinity, sum: 0 })

/** Goes through the first `n` numbers. */
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

const LARGEST = Number.MAX_VALUE

/** The sum of the first `n` numbers behind `sum`, as the engine adds: it stops at the largest number. */
export const saturatingSum = (
  values: Float64Array,
  n: number,
  sum: number,
): { readonly sum: number; readonly saturated: boolean } => {
  for (let i = 0; i < n; i++) {
    const value = values[i]
    if (sum < 0 === value < 0 && Math.abs(sum) > LARGEST - Math.abs(value)) {
      return { sum: sum < 0 ? -LARGEST : LARGEST, saturated: true }
    }
    sum += value
  }
  return { sum, saturated: false }
}

/** Bounds and sum of 64-bit integers, as halves; the high ones are signed where the integers are. */
export interface HalvesBounds {
  minHigh: number
  minLow: number
  maxHigh: number
  maxLow: number
  sumHigh: number
  sumLow: number
  /** Cells that count. */
  count: number
  /** The sum is at its limit, and stays there. */
  saturated: boolean
}

/** No cells yet. */
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
 * Goes through the 64-bit integers `from … to − 1`, little-endian halves behind each other; only through those whose
 * validity is not 0. The sum stops at the largest (smallest) 64-bit integer.
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
