/**
 * Lists the space tiles that a dense plan reads, and those among them that one fragment covers.
 */
import { tileStart, type WholeRanges } from "./axis_plan.ts"
import type { DensePlan, DenseStep } from "./plan.ts"

/** A space tile with written cells. */
export interface SpaceTile {
  /** Number of the tile among the selected space tiles, row-major. */
  readonly key: number
  /**
   * Present if all cells of the tile are selected and one fragment wrote all of them: the number of the step in the
   * plan and of the tile in the fragment.
   */
  readonly whole: { readonly step: number; readonly tile: number } | undefined
}

/**
 * Returns the space tiles with written cells, ascending. Expects that the plan contains no fragment older than one that
 * covers the whole selection.
 */
export const spaceTiles = ({ axes, steps, tiles }: DensePlan, tileCells: number): ReadonlyArray<SpaceTile> => {
  const match = new Map<number, SpaceTile>()
  steps.forEach((step, s) => {
    if (step.kind === "sparse") return
    for (let k = 0; k < step.tileCount; k++) {
      const key = tileKey(axes, step, k)
      const alone = !match.has(key) && step.cells[k] === tileCells
      match.set(key, { key, whole: alone ? { step: s, tile: tiles[step.firstTile + k].tile } : undefined })
    }
  })
  return [...match.values()].sort((a, b) => a.key - b.key)
}

/**
 * Returns the number of the space tile that contains tile `k` of a step. Only selected space tiles are numbered,
 * row-major.
 */
export const tileKey = (axes: DensePlan["axes"], { along }: DenseStep, k: number): number => {
  let key = 0
  for (let d = 0; d < axes.length; d++) key = key * axes[d].tiles.length + along[k * axes.length + d]
  return key
}

/** Returns the selected parts of the space tiles as boxes. A box may contain several adjacent tiles. */
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

/** Returns the parts of ranges inside tiles `first` to `last` of an axis. */
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
