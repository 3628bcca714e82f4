/**
 * Reads columns of var-sized cells.
 */
import * as Effect from "effect/Effect"
import { inFlight, Storage } from "../../../../platform/storage/service.ts"
import { sizeOf, viewAs } from "../../../../schema/array/datatype.ts"
import type { OpenedArray } from "../../../array/open/open.ts"
import { ResultTooLarge } from "../../../array/open/errors.ts"
import type { Field } from "../../../fragment/field.ts"
import type { FieldTile } from "../../../fragment/field_tiles.ts"
import type { ReadTilesError } from "../../../fragment/read/read_tiles.ts"
import { readOffsets, readsApart, readValues } from "../../../fragment/read/read_var.ts"
import { appendStarts, appendVar } from "../../../kernel/copy/append_var.ts"
import type { TileAccess } from "../../../tile/generic_tile.ts"
import type { Column } from "../../column/column.ts"
import { byFragment, type FragmentCells, type ResultCells } from "./result_cells.ts"
import { chosenOf, copyValidity, fieldTiles, knownTiles, positionsIn, validityInto } from "./result_tiles.ts"
import { fieldOfFragment, fillCells } from "../../column/gather.ts"
import { attemptAllocation } from "../../options/read_error.ts"
import { MAX_VALUE_BYTES } from "../../../tile/var_cells.ts"

/** Reads the column of a var-sized field. */
export const varColumn = (
  access: TileAccess,
  array: OpenedArray,
  field: Field,
  cells: ResultCells,
): Effect.Effect<Column, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.gen(function* () {
    const { length, counts } = cells
    const positions = positionsIn(field, cells)
    const groups = byFragment(cells)
    const read = yield* Effect.forEach(groups, (group) => varTiles(access, array, field, cells, group), {
      concurrency: inFlight(yield* Storage, array.uri, 16),
    })
    const tiles = read.flatMap((group) => group.tiles)
    const { fillValue } = field
    const starts = yield* attemptAllocation(array.uri, 4 * (length + 1), () => new Uint32Array(length + 1))
    let total = 0
    for (let t = 0, at = 0; t < tiles.length; at += counts[t++]) {
      const tile = tiles[t]
      total = tile === undefined
        ? appendFill(starts, at, counts[t], total, fillValue.byteLength)
        : appendStarts(starts, at, total, tile.offsets!, positions[t])
      if (total > MAX_VALUE_BYTES) {
        const reason = `the values of ${JSON.stringify(field.name)} take more than 4 GiB; read them in parts`
        return yield* Effect.fail(
          new ResultTooLarge({ uri: array.uri, needed: total, limit: MAX_VALUE_BYTES, detail: reason }),
        )
      }
    }
    const { bytes, validity } = yield* attemptAllocation(array.uri, total + length, () => ({
      bytes: new Uint8Array(total),
      validity: field.nullable ? new Uint8Array(length) : undefined,
    }))
    const firstOf = new Float64Array(tiles.length + 1)
    for (let t = 0; t < tiles.length; t++) firstOf[t + 1] = firstOf[t] + counts[t]
    for (let g = 0; g < groups.length; g++) {
      const { fragment: number, from, to } = groups[g]
      if (!read[g].offsetsOnly) {
        for (let t = from; t < to; t++) {
          const at = firstOf[t]
          const tile = tiles[t]
          if (tile === undefined) {
            fillCells(bytes.subarray(starts[at], starts[at + counts[t]]), fillValue)
            validity?.fill(field.fillIsNull ? 0 : 1, at, at + counts[t])
          } else {
            appendVar(bytes, starts[at], tile.values, tile.offsets!, positions[t])
            if (validity !== undefined) copyValidity(validity, at, tile.validity, positions[t], counts[t])
          }
        }
        continue
      }
      const fragment = array.fragments[number]
      const storedField = fieldOfFragment(fragment, field)!
      const chosen = chosenOf(cells, groups[g])
      const offsets = read[g].tiles.map((tile) => tile!.offsets!)
      yield* readValues(access, fragment, storedField, chosen, offsets, (i, part, first) => {
        appendVar(bytes, starts[firstOf[from + i]], part, offsets[i], chosen.positions[i], first)
      })
      if (validity !== undefined) yield* validityInto(access, fragment, storedField, cells, groups[g], validity)
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

/** Tiles of var-sized cells of one fragment. With `offsetsOnly`, the values are read later. */
interface VarTiles {
  readonly tiles: ReadonlyArray<FieldTile | undefined>
  readonly offsetsOnly: boolean
}

/**
 * Reads the tiles of a fragment group. Reads only the offsets if two requests take no more time than one: the required
 * values are then read directly into the result.
 */
const varTiles = (
  access: TileAccess,
  array: OpenedArray,
  field: Field,
  cells: ResultCells,
  group: FragmentCells,
): Effect.Effect<VarTiles, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const fragment = array.fragments[group.fragment]
    const storedField = fieldOfFragment(fragment, field)
    const { tiles } = chosenOf(cells, group)
    const offsetsOnly = storedField !== undefined && knownTiles(field, cells)?.[group.from] === undefined &&
      inFlight(yield* Storage, fragment.uri, 2) === 1 && (yield* readsApart(access, fragment, storedField, tiles))
    if (!offsetsOnly) {
      return { tiles: yield* fieldTiles(access, array, field, cells, group, 0, group.to - group.from), offsetsOnly }
    }
    const offsets = yield* readOffsets(access, fragment, storedField, tiles)
    return { tiles: offsets.map((offsets) => ({ values: none, offsets, validity: undefined })), offsetsOnly }
  })

const none = new Uint8Array(0)

/** Appends the offsets of cells of `size` bytes each, after `total` bytes; returns the new total. */
const appendFill = (starts: Uint32Array, at: number, count: number, total: number, size: number): number => {
  for (let k = 1; k <= count; k++) starts[at + k] = total + k * size
  return total + count * size
}
