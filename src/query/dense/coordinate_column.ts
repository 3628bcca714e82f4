/**
 * Columns of the coordinates of a dense result.
 */
import { arrayOf, type TypedArray } from "../../../schema/array/datatype.ts"
import type { Field } from "../../fragment/field.ts"
import { type AxisPlan, tileStart } from "./axis_plan.ts"
import type { Column } from "../column/column.ts"
import type { DensePlan } from "./plan.ts"

/** Returns the selected coordinates along one dimension. */
const alongAxis = (field: Field, plan: AxisPlan): TypedArray => {
  const { axis, tiles, firstSegment, low, count, out } = plan
  const values = new (arrayOf(field.type))(plan.length)
  const halves = field.cellSize === 8 ? new Uint32Array(values.buffer) : undefined
  for (let t = 0; t < tiles.length; t++) {
    const start = tileStart(axis, tiles[t])
    for (let s = firstSegment[t]; s < firstSegment[t + 1]; s++) {
      const first = start + BigInt(low[s])
      if (halves === undefined) {
        const from = Number(first)
        for (let i = 0; i < count[s]; i++) values[out[s] + i] = from + i as never
      } else countUp(halves, 2 * out[s], first, count[s])
    }
  }
  return values
}

/** Writes `first`, `first + 1`, … as 64-bit integers. */
const countUp = (halves: Uint32Array, at: number, first: bigint, count: number): void => {
  let low = Number(BigInt.asUintN(32, first))
  let high = Number(BigInt.asUintN(32, first >> 32n))
  for (let i = 0; i < count; i++, at += 2) {
    halves[at] = low
    halves[at + 1] = high
    if (++low === 0x100000000) {
      low = 0
      high++
    }
  }
}

/** Returns the coordinates of all cells of a result along dimension `d`. */
export const coordinateColumn = (field: Field, d: number, plan: DensePlan): Column => {
  const { cells } = plan
  const along = alongAxis(field, plan.axes[d])
  const stride = plan.targetStrides[d]
  const values = stride === 1 && along.length === cells ? along : new (arrayOf(field.type))(cells)
  if (values !== along && cells > 0) {
    // repeat each coordinate for the cells of all faster dimensions, then repeat the sequence for the slower dimensions
    for (let i = 0; i < along.length; i++) values.fill(along[i] as never, i * stride, (i + 1) * stride)
    for (let done = along.length * stride; done < cells; done *= 2) {
      values.copyWithin(done, 0, Math.min(done, cells - done))
    }
  }
  return { name: field.name, type: field.type, cellValNum: 1, length: cells, values }
}
