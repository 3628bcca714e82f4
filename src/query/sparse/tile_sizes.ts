/**
 * Computes the memory that the tiles of a sparse read require.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../../platform/storage/service.ts"
import type { MbrLevel } from "../../../schema/fragment/rtree.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { fieldsOf } from "../../fragment/field.ts"
import { loadFieldTiles } from "../../fragment/field_tiles.ts"
import { cellsInTile } from "../../fragment/fragment.ts"
import type { ReadTilesError } from "../../fragment/read/read_tiles.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { fieldOfFragment } from "../column/gather.ts"
import type { SparsePlan } from "./plan.ts"
import type { SparseReadRequest } from "./read.ts"
import { shareOf } from "./share.ts"

/** Bytes per sorted cell in addition to its fields: key words, number and time. */
const SORTED_CELL_SIZE = 32

/** Memory required to read a plan, in bytes. */
export interface PlanSize {
  /** Coordinates of all tiles. */
  readonly coordinates: number
  /** Largest tile of one field. */
  readonly largest: number
  readonly cells: number
  /** Estimated size of the selected cells of each tile, by fragment, according to the MBRs. */
  readonly sizes: ReadonlyArray<Float64Array>
}

/** Computes the memory that reading a plan requires. `sorts`: the cells are sorted or deduplicated. */
export const tileSizes = (
  access: TileAccess,
  array: OpenedArray,
  { fields, selection, where }: Pick<SparseReadRequest, "fields" | "selection" | "where">,
  plan: SparsePlan,
  mbrs: ReadonlyMap<number, MbrLevel>,
  sorts: boolean,
): Effect.Effect<PlanSize, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const { dimensions } = fieldsOf(array.schema)
    const requested = new Set([...(sorts ? dimensions : []), ...fields, ...(where?.fields ?? [])])
    const sizes: Array<Float64Array> = []
    let coordinates = 0
    let largest = 0
    let all = 0
    for (const { fragment: number, tiles } of plan) {
      const fragment = array.fragments[number]
      const level = mbrs.get(number)
      const cells = Float64Array.from(tiles, ({ tile }) => cellsInTile(fragment, tile))
      const out = new Float64Array(tiles.length)
      for (const field of requested) {
        const storedField = fieldOfFragment(fragment, field)
        const perCell = (field.var ? 8 : field.cellSize) + (field.nullable ? 1 : 0)
        const where = field.var && storedField !== undefined
          ? (yield* loadFieldTiles(access, fragment, [storedField]))[0]
          : undefined
        for (let i = 0; i < tiles.length; i++) {
          const size = cells[i] * perCell + (where === undefined ? 0 : where.varSizes![tiles[i].tile])
          // a column is in memory twice while it is sorted
          out[i] += sorts ? 2 * size : size
          if (field.file.kind === "dimension") coordinates += size
          largest = Math.max(largest, size)
        }
      }
      for (let i = 0; i < tiles.length; i++) {
        all += cells[i]
        if (sorts) out[i] += SORTED_CELL_SIZE * cells[i]
        if (!tiles[i].whole && level !== undefined) out[i] *= shareOf(selection, level, tiles[i].tile)
      }
      sizes.push(out)
    }
    return { coordinates, largest, cells: all, sizes }
  })
