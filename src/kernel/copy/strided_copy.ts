import type { Units } from "./gather.ts"
import { finish, STEP, type Steps } from "../steps.ts"

/** A box of cells, from where it lies in a tile to where it lies in the result. */
export interface BoxCopy {
  /** Cells along each dimension. */
  readonly extents: ReadonlyArray<number>
  /** First cell, and cells from one to the next along each dimension. */
  readonly source: number
  readonly sourceStrides: ReadonlyArray<number>
  readonly target: number
  readonly targetStrides: ReadonlyArray<number>
}

/**
 * Calls `run(source, target, length, sourceStride, targetStride)` for every line of a box. Lines run along the dimension
 * that lies contiguous in the source (or, where none does, the last); dimensions that continue each other on both sides
 * are taken as one.
 */
export const forLines = (box: BoxCopy, run: TakeLine): void => finish(forLinesSteps(box, run))

/** What is done with a line, or a part of a long one. */
export type TakeLine = (
  source: number,
  target: number,
  length: number,
  sourceStride: number,
  targetStride: number,
) => void

/** As {@link forLines}, in steps; long lines come in parts. */
export function* forLinesSteps(box: BoxCopy, run: TakeLine): Steps<void> {
  // dimensions by falling source stride, neighbours merged where both sides allow it
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
  // neighbours move at once: more of them are a step
  const most = sourceStride === 1 && targetStride === 1 ? 8 * STEP : STEP
  let work = 0
  for (;;) {
    if (length <= most) {
      run(source, target, length, sourceStride, targetStride)
      if ((work += length) >= most) {
        work = 0
        yield
      }
    } else {
      for (let from = 0; from < length; from += most) {
        const size = Math.min(most, length - from)
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

/** Copies a line of fixed-size cells: `length` of them from `s` to `t`, each with its stride. */
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

/** As {@link copyBox}, in steps. */
export const copyBoxSteps = (out: Units, source: Units, box: BoxCopy): Steps<void> =>
  forLinesSteps(box, (s, t, length, sStride, tStride) => copyLine(out, source, s, t, length, sStride, tStride))
