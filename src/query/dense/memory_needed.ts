/**
 * The memory that a batch of a dense array may need.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../../platform/storage/service.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { denseCells } from "../../fragment/dense_tiles.ts"
import type { Field } from "../../fragment/field.ts"
import { loadFieldTiles } from "../../fragment/field_tiles.ts"
import type { ReadTilesError } from "../../fragment/read/read_tiles.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { fieldOfFragment } from "../column/gather.ts"
import { type DenseReadRequest, fixedBytes, readFields } from "./read.ts"

/** Returns the field with the largest tile of fixed-size cells, and the size of that tile. */
export const largestTile = (
  array: OpenedArray,
  request: DenseReadRequest,
): { readonly field: Field; readonly bytes: number } | undefined => {
  const cells = array.fragments.length === 0 ? 0 : denseCells(array.schema)
  let largest: { readonly field: Field; readonly bytes: number } | undefined
  for (const field of readFields(request)) {
    if (field.var || field.file.kind !== "attribute") continue
    const bytes = cells * (field.cellSize + (field.nullable ? 1 : 0))
    if (largest === undefined || bytes > largest.bytes) largest = { field, bytes }
  }
  return largest
}

/**
 * Returns a batch size, in bytes, that suffices for every batch: a tile of the largest field, or one cell together with
 * the largest var-sized tiles of all fragments, which are in memory while the cell is read.
 */
export const enoughBytes = (
  access: TileAccess,
  array: OpenedArray,
  request: DenseReadRequest,
): Effect.Effect<number, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    let bytes = fixedBytes(array, { ...request, ranges: request.ranges.map(() => [{ low: 0n, high: 0n }]) })
    for (const field of readFields(request)) {
      if (!field.var) continue
      bytes += field.fillValue.byteLength
      for (const fragment of array.fragments) {
        const storedField = fieldOfFragment(fragment, field)
        if (storedField === undefined || !fragment.dense) continue
        const [{ varSizes }] = yield* loadFieldTiles(access, fragment, [storedField])
        let max = 0
        for (let i = 0; i < varSizes!.length; i++) if (varSizes![i] > max) max = varSizes![i]
        bytes += max + 8 * fragment.tileCells
      }
    }
    return Math.max(bytes, largestTile(array, request)?.bytes ?? 0)
  })
