/**
 * Tiles of a sparse plan that no cell of fulfils the condition: left out by the statistics of attributes and the rectangles
 * of dimensions, before a tile is read.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../platform/storage.ts"
import { isText } from "../../schema/scalar.ts"
import type { OpenedArray } from "../array/open.ts"
import { cellsInTile, type Fragment } from "../fragment/fragment.ts"
import { loadTileBounds } from "../fragment/load_statistics.ts"
import { loadMbrs } from "../fragment/mbrs.ts"
import type { SectionError } from "../fragment/sections.ts"
import type { MbrColumn } from "../../schema/fragment/rtree.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import { fieldIn } from "./gather.ts"
import type { FragmentPlan, SparsePlan } from "./plan_tiles.ts"
import { type KnownCells, mayHold } from "./tile_verdict.ts"
import type { Where } from "../condition/where.ts"

/**
 * A plan without tiles that hold nothing that is wanted. Only for plans in which no cell hides another: else an older cell would
 * come back where the newer one was left out.
 */
export const pruneTiles = (
  access: TileAccess,
  array: OpenedArray,
  { predicate, fields }: Where,
  plan: SparsePlan,
): Effect.Effect<SparsePlan, SectionError, Storage> =>
  Effect.map(
    Effect.forEach(plan, ({ fragment: number, tiles }) =>
      Effect.gen(function* () {
        const fragment = array.fragments[number]
        const known = new Map<string, (tile: number) => KnownCells | undefined>()
        for (const field of fields) known.set(field.name, yield* knownOf(access, fragment, field))
        const kept = tiles.filter(({ tile }) => mayHold(predicate, (name) => known.get(name)!(tile)))
        return { fragment: number, tiles: kept } satisfies FragmentPlan
      })),
    (plans) => plans.filter(({ tiles }) => tiles.length > 0),
  )

/** What is known of the tiles of a fragment in one field. */
const knownOf = (
  access: TileAccess,
  fragment: Fragment,
  field: Where["fields"][number],
): Effect.Effect<(tile: number) => KnownCells | undefined, SectionError, Storage> =>
  Effect.gen(function* () {
    const nothing = () => undefined
    const { type } = field
    const text = field.var || isText(type)
    if (field.file.kind === "dimension") {
      const column = (yield* loadMbrs(access, fragment)).dimensions[field.file.index]
      return (tile: number) => ({
        type,
        text,
        bounds: rectangle(column, tile),
        nulls: 0,
        cells: cellsInTile(fragment, tile),
      })
    }
    const its = fieldIn(fragment, field)
    if (its === undefined) return nothing
    const bounds = yield* loadTileBounds(access, fragment, its)
    if (bounds === undefined) return nothing
    return (tile: number) => ({
      type,
      text,
      bounds: bounds.boundsOf(tile),
      nulls: bounds.nullsIn(tile),
      cells: cellsInTile(fragment, tile),
    })
  })

/** The bounds of a tile along a dimension. */
const rectangle = (column: MbrColumn, tile: number): { readonly low: Uint8Array; readonly high: Uint8Array } => {
  if (column.kind === "var") {
    const { bytes, offsets } = column
    return {
      low: bytes.subarray(offsets[2 * tile], offsets[2 * tile + 1]),
      high: bytes.subarray(offsets[2 * tile + 1], offsets[2 * tile + 2]),
    }
  }
  const { buffer, byteOffset, BYTES_PER_ELEMENT: size } = column.values
  return {
    low: new Uint8Array(buffer, byteOffset + 2 * tile * size, size),
    high: new Uint8Array(buffer, byteOffset + (2 * tile + 1) * size, size),
  }
}
