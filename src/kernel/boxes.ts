/**
 * Intersections of boxes, in any number of dimensions. All bounds are inclusive.
 */
import { firstFrom } from "./first_from.ts"

/** Boxes: for each dimension, the low and the high bounds of all boxes. */
export interface Boxes {
  readonly count: number
  readonly lows: ReadonlyArray<Float64Array>
  readonly highs: ReadonlyArray<Float64Array>
}

/** Returns the dimension in which boxes are shortest in relation to their overall extent. */
const narrowest = ({ count, lows, highs }: Boxes): number => {
  let best = 0
  let minShare = Infinity
  for (let d = 0; d < lows.length; d++) {
    let from = Infinity
    let to = -Infinity
    let sum = 0
    for (let i = 0; i < count; i++) {
      from = Math.min(from, lows[d][i])
      to = Math.max(to, highs[d][i])
      sum += highs[d][i] - lows[d][i]
    }
    const share = to > from ? sum / (to - from) : Infinity
    if (share < minShare) {
      minShare = share
      best = d
    }
  }
  return best
}

/** The maximum number of comparisons. */
const MAX_COMPARISONS = 1 << 24

/**
 * Returns a function that tests whether box `k` of others intersects any of the `boxes` for which `isRelevant` returns
 * true. The function also returns true once the maximum number of comparisons is reached.
 */
export const makeIntersects = (
  boxes: Boxes,
): (other: Boxes, k: number, isRelevant: (i: number) => boolean) => boolean => {
  const { count, lows, highs } = boxes
  const along = narrowest(boxes)
  const order = Uint32Array.from({ length: count }, (_, i) => i)
  order.sort((a, b) => lows[along][a] - lows[along][b])
  // the maximum high bound among the boxes up to each position in the order
  const maxHighs = new Float64Array(count)
  for (let i = 0; i < count; i++) maxHighs[i] = Math.max(i === 0 ? -Infinity : maxHighs[i - 1], highs[along][order[i]])
  let remaining = MAX_COMPARISONS
  return (other, k, matters) => {
    const low = other.lows[along][k]
    const high = other.highs[along][k]
    const end = firstFrom(count, (i) => lows[along][order[i]] <= high)
    for (let i = end - 1; i >= 0 && maxHighs[i] >= low; i--) {
      if (remaining-- <= 0) return true
      const box = order[i]
      let d = 0
      while (d < lows.length && lows[d][box] <= other.highs[d][k] && highs[d][box] >= other.lows[d][k]) d++
      if (d === lows.length && matters(box)) return true
    }
    return false
  }
}
