/**
 * Derives bounds of a tile from the global order, in addition to its MBR. The cells of a fragment are in global order,
 * so a tile's cells are between the last cell of the previous tile and the first cell of the next one. A tile that
 * spans the end of one row of space tiles and the start of the next has an MBR over both rows, although it contains
 * only few cells of each row.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { isFloat, type TypedArray } from "../../../schema/array/datatype.ts"
import type { MbrLevel } from "../../../schema/fragment/rtree.ts"
import type { Scalar } from "../../../schema/array/scalar.ts"
import { tileExtentOf } from "../../fragment/tile_extent.ts"
import { firstFrom } from "../../kernel/first_from.ts"
import type { NumberRange, Selection } from "../selection/selection.ts"
import { spaceTile } from "./space_tile_number.ts"

/**
 * One key of the global order. The keys of tile `t` are between those of `bounds[2t]` and `bounds[2t + 1]`. Levels are
 * sorted from the most to the least significant.
 */
interface Level {
  readonly bounds: TypedArray
  readonly keyOf: (value: Scalar) => Scalar
  readonly ranges: ReadonlyArray<NumberRange> | undefined
}

const same = (value: Scalar): Scalar => value
const next = (key: Scalar): Scalar => typeof key === "bigint" ? key + 1n : key + 1
const previous = (key: Scalar): Scalar => typeof key === "bigint" ? key - 1n : key - 1

/** Returns the keys of the order that are integers. */
const levelsOf = (schema: ArraySchema, selection: Selection, mbrs: MbrLevel): ReadonlyArray<Level> => {
  if (schema.cellOrder === "hilbert") return []
  const out: Array<Level> = []
  const slowestFirst = (order: string): ReadonlyArray<number> => {
    const all = schema.dimensions.map((_, d) => d)
    return order === "col-major" ? all.reverse() : all
  }
  const add = (d: number, keyOf: Level["keyOf"]): void => {
    const column = mbrs.dimensions[d]
    const selected = selection[d]
    if (column.kind === "var" || selected.kind === "string") return
    out.push({ bounds: column.values, keyOf, ranges: selected.ranges })
  }
  for (const d of slowestFirst(schema.tileOrder)) {
    const dimension = schema.dimensions[d]
    const extent = tileExtentOf(dimension)
    if (dimension.cellValNum === VAR || extent === null) continue
    if (isFloat(dimension.type)) return out
    add(d, spaceTile(dimension, extent))
  }
  for (const d of slowestFirst(schema.cellOrder)) {
    const dimension = schema.dimensions[d]
    if (dimension.cellValNum === VAR || isFloat(dimension.type)) return out
    add(d, same)
  }
  return out
}

/** Returns whether any key from `from` to `to` is selected. */
const selects = ({ ranges, keyOf }: Level, from: Scalar, to: Scalar): boolean => {
  if (from > to) return false
  if (ranges === undefined) return true
  const r = ranges[firstFrom(ranges.length, (r) => keyOf(ranges[r].high) < from)]
  return r !== undefined && keyOf(r.low) <= to
}

/** Returns lower bounds of the keys of a tile's last cell, or upper bounds for its first cell. */
const endsOf = (levels: ReadonlyArray<Level>, tile: number, last: boolean): ReadonlyArray<Scalar> => {
  // if all slower keys are constant, the last (first) cell has the largest (smallest) value of this key; faster keys
  // can have any value
  let outermost = true
  return levels.map(({ bounds, keyOf }) => {
    const low = keyOf(bounds[2 * tile])
    const high = keyOf(bounds[2 * tile + 1])
    const key = outermost === last ? high : low
    outermost &&= low === high
    return key
  })
}

/**
 * Returns a test whether a tile whose MBR overlaps the selection may contain selected cells, according to the MBRs of
 * its neighbours; `undefined` if neighbours add no information.
 */
export const orderBounds = (
  schema: ArraySchema,
  selection: Selection,
  mbrs: MbrLevel,
): ((tile: number) => boolean) | undefined => {
  const levels = levelsOf(schema, selection, mbrs)
  // for the slowest key, neighbours give no tighter bounds than the MBR
  if (mbrs.count < 2 || !levels.some(({ bounds, ranges }) => ranges !== undefined && bounds !== levels[0].bounds)) {
    return undefined
  }
  return (tile) => {
    const meets = (
      k: number,
      after: ReadonlyArray<Scalar> | undefined,
      before: ReadonlyArray<Scalar> | undefined,
      chosen: typeof selects,
    ): boolean => {
      if (k === levels.length || (after === undefined && before === undefined)) return true
      const level = levels[k]
      let from = level.keyOf(level.bounds[2 * tile])
      let to = level.keyOf(level.bounds[2 * tile + 1])
      // faster keys are bounded only if this key is equal to a bound
      const low = after !== undefined && after[k] >= from ? after : undefined
      const high = before !== undefined && before[k] <= to ? before : undefined
      if (low !== undefined) from = low[k]
      if (high !== undefined) to = high[k]
      if (from > to) return false
      if (from === to) return chosen(level, from, to) && meets(k + 1, low, high, chosen)
      return (low !== undefined && chosen(level, from, from) && meets(k + 1, low, undefined, chosen)) ||
        (high !== undefined && chosen(level, to, to) && meets(k + 1, undefined, high, chosen)) ||
        chosen(level, low === undefined ? from : next(from), high === undefined ? to : previous(to))
    }
    const after = tile === 0 ? undefined : endsOf(levels, tile - 1, true)
    const before = tile === mbrs.count - 1 ? undefined : endsOf(levels, tile + 1, false)
    // ignore MBRs that contradict the global order
    return meets(0, after, before, selects) || !meets(0, after, before, (_, from, to) => from <= to)
  }
}
