/**
 * Boxes that meet others, in any number of dimensions; all ends are inclusive.
 */
import { firstFrom } from "./first_from.ts"

/** Boxes: of each dimension the low ends and the high ends, one of each box. */
export interface Boxes {
  readonly count: number
  readonly lows: ReadonlyArray<Float64Array>
  readonly highs: ReadonlyArray<Float64Array>
}

/** The dimension along which boxes are shortest, for what all of them span. */
const narrowest = ({ count, lows, highs }: Boxes): number => {
  let best = 0
  let least = Infinity
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
    if (share < least) {
      least = share
      best = d
    }
  }
  return best
}

/** More comparisons than this are not made. */
const MAX_COMPARISONS = 1 << 24

/**
 * Finds out whether any of `boxes` meets another box, of those that `matters` says (by the numbers of both). Answers true, too,
 * once that took too long.
 */
export const meeting = (
  boxes: Boxes,
): (other: Boxes, k: number, matters: (i: number) => boolean) => boolean => {
  const { count, lows, highs } = boxes
  const along = narrowest(boxes)
  const order = Uint32Array.from({ length: count }, (_, i) => i)
  order.sort((a, b) => lows[along][a] - lows[along][b])
  // the furthest end among the first boxes of the order
  const reach = new Float64Array(count)
  for (let i = 0; i < count; i++) reach[i] = Math.max(i === 0 ? -Infinity : reach[i - 1], highs[along][order[i]])
  let left = MAX_COMPARISONS
  return (other, k, matters) => {
    const low = other.lows[along][k]
    const high = other.highs[along][k]
    const end = firstFrom(count, (i) => lows[along][order[i]] <= high)
    for (let i = end - 1; i >= 0 && reach[i] >= low; i--) {
      if (left-- <= 0) return true
      const its = order[i]
      let d = 0
      while (d < lows.length && lows[d][its] <= other.highs[d][k] && highs[d][its] >= other.lows[d][k]) d++
      if (d === lows.length && matters(its)) return true
    }
    return false
  }
}
