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

/**
 * Returns the coordinates of the selected cells that were read to match them, by tile; `undefined` for other fields.
 */
export const knownTiles = (field: Field, cells: ResultCells): ReadonlyArray<FieldTile | undefined> | undefined =>
  field.file.kind === "dimension" ? cells.coordinates[field.file.index] : undefined

/** Returns the positions of the selected cells in the tiles of {@link fieldTiles}. */
export const positionsIn = (field: Field, cells: ResultCells): ResultCells["positions"] => {
  const existing = knownTiles(field, cells)
  return existing === undefined
    ? cells.positions
    : cells.positions.map((p, t) => existing[t] === undefined ? p : undefined)
}

/** Returns the tiles of a fragment group and the positions of their selected cells. */
export const chosenOf = (
  cells: ResultCells,
  { from, to }: FragmentCells,
): ChosenTiles & { readonly tiles: ReadonlyArray<number> } => ({
  tiles: cells.tiles.slice(from, to).map((t) => t.tile),
  positions: cells.positions.slice(from, to),
})

/**
 * Reads tiles `from` to `to − 1` of a fragment group. Coordinates that were read to match cells contain the selected
 * cells only.
 */
export const fieldTiles = (
  access: TileAccess,
  array: OpenedArray,
  field: Field,
  cells: ResultCells,
  group: FragmentCells,
  from: number,
  to: number,
): Effect.Effect<ReadonlyArray<FieldTile | undefined>, ReadTilesError, Storage> => {
  const existing = knownTiles(field, cells)?.slice(group.from + from, group.from + to)
  if (existing?.[0] !== undefined) return Effect.succeed(existing)
  const fragment = array.fragments[group.fragment]
  const storedField = fieldOfFragment(fragment, field)
  const numbers = cells.tiles.slice(group.from + from, group.from + to).map((t) => t.tile)
  if (storedField === undefined) return Effect.succeed(numbers.map(() => undefined))
  return storedField.file.kind === "dimension"
    ? Effect.map(readCoordinates(access, fragment, [storedField], numbers), ([tiles]) => tiles)
    : readTiles(access, fragment, storedField, numbers)
}

/**
 * Writes the validity of `count` cells, 0 or 1, from the tile's data, which starts at cell `first`. All cells are valid
 * in fragments written before the attribute became nullable.
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
 * Reads the validity of a fragment's cells to their positions in `out`; `field` is the field as the fragment stores it.
 */
export const validityInto = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
  cells: ResultCells,
  group: FragmentCells,
  out: Uint8Array,
): Effect.Effect<void, ReadTilesError, Storage> => {
  const { from, to, first, length } = group
  if (!field.nullable) return Effect.sync(() => void out.fill(1, first, first + length))
  const starts = new Float64Array(to - from + 1).fill(first)
  for (let i = from; i < to; i++) starts[i - from + 1] = starts[i - from] + cells.counts[i]
  const chosen = chosenOf(cells, group)
  return readValidity(access, fragment, field, chosen, (i, bytes, before) => {
    copyValidity(out, starts[i], bytes, chosen.positions[i], cells.counts[from + i], before)
  })
}
