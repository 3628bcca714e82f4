/**
 * Gathers cells of tiles, in any order, into columns: builds the result of dense reads from scattered cells of
 * fragments.
 */
import * as Effect from "effect/Effect"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import { runSteps } from "../../../platform/host/event_loop_turns.ts"
import { sizeOf, viewAs } from "../../../schema/array/datatype.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { ResultTooLarge } from "../../array/open/errors.ts"
import { type Field, fieldsOf } from "../../fragment/field.ts"
import type { FieldTile } from "../../fragment/field_tiles.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import { readCoordinates, readTiles, type ReadTilesError } from "../../fragment/read/read_tiles.ts"
import { gatherFixed, gatherVar, type Units, unitsOf, type VarCells, varStarts } from "../../kernel/copy/gather.ts"
import { inParts, type Steps } from "../../kernel/steps.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import type { Column } from "./column.ts"
import { attemptAllocationSteps } from "../options/read_error.ts"
import { MAX_VALUE_BYTES } from "../../tile/var_cells.ts"

/** A tile of a fragment, by number. */
export interface TileRef {
  readonly fragment: number
  readonly tile: number
}

/**
 * Selected cells: cell i is cell `positions[i]` of `tiles[tileOf[i]]`, or a fill value if `tileOf[i]` is not the index
 * of a tile.
 */
export interface Cells {
  readonly tiles: ReadonlyArray<TileRef>
  readonly tileOf: Uint32Array
  readonly positions: Uint32Array
}

/** Returns the field as the fragment stores it; `undefined` if the fragment has no compatible field. */
export const fieldOfFragment = (fragment: Fragment, field: Field): Field | undefined => {
  const { kind } = field.file
  if (kind === "timestamps") return fragment.hasTimestamps ? fieldsOf(fragment.schema).timestamps : undefined
  if (kind === "deleteTimes") return fragment.hasDeleteMetadata ? fieldsOf(fragment.schema).deleteTimes : undefined
  const storedField = fieldsOf(fragment.schema).byName.get(field.name)
  // an attribute that was dropped and added again with another cell type is not the same attribute
  return storedField !== undefined && storedField.var === field.var && storedField.cellSize === field.cellSize &&
      storedField.type === field.type
    ? storedField
    : undefined
}

/** Gathers one column per field. */
export const gatherColumns = (
  access: TileAccess,
  array: OpenedArray,
  fields: ReadonlyArray<Field>,
  cells: Cells,
): Effect.Effect<ReadonlyArray<Column>, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.forEach(fields, (field) =>
    Effect.gen(function* () {
      const tiles = yield* readFieldTiles(access, array, field, cells)
      const bytes = field.var
        ? yield* runSteps(() => varBytes(field, tiles, cells))
        : cells.tileOf.length * field.cellSize
      if (field.var && bytes > MAX_VALUE_BYTES) {
        return yield* Effect.fail(new ResultTooLarge({ uri: array.uri, needed: bytes, limit: MAX_VALUE_BYTES }))
      }
      return yield* attemptAllocationSteps(array.uri, bytes, () => assemble(field, tiles, cells, bytes))
    }))

/** Reads the tiles of a field that contain the cells. The result has the indices of `cells.tiles`. */
const readFieldTiles = (
  access: TileAccess,
  array: OpenedArray,
  field: Field,
  cells: Pick<Cells, "tiles" | "tileOf">,
): Effect.Effect<ReadonlyArray<FieldTile | undefined>, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const used = new Uint8Array(cells.tiles.length + 1)
    const { tileOf } = cells
    yield* runSteps(() =>
      inParts(tileOf.length, (from, to) => {
        for (let i = from; i < to; i++) used[tileOf[i]] = 1
      })
    )
    const byFragment = new Map<number, Array<number>>()
    cells.tiles.forEach(({ fragment }, i) => {
      if (used[i] === 0) return
      const list = byFragment.get(fragment)
      if (list === undefined) byFragment.set(fragment, [i])
      else list.push(i)
    })
    const out = new Array<FieldTile | undefined>(cells.tiles.length).fill(undefined)
    const storage = yield* Storage
    yield* Effect.forEach(byFragment, ([f, list]) =>
      Effect.gen(function* () {
        const fragment = array.fragments[f]
        const storedField = fieldOfFragment(fragment, field)
        if (storedField === undefined) return
        list.sort((a, b) => cells.tiles[a].tile - cells.tiles[b].tile)
        const numbers = list.map((i) => cells.tiles[i].tile)
        const read = storedField.file.kind === "dimension"
          ? (yield* readCoordinates(access, fragment, [storedField], numbers))[0]
          : yield* readTiles(access, fragment, storedField, numbers)
        list.forEach((i, k) => out[i] = read[k])
      }), { concurrency: Math.max(4, inFlight(storage, array.uri, 16)), discard: true })
    return out
  })

