import type { ArraySchema } from "../../schema/array_schema.ts"
import { type DensePlan, strides } from "./plan_dense.ts"

/** The cells of a row-major result in global order: tile after tile, in each cell after cell. */
export const globalOrder = (schema: ArraySchema, plan: DensePlan): Uint32Array => {
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
  const from = new Array<number>(axes.length)
  const to = new Array<number>(axes.length)
  const cellsOf = (k: number, at: number): void => {
    const d = cellDims[k]
    for (let i = from[d]; i < to[d]; i++) {
      if (k === cellDims.length - 1) order[next++] = at + i * row[d]
      else cellsOf(k + 1, at + i * row[d])
    }
  }
  const tilesFrom = (k: number): void => {
    const d = tileDims[k]
    const { out, count, firstSegment, tiles } = axes[d]
    for (let t = 0; t < tiles.length; t++) {
      // the selected cells of a tile lie next to each other on every axis of the result
      const last = firstSegment[t + 1] - 1
      from[d] = out[firstSegment[t]]
      to[d] = out[last] + count[last]
      if (k === tileDims.length - 1) cellsOf(0, 0)
      else tilesFrom(k + 1)
    }
  }
  if (plan.cells > 0) tilesFrom(0)
  return order
}
