/**
 * The tiles of a dense write in the array's tile order, with statistics of the input cells.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { axisOf, tileOf } from "../../fragment/dense_tiles.ts"
import type { Steps } from "../../kernel/steps.ts"
import type { TileMemory, WriteTile } from "../fragment/filter_tiles.ts"
import type { Box } from "../input/box.ts"
import { splitDense } from "./dense_tiler.ts"
import { tileStatisticsSteps } from "../fragment/tile_statistics.ts"
import { gatherTileSteps, type WriteColumn } from "../input/write_column.ts"

/** Order of the input cells of a box: row-major, column-major, or tile by tile. */
export type DenseOrder = "row" | "col" | "global"

/** The tiles of a box. */
export interface DenseTiles {
  readonly count: number
  /** Builds tile number `i` of a column that contains the cells of the box. */
  readonly tile: (i: number, column: WriteColumn, memory?: TileMemory) => Steps<WriteTile>
}

/** Returns the tiles of a box with row-major or column-major cells. */
const splitTiles = (
  schema: ArraySchema,
  box: Box,
  layout: "row-major" | "col-major",
  version: number,
): DenseTiles => {
  const split = splitDense(schema, box, layout, version)
  const tile = function* (i: number, column: WriteColumn, memory?: TileMemory): Steps<WriteTile> {
    const whole = yield* split.tileSteps(i, column, memory)
    const written = yield* split.writtenSteps(i)
    const input = written === undefined
      ? whole
      : yield* gatherTileSteps({ field: column.field, ...whole }, written, 0, written.length)
    const statistics = yield* tileStatisticsSteps(column.field, input)
    return { tile: whole, statistics, cellOf: (cell) => split.cellOf(i, cell) }
  }
  return { count: split.tiles, tile }
}

/** Returns the number of tiles that a box overlaps, and the part of the box in each, in the array's tile order. */
export const tileParts = (
  { dimensions, tileOrder }: ArraySchema,
  box: Box,
): { readonly count: number; readonly part: (i: number) => Box } => {
  const axes = dimensions.map(axisOf)
  const first = axes.map((axis, d) => tileOf(axis, box[d].low))
  const counts = axes.map((axis, d) => Number(tileOf(axis, box[d].high) - first[d]) + 1)
  const part = (i: number): Box => {
    const out: Array<Box[number]> = new Array(axes.length)
    for (let k = 0; k < axes.length; k++) {
      const d = tileOrder === "col-major" ? k : axes.length - 1 - k
      const low = axes[d].low + (first[d] + BigInt(i % counts[d])) * axes[d].extent
      const high = low + axes[d].extent - 1n
      i = Math.floor(i / counts[d])
      out[d] = { low: low > box[d].low ? low : box[d].low, high: high < box[d].high ? high : box[d].high }
    }
    return out
  }
  return { count: counts.reduce((n, c) => n * c, 1), part }
}

const cellsIn = (box: Box): number => box.reduce((n, { low, high }) => n * Number(high - low + 1n), 1)

/** Returns the tiles of a box with cells in global order: tile by tile, each in the array's cell order. */
const globalTiles = (schema: ArraySchema, box: Box, version: number): DenseTiles => {
  const { count, part } = tileParts(schema, box)
  const layout = schema.cellOrder === "col-major" ? "col-major" : "row-major"
  const starts = new Float64Array(count + 1)
  for (let i = 0; i < count; i++) starts[i + 1] = starts[i] + cellsIn(part(i))
  const tile = function* (i: number, column: WriteColumn): Steps<WriteTile> {
    const cells = yield* gatherTileSteps(column, undefined, starts[i], starts[i + 1])
    const own = splitTiles(schema, part(i), layout, version)
    const { cellOf, ...tile } = yield* own.tile(0, { field: column.field, ...cells })
    const first = starts[i]
    return {
      ...tile,
      cellOf: (cell) => {
        const own = cellOf!(cell)
        return own === undefined ? undefined : first + own
      },
    }
  }
  return { count, tile }
}

/** Returns the tiles of a box in a fragment of format `version`. */
export const denseTiles = (schema: ArraySchema, box: Box, order: DenseOrder, version: number): DenseTiles =>
  order === "global"
    ? globalTiles(schema, box, version)
    : splitTiles(schema, box, order === "row" ? "row-major" : "col-major", version)
