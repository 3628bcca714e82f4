import { compareCells } from "../../../kernel/sort/sort_cells.ts"
import type { KeyWords } from "../../../kernel/sort/order_key.ts"
import { finish, STEP, type Steps } from "../../../kernel/steps.ts"

/** Which of several cells with equal coordinates in one fragment are returned. */
export type Repeats = "all" | "first" | "last"

/**
 * Returns the newest of the cells with equal coordinates: the one with the latest time, then of the latest fragment. If
 * that fragment has several such cells, `repeatsOf` selects among them; the default is the first one (consolidation
 * with timestamps stores the newest first). `order` is a stable sort order in which equal cells are adjacent; the
 * result keeps that order, with fewer cells.
 */
export const newestCells = (...input: Parameters<typeof newestCellsSteps>): Uint32Array =>
  finish(newestCellsSteps(...input))

/** Like {@link newestCells}, in steps. */
export function* newestCellsSteps(
  order: Uint32Array,
  words: KeyWords,
  times: Float64Array,
  fragments: ArrayLike<number>,
  repeatsOf: (fragment: number) => Repeats = () => "first",
): Steps<Uint32Array> {
  let kept = 0
  for (let i = 0, pause = STEP; i < order.length;) {
    if (i >= pause) {
      pause = i + STEP
      yield
    }
    let best = order[i]
    let end = i + 1
    while (end < order.length && compareCells(words, order[i], order[end]) === 0) {
      const cell = order[end++]
      if (times[cell] > times[best] || (times[cell] === times[best] && fragments[cell] > fragments[best])) best = cell
    }
    const repeats = end - i === 1 ? "first" : repeatsOf(fragments[best])
    if (repeats === "first") order[kept++] = best
    else {
      const [time, fragment] = [times[best], fragments[best]]
      const first = kept
      for (let j = i; j < end; j++) {
        const cell = order[j]
        if (times[cell] !== time || fragments[cell] !== fragment) continue
        if (repeats === "last") kept = first
        order[kept++] = cell
      }
    }
    i = end
  }
  return order.subarray(0, kept)
}
