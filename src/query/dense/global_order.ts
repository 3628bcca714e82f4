import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { inParts, STEP, type Steps } from "../../kernel/steps.ts"
import { type DensePlan, strides } from "./plan.ts"

/** Lists the cells of a row-major result in global order: tile by tile, and cell by cell in each tile. */
export function* globalOrderSteps(schema: ArraySchema, plan: DensePlan): Steps<Uint32Array> {
  const { axes, shape } = plan
  const row = strides(shape, "row-major")
  const order = new Uint32Array(plan.cells)
  let next = 0
  const slowestFirst = (colMajor: boolean): ReadonlyArray<number> => {
    const dims = axes.map((_, d) => d)
    return colMajor ? dims.reverse() : dims
  }
  const tileDims = slowestFirst(schema.tileOrder === "col-major")
  const cellDims = slowestFirst(schema.cellOrder === "col-major")
  const inner = cellDims.length - 1
  const from = new Array<number>(axes.length)
  const to = new Array<number>(axes.length)
  const line = (at: number, first: number, end: number): void => {
    const stride = row[cellDims[inner]]
    for (let i = first; i < end; i++) order[next++] = at + i * stride
  }
  const cellsOf = (k: number, at: number): void => {
    const d = cellDims[k]
    if (k === inner) return line(at, from[d], to[d])
    for (let i = from[d]; i < to[d]; i++) cellsOf(k + 1, at + i * row[d])
  }
  const countFrom = (k: number): number => {
    let cells = 1
    for (let level = k; level <= inner; level++) cells *= to[cellDims[level]] - from[cellDims[level]]
    return cells
  }
  /** Like `cellsOf`, in steps for many cells. */
  function* cellsIn(k: number, at: number): Steps<void> {
    const d = cellDims[k]
    const low = from[d]
    if (k === inner) return yield* inParts(to[d] - low, (first, end) => line(at, low + first, low + end))
    const isLarge = countFrom(k + 1) > STEP
    for (let i = low; i < to[d]; i++) {
      if (isLarge) yield* cellsIn(k + 1, at + i * row[d])
      else {
        cellsOf(k + 1, at + i * row[d])
        if (isDue()) yield
      }
    }
  }
  let last = 0
  /** returns true when the current step has processed enough cells */
  const isDue = (): boolean => next - last >= STEP && (last = next) > 0
  function* tilesFrom(k: number): Steps<void> {
    const d = tileDims[k]
    const { out, count, firstSegment, tiles } = axes[d]
    for (let t = 0; t < tiles.length; t++) {
      // the selected cells of a tile are adjacent on every axis of the result
      const end = firstSegment[t + 1] - 1
      from[d] = out[firstSegment[t]]
      to[d] = out[end] + count[end]
      if (k < tileDims.length - 1) yield* tilesFrom(k + 1)
      else if (countFrom(0) > STEP) yield* cellsIn(0, 0)
      else {
        cellsOf(0, 0)
        if (isDue()) yield
      }
    }
  }
  if (plan.cells > 0) yield* tilesFrom(0)
  return order
}
