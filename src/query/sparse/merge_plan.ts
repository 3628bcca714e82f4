/**
 * Plans a merge of sparse fragments: the order in which their tiles are read, once each, and for each step a coordinate
 * that no later cell precedes. The plan needs the MBRs only: in row-major and column-major orders, no cell of a tile
 * precedes the low corner of its MBR.
 */
import * as Effect from "effect/Effect"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import type { MbrLevel } from "../../../schema/fragment/rtree.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { hasCurrentOrder } from "../../fragment/cell_order.ts"
import { type Field, fieldsOf } from "../../fragment/field.ts"
import { loadMbrs } from "../../fragment/mbrs.ts"
import type { ReadTilesError } from "../../fragment/read/read_tiles.ts"
import { compareCells, sortCells } from "../../kernel/sort/sort_cells.ts"
import type { KeyWords } from "../../kernel/sort/order_key.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import type { TileRef } from "../column/gather.ts"
import type { Column } from "../column/column.ts"
import { columnPart, joinColumns } from "../column/slice.ts"
import { orderWords } from "./result/sort_keys.ts"
import type { SparsePlan } from "./plan.ts"
import { tileSizes } from "./tile_sizes.ts"

/** A step of a merge: reads tiles, and then produces all cells that precede a coordinate. */
export interface MergeStep {
  /** Tiles by fragment and number. */
  readonly tiles: ReadonlyArray<TileRef>
  /** A coordinate by dimension, one cell each, that precedes or equals all cells of later steps; `undefined` at the end. */
  readonly bound: ReadonlyArray<Column> | undefined
}

/** Returns the corners of all MBRs as coordinates by dimension: low and high corner of the first tile, and so on. */
const cornersOf = ({ dimensions }: OpenedArray["schema"], levels: ReadonlyArray<MbrLevel>): ReadonlyArray<Column> =>
  dimensions.map(({ name, type, cellValNum }, d) =>
    joinColumns(levels.map((level): Column => {
      const column = level.dimensions[d]
      const length = 2 * level.count
      return column.kind === "fixed"
        ? { name, type, cellValNum, length, values: column.values }
        : { name, type, cellValNum: VAR, length, values: column.bytes, offsets: column.offsets }
    }))
  )

/** Returns for each tile the corner that all of its cells and those of later tiles of its fragment follow. */
const boundsOf = (words: KeyWords, levels: ReadonlyArray<MbrLevel>): Uint32Array => {
  const bounds = new Uint32Array(levels.reduce((sum, { count }) => sum + count, 0))
  let tile = 0
  for (const { count } of levels) {
    for (let t = 0; t < count; t++, tile++) {
      const before = t === 0 ? 2 * tile : bounds[tile - 1]
      bounds[tile] = compareCells(words, before, 2 * tile) > 0 ? before : 2 * tile
    }
  }
  return bounds
}

/**
 * Plans to read `fields` of all fragments. A step reads tiles of up to `stepSize` bytes, but at least one. Returns
 * `undefined` if the tiles in memory may take more than `maxSize` bytes, or if MBRs do not bound the order of the cells.
 */
export const planMerge = (
  access: TileAccess,
  array: OpenedArray,
  fields: ReadonlyArray<Field>,
  stepSize: number,
  maxSize: number,
): Effect.Effect<ReadonlyArray<MergeStep> | undefined, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const { schema, fragments, uri } = array
    if (schema.cellOrder === "hilbert" || fragments.some(({ version }) => !hasCurrentOrder(schema, version))) {
      return undefined
    }
    const plan: SparsePlan = fragments.flatMap(({ tileCount }, fragment) =>
      tileCount === 0
        ? []
        : [{ fragment, tiles: Array.from({ length: tileCount }, (_, tile) => ({ tile, whole: true })) }]
    )
    if (plan.length === 0) return []
    const levels = yield* Effect.forEach(plan, ({ fragment }) => loadMbrs(access, fragments[fragment]), {
      concurrency: inFlight(yield* Storage, uri, 16),
    })
    const request = {
      fields: [...new Set([...fieldsOf(schema).dimensions, ...fields])],
      selection: [],
      where: undefined,
    }
    const { sizes } = yield* tileSizes(access, array, request, plan, new Map(), false)
    const tiles = plan.flatMap(({ fragment, tiles }) => tiles.map(({ tile }): TileRef => ({ fragment, tile })))
    const bytes = sizes.flatMap((values) => [...values])
    const corners = cornersOf(schema, levels)
    const words = orderWords(schema, "global", corners)
    const bounds = boundsOf(words, levels)
    const order = sortCells(words.map((word) => Uint32Array.from(bounds, (corner) => word[corner])), tiles.length)

    const steps: Array<MergeStep> = []
    // tiles of the steps that may contain cells after the bound of the last step
    let remaining: ReadonlyArray<ReadonlyArray<number>> = []
    for (let at = 0; at < order.length;) {
      const added: Array<number> = []
      let sum = 0
      while (at < order.length && (added.length === 0 || sum + bytes[order[at]] <= stepSize)) {
        sum += bytes[order[at]]
        added.push(order[at++])
      }
      remaining = [...remaining, added]
      if (remaining.flat().reduce((total, tile) => total + bytes[tile], 0) > maxSize) return undefined
      const bound = at < order.length ? bounds[order[at]] : undefined
      steps.push({
        tiles: [...added].sort((a, b) => a - b).map((tile) => tiles[tile]),
        bound: bound === undefined ? undefined : corners.map((column) => columnPart(column, bound, bound + 1)),
      })
      if (bound === undefined) break
      const mayRemain = (tile: number): boolean => compareCells(words, 2 * tile + 1, bound) >= 0
      remaining = remaining.filter((step) => step.some(mayRemain))
    }
    return steps
  })
