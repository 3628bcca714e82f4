/**
 * Columns of found cells, in the order in which they were found.
 */
import * as Effect from "effect/Effect"
import { inFlight, Storage } from "../../platform/storage.ts"
import { sizeOf, viewAs } from "../../schema/datatype.ts"
import { Since } from "../../schema/version.ts"
import type { OpenedArray } from "../array/open.ts"
import { ResultTooLarge } from "../array/errors.ts"
import type { Field } from "../fragment/field.ts"
import type { FieldTile } from "../fragment/field_tiles.ts"
import { cellsInTile } from "../fragment/fragment.ts"
import { readInto, readUnfiltered } from "../fragment/read_into.ts"
import { readCoordinates, readTiles, type ReadTilesError } from "../fragment/read_tiles.ts"
import { copyCells, unitsOf } from "../kernel/gather.ts"
import { appendStarts, appendVar } from "../kernel/append_var.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import type { Column } from "./column.ts"
import { byFragment, type FoundCells, type FragmentCells } from "./found_cells.ts"
import { fieldIn, fillCells } from "./gather.ts"
import { attemptAllocation } from "./read_error.ts"

/** Unfiltered bytes of tiles that are held at once beside a column of fixed-size cells. */
const BATCH = 1 << 26

/** Sizes of columns up to this one are believed. */
const BELIEVED = 1 << 26

/** The column of a field. */
export const foundColumn = (
  access: TileAccess,
  array: OpenedArray,
  field: Field,
  found: FoundCells,
): Effect.Effect<Column, ReadTilesError | ResultTooLarge, Storage> =>
  field.var
    ? varColumn(access, array, field, found)
    : Effect.map(fixedCells(access, array, field, found), ({ bytes, validity }): Column => ({
      name: field.name,
      type: field.type,
      cellValNum: field.cellValNum,
      length: found.length,
      values: viewAs(field.type, bytes),
      validity,
      enumeration: field.enumeration,
    }))

interface FixedCells {
  readonly bytes: Uint8Array
  readonly validity: Uint8Array | undefined
}

const fixedCells = (
  access: TileAccess,
  array: OpenedArray,
  field: Field,
  found: FoundCells,
): Effect.Effect<FixedCells, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.gen(function* () {
    const groups = byFragment(found)
    const size = found.length * field.cellSize
    const known = knownTiles(field, found)
    const direct = (group: FragmentCells): boolean =>
      !field.nullable && known?.[group.from] === undefined && hasOwnFile(array, field, group)
    if (groups.length === 1 && direct(groups[0])) {
      const fragment = array.fragments[groups[0].fragment]
      const bytes = yield* readUnfiltered(access, fragment, fieldIn(fragment, field)!, chosenOf(found, groups[0]))
      if (bytes !== undefined) return { bytes, validity: undefined }
    }
    if (size > BELIEVED && groups.length > 0) yield* fieldTiles(access, array, field, found, groups[0], 0, 1)
    const needed = size + (field.nullable ? found.length : 0)
    const out = yield* attemptAllocation(array.uri, needed, () => ({
      bytes: new Uint8Array(size),
      validity: field.nullable ? new Uint8Array(found.length) : undefined,
    }))
    for (const group of groups) {
      const fragment = array.fragments[group.fragment]
      const its = fieldIn(fragment, field)
      const end = group.first + group.length
      const bytes = out.bytes.subarray(group.first * field.cellSize, end * field.cellSize)
      if (its === undefined) {
        fillCells(bytes, field.fillValue)
        out.validity?.fill(field.fillIsNull ? 0 : 1, group.first, end)
      } else if (direct(group)) yield* readInto(access, fragment, its, chosenOf(found, group), bytes)
      else yield* copyTiles(access, array, field, found, group, { bytes, validity: out.validity })
    }
    return out
  })

/** The coordinates that were read when the cells were found: of each tile those of the found cells. */
const knownTiles = (field: Field, found: FoundCells): ReadonlyArray<FieldTile | undefined> | undefined =>
  field.file.kind === "dimension" ? found.coordinates[field.file.index] : undefined

/** Which cells of the tiles of {@link fieldTiles} the found ones are. */
const positionsIn = (field: Field, found: FoundCells): FoundCells["positions"] => {
  const known = knownTiles(field, found)
  return known === undefined ? found.positions : found.positions.map((p, t) => known[t] === undefined ? p : undefined)
}

/** Until format 4 dimensions share a file. */
const hasOwnFile = (array: OpenedArray, field: Field, group: FragmentCells): boolean => {
  const fragment = array.fragments[group.fragment]
  const its = fieldIn(fragment, field)
  return its !== undefined && !its.nullable &&
    (its.file.kind !== "dimension" || fragment.version >= Since.splitDimensions)
}

const chosenOf = (found: FoundCells, { from, to }: FragmentCells) => ({
  tiles: found.tiles.slice(from, to).map((t) => t.tile),
  positions: found.positions.slice(from, to),
})

