/**
 * The space tiles that a dense plan touches, and which of them one fragment wrote whole.
 */
import { tileStart, type WholeRanges } from "./axis_plan.ts"
import type { DensePlan, DenseStep } from "./plan.ts"

/** A space tile that somebody wrote to. */
export interface SpaceTile {
  /** Its number among those that the selection touches, row-major. */
  readonly key: number
  /** The tile of the fragment that wrote all of it, if all of it is wanted: the step's number in the plan, and the tile's in the fragment. */
  readonly whole: { readonly step: number; readonly tile: number } | undefined
}

/** The space tiles that somebody wrote to, ascending. Plans note no older fragment below one that wrote all that is wanted. */
export const spaceTiles = ({ axes, steps, tiles }: DensePlan, tileCells: number): ReadonlyArray<SpaceTile> => {
  const found = new Map<number, SpaceTile>()
  steps.forEach((step, s) => {
    if (step.kind === "sparse") return
    for (let k = 0; k < step.tileCount; k++) {
      const key = tileKey(axes, step, k)
      const alone = !found.has(key) && step.cells[k] === tileCells
      found.set(key, { key, whole: alone ? { step: s, tile: tiles[step.firstTile + k].tile } : undefined })
    }
  })
  return [...found.values()].sort((a, b) => a.key - b.key)
}

/** The number of the space tile that tile `k` of a step lies in, among those that the selection touches, row-major. */
export const tileKey = (axes: DensePlan["axes"], { along }: DenseStep, k: number): number => {
  let key = 0
  for (let d = 0; d < axes.length; d++) key = key * axes[d].tiles.length + along[k * axes.length + d]
  return key
}

/** What of a selection lies in some of the space tiles: boxes, of tiles that lie side by side one. */
export const boxesOf = (
  { axes }: DensePlan,
  ranges: ReadonlyArray<WholeRanges>,
  keys: ReadonlyArray<number>,
): ReadonlyArray<ReadonlyArray<WholeRanges>> => {
  const boxes: Array<ReadonlyArray<WholeRanges>> = []
  const last = axes.length - 1
  const width = axes[last].tiles.length
  for (let i = 0; i < keys.length;) {
    let end = i + 1
    while (end < keys.length && keys[end] === keys[end - 1] + 1 && keys[end] % width !== 0) end++
    let rest = Math.floor(keys[i] / width)
    const box: Array<WholeRanges> = new Array(axes.length)
    box[last] = within(ranges[last], axes[last], keys[i] % width, keys[end - 1] % width)
    for (let d = last - 1; d >= 0; d--) {
      const count = axes[d].tiles.length
      box[d] = within(ranges[d], axes[d], rest % count, rest % count)
      rest = Math.floor(rest / count)
    }
    boxes.push(box)
    i = end
  }
  return boxes
}

/** What of ranges lies in the tiles from number `first` to `last` of an axis. */
const within = (
  ranges: WholeRanges,
  { axis, tiles }: DensePlan["axes"][number],
  first: number,
  last: number,
): WholeRanges => {
  const from = tileStart(axis, tiles[first])
  const to = tileStart(axis, tiles[last]) + axis.extent - 1n
  return ranges.flatMap(({ low, high }) =>
    high < from || low > to ? [] : [{ low: low > from ? low : from, high: high < to ? high : to }]
  )
}