function* varBytes(
  field: Field,
  tiles: ReadonlyArray<FieldTile | undefined>,
  { tileOf, positions }: Pick<Cells, "tileOf" | "positions">,
): Steps<number> {
  let sum = 0
  yield* inParts(tileOf.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const offsets = tiles[tileOf[i]]?.offsets
      sum += offsets === undefined ? field.fillValue.byteLength : offsets[positions[i] + 1] - offsets[positions[i]]
    }
  })
  return sum
}

const varCells = (tiles: ReadonlyArray<FieldTile | undefined>): ReadonlyArray<VarCells | undefined> =>
  tiles.map((t) => t === undefined ? undefined : { bytes: t.values, offsets: t.offsets! })

/** Builds the column of the selected cells from their tiles; its values take `size` bytes. */
function* assemble(
  field: Field,
  tiles: ReadonlyArray<FieldTile | undefined>,
  cells: Pick<Cells, "tileOf" | "positions">,
  size: number,
): Steps<Column> {
  const { tileOf, positions } = cells
  const n = tileOf.length
  const base = { name: field.name, type: field.type, length: n, enumeration: field.enumeration }
  const validity = field.nullable ? yield* gatherValidity(field, tiles, cells) : undefined
  if (!field.var) {
    const bytes = new Uint8Array(size)
    if (tiles.includes(undefined) || hasNone(tileOf, tiles.length)) fillCells(bytes, field.fillValue)
    yield* gatherFixed(
      unitsOf(bytes, field.cellSize),
      tiles.map((t): Units | undefined => t === undefined ? undefined : unitsOf(t.values, field.cellSize)),
      tileOf,
      positions,
    )
    return { ...base, cellValNum: field.cellValNum, values: viewAs(field.type, bytes), validity }
  }
  const sources = varCells(tiles)
  const starts = yield* varStarts(sources, tileOf, positions, field.fillValue.byteLength)
  const bytes = new Uint8Array(size)
  yield* gatherVar(bytes, starts, sources, tileOf, positions, field.fillValue)
  const unit = sizeOf(field.type)
  if (unit > 1) {
    yield* inParts(n + 1, (from, to) => {
      for (let i = from; i < to; i++) starts[i] /= unit
    })
  }
  return { ...base, cellValNum: "var", values: viewAs(field.type, bytes), offsets: starts, validity }
}

function* gatherValidity(
  field: Field,
  tiles: ReadonlyArray<FieldTile | undefined>,
  cells: Pick<Cells, "tileOf" | "positions">,
): Steps<Uint8Array> {
  const out = new Uint8Array(cells.tileOf.length)
  const { tileOf, positions } = cells
  const fill = field.fillIsNull ? 0 : 1
  yield* inParts(out.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const tile = tiles[tileOf[i]]
      // nulls are impossible in fragments written before the attribute became nullable
      out[i] = tile === undefined ? fill : tile.validity === undefined ? 1 : tile.validity[positions[i]] === 0 ? 0 : 1
    }
  })
  return out
}

const hasNone = (tileOf: Uint32Array, count: number): boolean => {
  for (let i = 0; i < tileOf.length; i++) if (tileOf[i] >= count) return true
  return false
}

/** Maximum size of the block that is copied repeatedly: such a block stays in the L1 cache. */
const MAX_BLOCK_SIZE = 1 << 14

/** Fills `out` with copies of one cell. */
export const fillCells = (out: Uint8Array, cell: Uint8Array): void => {
  if (out.byteLength === 0 || cell.byteLength === 0) return
  out.set(cell.subarray(0, Math.min(cell.byteLength, out.byteLength)))
  let piece = cell.byteLength
  for (let done = piece; done < out.byteLength; done += piece) {
    if (done > piece && piece < MAX_BLOCK_SIZE) piece = done
    out.copyWithin(done, 0, Math.min(piece, out.byteLength - done))
  }
}