/** The tiles number `from` to `to − 1` of a fragment's group; of coordinates that are known, the found cells alone. */
const fieldTiles = (
  access: TileAccess,
  array: OpenedArray,
  field: Field,
  found: FoundCells,
  group: FragmentCells,
  from: number,
  to: number,
): Effect.Effect<ReadonlyArray<FieldTile | undefined>, ReadTilesError, Storage> => {
  const known = knownTiles(field, found)?.slice(group.from + from, group.from + to)
  if (known?.[0] !== undefined) return Effect.succeed(known)
  const fragment = array.fragments[group.fragment]
  const its = fieldIn(fragment, field)
  const numbers = found.tiles.slice(group.from + from, group.from + to).map((t) => t.tile)
  if (its === undefined) return Effect.succeed(numbers.map(() => undefined))
  return its.file.kind === "dimension"
    ? Effect.map(readCoordinates(access, fragment, [its], numbers), ([tiles]) => tiles)
    : readTiles(access, fragment, its, numbers)
}

/** Copies the cells of one fragment to `bytes`, where they are the only ones, and to their place in `validity`. */
const copyTiles = (
  access: TileAccess,
  array: OpenedArray,
  field: Field,
  found: FoundCells,
  group: FragmentCells,
  { bytes, validity }: FixedCells,
): Effect.Effect<void, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const fragment = array.fragments[group.fragment]
    const count = group.to - group.from
    // misaligned tiles of old fragments are put right all at once
    const perBatch = fragment.version === 7 && field.nullable
      ? count
      : Math.max(1, Math.floor(BATCH / (cellsInTile(fragment, 0) * field.cellSize)))
    const out = unitsOf(bytes, field.cellSize)
    const allPositions = positionsIn(field, found)
    let at = 0
    for (let from = 0; from < count; from += perBatch) {
      const tiles = yield* fieldTiles(access, array, field, found, group, from, Math.min(count, from + perBatch))
      tiles.forEach((tile, i) => {
        const t = group.from + from + i
        const positions = allPositions[t]
        if (positions === undefined) bytes.set(tile!.values, at * field.cellSize)
        else copyCells(out, at, unitsOf(tile!.values, field.cellSize), positions)
        if (validity !== undefined) copyValidity(validity, group.first + at, tile!, positions, found.counts[t])
        at += found.counts[t]
      })
    }
  })

/** Writes ones and zeros; a fragment from before the attribute was nullable has no nulls. */
const copyValidity = (
  out: Uint8Array,
  at: number,
  { validity }: FieldTile,
  positions: Uint32Array | undefined,
  count: number,
): void => {
  if (validity === undefined) out.fill(1, at, at + count)
  else for (let k = 0; k < count; k++) out[at + k] = validity[positions === undefined ? k : positions[k]] === 0 ? 0 : 1
}

/** The most bytes that the offsets of a column reach. */
const MOST = 0xffffffff

const varColumn = (
  access: TileAccess,
  array: OpenedArray,
  field: Field,
  found: FoundCells,
): Effect.Effect<Column, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.gen(function* () {
    const { length, counts } = found
    const positions = positionsIn(field, found)
    const groups = byFragment(found)
    const tiles = (yield* Effect.forEach(
      groups,
      (group) => fieldTiles(access, array, field, found, group, 0, group.to - group.from),
      { concurrency: inFlight(yield* Storage, array.uri, 4) },
    )).flat()
    const { fillValue } = field
    const starts = yield* attemptAllocation(array.uri, 4 * (length + 1), () => new Uint32Array(length + 1))
    let total = 0
    for (let t = 0, at = 0; t < tiles.length; at += counts[t++]) {
      const tile = tiles[t]
      total = tile === undefined
        ? appendFill(starts, at, counts[t], total, fillValue.byteLength)
        : appendStarts(starts, at, total, tile.offsets!, positions[t])
      if (total > MOST) {
        const reason = `the values of ${JSON.stringify(field.name)} take more than 4 GiB; read them in parts`
        return yield* Effect.fail(new ResultTooLarge({ uri: array.uri, needed: total, limit: MOST, reason }))
      }
    }
    const { bytes, validity } = yield* attemptAllocation(array.uri, total + length, () => ({
      bytes: new Uint8Array(total),
      validity: field.nullable ? new Uint8Array(length) : undefined,
    }))
    for (let t = 0, at = 0; t < tiles.length; at += counts[t++]) {
      const tile = tiles[t]
      if (tile === undefined) {
        fillCells(bytes.subarray(starts[at], starts[at + counts[t]]), fillValue)
        validity?.fill(field.fillIsNull ? 0 : 1, at, at + counts[t])
      } else {
        appendVar(bytes, starts[at], tile.values, tile.offsets!, positions[t])
        if (validity !== undefined) copyValidity(validity, at, tile, positions[t], counts[t])
      }
    }
    const size = sizeOf(field.type)
    if (size > 1) { for (let i = 0; i <= length; i++) starts[i] /= size }
    return {
      name: field.name,
      type: field.type,
      cellValNum: "var",
      length,
      values: viewAs(field.type, bytes),
      offsets: starts,
      validity,
      enumeration: field.enumeration,
    }
  })

/** Starts of cells of `size` bytes each, after `total` bytes; answers the new total. */
const appendFill = (starts: Uint32Array, at: number, count: number, total: number, size: number): number => {
  for (let k = 1; k <= count; k++) starts[at + k] = total + k * size
  return total + count * size
}
