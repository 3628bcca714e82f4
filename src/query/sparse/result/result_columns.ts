/**
 * Reads columns of selected cells, in their order in {@link ResultCells}.
 */
import * as Effect from "effect/Effect"
import { inFlight, Storage } from "../../../../platform/storage/service.ts"
import { viewAs } from "../../../../schema/array/datatype.ts"
import { scalarBytes } from "../../../../schema/array/scalar.ts"
import { Since } from "../../../../schema/version/version.ts"
import type { OpenedArray } from "../../../array/open/open.ts"
import type { ResultTooLarge } from "../../../array/open/errors.ts"
import type { Field } from "../../../fragment/field.ts"
import { cellsInTile, type Fragment } from "../../../fragment/fragment.ts"
import { readInto, readUnfiltered } from "../../../fragment/read/read_into.ts"
import type { ReadTilesError } from "../../../fragment/read/read_tiles.ts"
import { needsRealignment } from "../../../fragment/read/realign_v7.ts"
import { copyCells, unitsOf } from "../../../kernel/copy/gather.ts"
import type { TileAccess } from "../../../tile/generic_tile.ts"
import type { Column } from "../../column/column.ts"
import { byFragment, type FragmentCells, type ResultCells } from "./result_cells.ts"
import { chosenOf, copyValidity, fieldTiles, knownTiles, positionsIn, validityInto } from "./result_tiles.ts"
import { varColumn } from "./result_var_columns.ts"
import { fieldOfFragment, fillCells } from "../../column/gather.ts"
import { attemptAllocation } from "../../options/read_error.ts"

/** Maximum unfiltered size of the tiles in memory while a column of fixed-size cells is built. */
const BATCH_SIZE = 1 << 26

/** Maximum size that is allocated without verifying it first. */
const MAX_UNCHECKED_SIZE = 1 << 26

/** Reads the column of a field. */
export const resultColumn = (
  access: TileAccess,
  array: OpenedArray,
  field: Field,
  cells: ResultCells,
): Effect.Effect<Column, ReadTilesError | ResultTooLarge, Storage> =>
  field.var
    ? varColumn(access, array, field, cells)
    : Effect.map(fixedCells(access, array, field, cells), ({ bytes, validity }): Column => ({
      name: field.name,
      type: field.type,
      cellValNum: field.cellValNum,
      length: cells.length,
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
  cells: ResultCells,
): Effect.Effect<FixedCells, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.gen(function* () {
    const groups = byFragment(cells)
    const size = cells.length * field.cellSize
    const existing = knownTiles(field, cells)
    const direct = (group: FragmentCells): boolean =>
      existing?.[group.from] === undefined && hasOwnFile(array, field, group)
    if (groups.length === 1 && !field.nullable && direct(groups[0])) {
      const fragment = array.fragments[groups[0].fragment]
      const bytes = yield* readUnfiltered(
        access,
        fragment,
        fieldOfFragment(fragment, field)!,
        chosenOf(cells, groups[0]),
      )
      if (bytes !== undefined) return { bytes, validity: undefined }
    }
    if (size > MAX_UNCHECKED_SIZE && groups.length > 0) yield* fieldTiles(access, array, field, cells, groups[0], 0, 1)
    const needed = size + (field.nullable ? cells.length : 0)
    const out = yield* attemptAllocation(array.uri, needed, () => ({
      bytes: new Uint8Array(size),
      validity: field.nullable ? new Uint8Array(cells.length) : undefined,
    }))
    const storage = yield* Storage
    const readGroup = (group: FragmentCells): Effect.Effect<void, ReadTilesError | ResultTooLarge, Storage> => {
      const fragment = array.fragments[group.fragment]
      const storedField = fieldOfFragment(fragment, field)
      const end = group.first + group.length
      const bytes = out.bytes.subarray(group.first * field.cellSize, end * field.cellSize)
      if (storedField === undefined) {
        fillCells(bytes, fillOf(fragment, field))
        out.validity?.fill(field.fillIsNull ? 0 : 1, group.first, end)
        return Effect.void
      }
      if (!direct(group)) return copyTiles(access, array, field, cells, group, { bytes, validity: out.validity })
      return Effect.asVoid(Effect.zip(
        readInto(access, fragment, storedField, chosenOf(cells, group), bytes),
        out.validity === undefined
          ? Effect.void
          : validityInto(access, fragment, storedField, cells, group, out.validity),
        { concurrent: inFlight(storage, fragment.uri, 2) > 1 },
      ))
    }
    yield* Effect.forEach(groups, readGroup, { concurrency: inFlight(storage, array.uri, 16), discard: true })
    return out
  })

/**
 * Returns the value of cells in a fragment without the field; for timestamps the fragment's start, as in the engine.
 */
const fillOf = ({ name }: Fragment, { file, fillValue }: Field): Uint8Array =>
  file.kind === "timestamps" ? scalarBytes("uint64", BigInt(name.start)) : fillValue

/**
 * Returns whether a field of a fragment can be read tile by tile. Up to format 4 the dimensions share a file;
 * misaligned tiles of format 7 are repaired together.
 */
const hasOwnFile = (array: OpenedArray, field: Field, group: FragmentCells): boolean => {
  const fragment = array.fragments[group.fragment]
  const storedField = fieldOfFragment(fragment, field)
  return storedField !== undefined && !needsRealignment(fragment, storedField) &&
    (storedField.file.kind !== "dimension" || fragment.version >= Since.splitDimensions)
}

/**
 * Copies the cells of one fragment to `bytes`, which contains no other cells, and their validity to its position in
 * `validity`.
 */
const copyTiles = (
  access: TileAccess,
  array: OpenedArray,
  field: Field,
  cells: ResultCells,
  group: FragmentCells,
  { bytes, validity }: FixedCells,
): Effect.Effect<void, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const fragment = array.fragments[group.fragment]
    const count = group.to - group.from
    // misaligned tiles of format 7 are repaired together
    const perBatch = fragment.version === 7 && field.nullable
      ? count
      : Math.max(1, Math.floor(BATCH_SIZE / (cellsInTile(fragment, 0) * field.cellSize)))
    const out = unitsOf(bytes, field.cellSize)
    const allPositions = positionsIn(field, cells)
    let at = 0
    for (let from = 0; from < count; from += perBatch) {
      const tiles = yield* fieldTiles(access, array, field, cells, group, from, Math.min(count, from + perBatch))
      tiles.forEach((tile, i) => {
        const t = group.from + from + i
        const positions = allPositions[t]
        if (positions === undefined) bytes.set(tile!.values, at * field.cellSize)
        else copyCells(out, at, unitsOf(tile!.values, field.cellSize), positions)
        if (validity !== undefined) copyValidity(validity, group.first + at, tile!.validity, positions, cells.counts[t])
        at += cells.counts[t]
      })
    }
  })
