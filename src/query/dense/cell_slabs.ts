/**
 * The cell slabs (lines of cells) that a dense read copies from tiles to the result.
 */
import type { CellSpans } from "../../fragment/read/read_spans.ts"
import { finish, type Steps } from "../../kernel/steps.ts"
import { forLinesSteps } from "../../kernel/copy/strided_copy.ts"
import { boundsIn } from "./axis_plan.ts"
import type { DensePlan, DenseStep } from "./plan.ts"

/** Returns, for each tile of a step, the span of cells from the first to the last selected one. */
export const spansOfStep = (plan: DensePlan, step: DenseStep): CellSpans => {
  const { axes, sourceStrides } = plan
  const dims = axes.length
  const n = step.tileCount
  const first = new Float64Array(n)
  const last = new Float64Array(n)
  for (let k = 0; k < n; k++) {
    for (let d = 0; d < dims; d++) {
      const axis = axes[d]
      const t = step.along[k * dims + d]
      const [low, high] = boundsIn(axis, step.clip[d], t)
      // the first and the last segment may be outside the fragment, but at least one segment is inside
      let from = axis.firstSegment[t]
      while (axis.low[from] + axis.count[from] - 1 < low) from++
      let to = axis.firstSegment[t + 1] - 1
      while (axis.low[to] > high) to--
      first[k] += Math.max(axis.low[from], low) * sourceStrides[d]
      last[k] += Math.min(axis.low[to] + axis.count[to] - 1, high) * sourceStrides[d]
    }
  }
  const tiles = Array.from({ length: n }, (_, k) => plan.tiles[step.firstTile + k].tile)
  return { tiles, first, last }
}

/** Called for every line: `length` cells from `source` in the tile to `target` in the result, each with its stride. */
export type OnLine = (
  source: number,
  target: number,
  length: number,
  sourceStride: number,
  targetStride: number,
) => void

/** Calls `run` for every line of tile `k` of a step. */
export const forTileLines = (plan: DensePlan, step: DenseStep, k: number, run: OnLine): void =>
  finish(forTileLinesSteps(plan, step, k, run))

/** Like {@link forTileLines}, in steps. */
export function* forTileLinesSteps(plan: DensePlan, step: DenseStep, k: number, run: OnLine): Steps<void> {
  const { axes, sourceStrides, targetStrides } = plan
  const dims = axes.length
  const from: Array<ReadonlyArray<number>> = []
  const to: Array<ReadonlyArray<number>> = []
  const counts: Array<ReadonlyArray<number>> = []
  let single = true
  for (let d = 0; d < dims; d++) {
    const axis = axes[d]
    const t = step.along[k * dims + d]
    const [low, high] = boundsIn(axis, step.clip[d], t)
    const sources: Array<number> = []
    const targets: Array<number> = []
    const lengths: Array<number> = []
    for (let s = axis.firstSegment[t]; s < axis.firstSegment[t + 1]; s++) {
      const first = Math.max(axis.low[s], low)
      const last = Math.min(axis.low[s] + axis.count[s] - 1, high)
      if (first > last) continue
      sources.push(first * sourceStrides[d])
      targets.push((axis.out[s] + first - axis.low[s]) * targetStrides[d])
      lengths.push(last - first + 1)
    }
    if (lengths.length !== 1) single = false
    from.push(sources)
    to.push(targets)
    counts.push(lengths)
  }
  if (single) {
    yield* forLinesSteps({
      extents: counts.map((c) => c[0]),
      source: from.reduce((sum, f) => sum + f[0], 0),
      sourceStrides,
      target: to.reduce((sum, t) => sum + t[0], 0),
      targetStrides,
    }, run)
    return
  }
  // run lines along the dimension that is contiguous in the tile; along the other dimensions, cells are copied one by
  // one
  const inner = sourceStrides.indexOf(Math.min(...sourceStrides))
  const outer = axes.map((_, d) => d).filter((d) => d !== inner)
  const sources = outer.map((d) => spread(from[d], counts[d], sourceStrides[d]))
  const targets = outer.map((d) => spread(to[d], counts[d], targetStrides[d]))
  const visit = (level: number, source: number, target: number): void => {
    if (level === outer.length) {
      for (let s = 0; s < counts[inner].length; s++) {
        const [f, t] = [from[inner][s], to[inner][s]]
        run(source + f, target + t, counts[inner][s], sourceStrides[inner], targetStrides[inner])
      }
      return
    }
    for (let i = 0; i < sources[level].length; i++) {
      visit(level + 1, source + sources[level][i], target + targets[level][i])
    }
  }
  if (outer.length === 0) return visit(0, 0, 0)
  for (let i = 0; i < sources[0].length; i++) {
    visit(1, sources[0][i], targets[0][i])
    yield
  }
}

/** Returns the first tile of a step that writes a cell at position `from` of the result or after it. */
export const firstTileFrom = (plan: DensePlan, step: DenseStep, from: number): number => {
  let k = 0
  for (let reached = false; k < step.tileCount && !reached; k++) {
    forTileLines(plan, step, k, (_source, target, length, _sourceStride, targetStride) => {
      if (target + (length - 1) * targetStride >= from) reached = true
    })
    if (reached) return k
  }
  return k
}

/** Lists the positions of all cells of segments. */
const spread = (starts: ReadonlyArray<number>, counts: ReadonlyArray<number>, stride: number): Float64Array => {
  const out = new Float64Array(counts.reduce((sum, n) => sum + n, 0))
  for (let s = 0, k = 0; s < starts.length; s++) {
    for (let i = 0; i < counts[s]; i++) out[k++] = starts[s] + i * stride
  }
  return out
}
