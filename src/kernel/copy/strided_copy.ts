import type { Units } from "./gather.ts"
import { finish, STEP, type Steps } from "../steps.ts"

/** A copy of a box of cells, from a position in a tile to a position in the result. */
export interface BoxCopy {
  /** The number of cells along each dimension. */
  readonly extents: ReadonlyArray<number>
  /** The first cell, and the stride along each dimension. */
  readonly source: number
  readonly sourceStrides: ReadonlyArray<number>
  readonly target: number
  readonly targetStrides: ReadonlyArray<number>
}

/**
 * Calls `run(source, target, length, sourceStride, targetStride)` for every line of a box. Lines run along the
 * dimension that is contiguous in the source (the last dimension if no dimension is contiguous). Dimensions that are
 * contiguous on both sides are merged.
 */
export const forLines = (box: BoxCopy, run: TakeLine): void => finish(forLinesSteps(box, run))

/** Processes a line, or a part of a long line. */
export type TakeLine = (
  source: number,
  target: number,
  length: number,
  sourceStride: number,
  targetStride: number,
) => void

/** Processes lines like {@link forLines}, in steps; long lines are divided into parts. */
export function* forLinesSteps(box: BoxCopy, run: TakeLine): Steps<void> {
  // dimensions by descending source stride, adjacent ones merged if both sides allow it
  const order = box.extents.map((_, d) => d).filter((d) => box.extents[d] !== 1)
  order.sort((a, b) => box.sourceStrides[b] - box.sourceStrides[a])
  const extents: Array<number> = []
  const ss: Array<number> = []
  const ts: Array<number> = []
  for (const d of order) {
    const last = extents.length - 1
    const e = box.extents[d]
    if (last >= 0 && ss[last] === box.sourceStrides[d] * e && ts[last] === box.targetStrides[d] * e) {
      extents[last] *= e
      ss[last] = box.sourceStrides[d]
      ts[last] = box.targetStrides[d]
    } else {
      extents.push(e)
      ss.push(box.sourceStrides[d])
      ts.push(box.targetStrides[d])
    }
  }
  const inner = extents.length - 1
  if (inner < 0) {
    run(box.source, box.target, 1, 1, 1)
    return
  }
  const at = new Array<number>(inner).fill(0)
  let source = box.source
  let target = box.target
  const length = extents[inner]
  const sourceStride = ss[inner]
  const targetStride = ts[inner]
  // contiguous cells are copied in one call: a step contains more of them
  const maxLength = sourceStride === 1 && targetStride === 1 ? 8 * STEP : STEP
  let work = 0
  for (;;) {
    if (length <= maxLength) {
      run(source, target, length, sourceStride, targetStride)
      if ((work += length) >= maxLength) {
        work = 0
        yield
      }
    } else {
      for (let from = 0; from < length; from += maxLength) {
        const size = Math.min(maxLength, length - from)
        run(source + from * sourceStride, target + from * targetStride, size, sourceStride, targetStride)
        yield
      }
    }
    let d = inner - 1
    for (; d >= 0; d--) {
      source += ss[d]
      target += ts[d]
      if (++at[d] < extents[d]) break
      source -= ss[d] * extents[d]
      target -= ts[d] * extents[d]
      at[d] = 0
    }
    if (d < 0) return
  }
}

/** Copies a line of `length` fixed-size cells from `s` to `t`, each with a stride. */
export const copyLine = (
  out: Units,
  source: Units,
  s: number,
  t: number,
  length: number,
  sStride: number,
  tStride: number,
): void => {
  const k = out.perCell
  const to = out.array
  const from = source.array
  if (sStride === 1 && tStride === 1) {
    if (length * k > 16) to.set(from.subarray(s * k, (s + length) * k), t * k)
    else for (let i = 0; i < length * k; i++) to[t * k + i] = from[s * k + i]
  } else if (k === 1) {
    for (let i = 0; i < length; i++, s += sStride, t += tStride) to[t] = from[s]
  } else {
    for (let i = 0; i < length; i++, s += sStride, t += tStride) {
      for (let u = 0; u < k; u++) to[t * k + u] = from[s * k + u]
    }
  }
}

/** Copies a box of fixed-size cells. */
export const copyBox = (out: Units, source: Units, box: BoxCopy): void => finish(copyBoxSteps(out, source, box))

/** Copies a box like {@link copyBox}, in steps. */
export const copyBoxSteps = (out: Units, source: Units, box: BoxCopy): Steps<void> =>
  forLinesSteps(box, (s, t, length, sStride, tStride) => copyLine(out, source, s, t, length, sStride, tStride))
