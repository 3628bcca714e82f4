/**
 * Reads the tiles that contain selected cells, field by field.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../../../platform/storage/service.ts"
import type { OpenedArray } from "../../../array/open/open.ts"
import type { Field } from "../../../fragment/field.ts"
import type { FieldTile } from "../../../fragment/field_tiles.ts"
import type { Fragment } from "../../../fragment/fragment.ts"
import { type ChosenTiles, readValidity } from "../../../fragment/read/read_into.ts"
import { readCoordinates, readTiles, type ReadTilesError } from "../../../fragment/read/read_tiles.ts"
import type { TileAccess } from "../../../tile/generic_tile.ts"
import type { FragmentCells, ResultCells } from "./result_cells.ts"
import { fieldOfFragment } from "../../column/gather.ts"

/** Returns the coordinates that matching read, for the selected cells of each tile. */
export const knownTiles = (field: Field, found: ResultCells): ReadonlyArray<FieldTile | undefined> | undefined =>
  field.file.kind === "dimension" ? found.coordinates[field.file.index] : undefined

/** Returns the positions of the selected cells in the tiles of {@link fieldTiles}. */
export const positionsIn = (field: Field, found: ResultCells): ResultCells["positions"] => {
  const known = knownTiles(field, found)
  return known === undefined ? found.positions : found.positions.map((p, t) => known[t] === undefined ? p : undefined)
}

/** Returns the tiles of a fragment group and the positions of their selected cells. */
export const chosenOf = (
  found: ResultCells,
  { from, to }: FragmentCells,
): ChosenTiles & { readonly tiles: ReadonlyArray<number> } => ({
  tiles: found.tiles.slice(from, to).map((t) => t.tile),
  positions: found.positions.slice(from, to),
})

/**
 * Reads tiles `from` to `to − 1` of a fragment group; coordinates read by matching contain the selected cells only.
 */
export const fieldTiles = (
  access: TileAccess,
  array: OpenedArray,
  field: Field,
  found: ResultCells,
  group: FragmentCells,
  from: number,
  to: number,
): Effect.Effect<ReadonlyArray<FieldTile | undefined>, ReadTilesError, Storage> => {
  const known = knownTiles(field, found)?.slice(group.from + from, group.from + to)
  if (known?.[0] !== undefined) return Effect.succeed(known)
  const fragment = array.fragments[group.fragment]
  const its = fieldOfFragment(fragment, field)
  const numbers = found.tiles.slice(group.from + from, group.from + to).map((t) => t.tile)
  if (its === undefined) return Effect.succeed(numbers.map(() => undefined))
  return its.file.kind === "dimension"
    ? Effect.map(readCoordinates(access, fragment, [its], numbers), ([tiles]) => tiles)
    : readTiles(access, fragment, its, numbers)
}

/**
 * Writes the validity of `count` cells, 0 or 1, from the tile's data, which starts at cell `first`; fragments written
 * before the attribute became nullable have no nulls.
 */
export const copyValidity = (
  out: Uint8Array,
  at: number,
  validity: Uint8Array | undefined,
  positions: Uint32Array | undefined,
  count: number,
  first = 0,
): void => {
  if (validity === undefined) out.fill(1, at, at + count)
  else if (positions === undefined) { for (let k = 0; k < count; k++) out[at + k] = validity[k] === 0 ? 0 : 1 }
  else for (let k = 0; k < count; k++) out[at + k] = validity[positions[k] - first] === 0 ? 0 : 1
}

/**
 * Reads the validity of a fragment's cells to its place in `validity`; `its` is the fragment's version of the field.
 */
export const validityInto = (
  access: TileAccess,
  fragment: Fragment,
  its: Field,
  found: ResultCells,
  group: FragmentCells,
  out: Uint8Array,
): Effect.Effect<void, ReadTilesError, Storage> => {
  const { from, to, first, length } = group
  if (!its.nullable) return Effect.sync(() => void out.fill(1, first, first + length))
  const starts = new Float64Array(to - from + 1).fill(first)
  for (let i = from; i < to; i++) starts[i - from + 1] = starts[i - from] + found.counts[i]
  const chosen = chosenOf(found, group)
  return readValidity(access, fragment, its, chosen, (i, bytes, before) => {
    copyValidity(out, starts[i], bytes, chosen.positions[i], found.counts[from + i], before)
  })
}
