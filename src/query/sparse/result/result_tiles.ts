/**
 * The tiles that found cells lie in, field by field.
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

/** The coordinates that were read when the cells were found: of each tile those of the found cells. */
export const knownTiles = (field: Field, found: ResultCells): ReadonlyArray<FieldTile | undefined> | undefined =>
  field.file.kind === "dimension" ? found.coordinates[field.file.index] : undefined

/** Which cells of the tiles of {@link fieldTiles} the found ones are. */
export const positionsIn = (field: Field, found: ResultCells): ResultCells["positions"] => {
  const known = knownTiles(field, found)
  return known === undefined ? found.positions : found.positions.map((p, t) => known[t] === undefined ? p : undefined)
}

/** The tiles of a fragment's group, and which of their cells were found. */
export const chosenOf = (
  found: ResultCells,
  { from, to }: FragmentCells,
): ChosenTiles & { readonly tiles: ReadonlyArray<number> } => ({
  tiles: found.tiles.slice(from, to).map((t) => t.tile),
  positions: found.positions.slice(from, to),
})

/** The tiles number `from` to `to − 1` of a fragment's group; of coordinates that are known, the found cells alone. */
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
 * Writes ones and zeros of `count` cells, whose bytes are there from that of cell `first` of the tile on; a fragment from
 * before the attribute was nullable has no nulls.
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

/** Reads the validity of a fragment's found cells to its place in that of all, where the fragment has the field as `its`. */
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
