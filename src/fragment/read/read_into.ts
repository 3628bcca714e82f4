/**
 * Reads fixed-size cells directly into the result column, without a copy of whole tiles.
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { dataFile } from "../../../schema/name/data_file.ts"
import { type TileContext, tileTable, unfilterChunk } from "../../filter/pipeline/pipeline.ts"
import { firstFrom } from "../../kernel/first_from.ts"
import { copyCells, unitsOf } from "../../kernel/copy/gather.ts"
import { copyInParts } from "../../kernel/steps.ts"
import { attemptTileSteps, type TileError } from "../../tile/attempt.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import type { Field } from "../field.ts"
import { loadFieldTiles, type TileFile } from "../field_tiles.ts"
import { cellsInTile, type Fragment } from "../fragment.ts"
import { tileContext } from "../tile_context.ts"
import { readPresent } from "../missing_file.ts"
import { tileBatch } from "./tile_batch.ts"
import { type CellSpans, readSpans, type TakeCells } from "./read_spans.ts"

type ReadIntoError = StorageError | TileError

/** Maximum size of a file whose bytes become the column, in bytes. */
const MAX_WHOLE_FILE_SIZE = 1 << 28

/**
 * Selected cells of tiles of one fragment: the cells at `positions[i]` of tile `tiles[i]`, or all if it is undefined.
 */
export interface ChosenTiles {
  /** The tile numbers, ascending. */
  readonly tiles: ArrayLike<number>
  readonly positions: ReadonlyArray<Uint32Array | undefined>
}

const endOf = (file: TileFile, tile: number): number =>
  tile + 1 < file.offsets.length ? file.offsets[tile + 1] : file.size

/**
 * Calls `take(at, bytes)` for the chunks of a tile of `size` unfiltered bytes; `at` is the start of the chunk in the
 * tile.
 */
const forChunks = (
  tile: Uint8Array,
  context: TileContext,
  size: number,
  take: (at: number, bytes: Uint8Array) => void,
): void => {
  const table = tileTable(tile, context, size)
  if (table.totalOriginal !== size) throw wrongSize(context, table.totalOriginal, size)
  for (let i = 0, at = 0; i < table.count; at += table.original[i++]) take(at, unfilterChunk(tile, table, i, context))
}

const wrongSize = (context: TileContext, index: number, size: number): FormatError => {
  const reason = `the tile has ${index} bytes instead of ${size}`
  return new FormatError({
    uri: context.uri,
    path: "tile",
    offset: context.offset,
    version: context.version,
    detail: reason,
  })
}

/** Returns the spans from the first to the last selected cell of each tile, with a filter for the selected ones. */
export const chosenSpans = (fragment: Fragment, { tiles, positions }: ChosenTiles): CellSpans => {
  const first = new Float64Array(tiles.length)
  const last = new Float64Array(tiles.length)
  for (let i = 0; i < tiles.length; i++) {
    const selected = positions[i]
    first[i] = selected === undefined ? 0 : selected[0]
    last[i] = selected === undefined ? cellsInTile(fragment, tiles[i]) - 1 : selected[selected.length - 1]
  }
  const needs = (i: number, from: number, end: number): boolean => {
    const selected = positions[i]
    return selected === undefined || selected[firstFrom(selected.length, (k) => selected[k] < from)] < end
  }
  return { tiles, first, last, needs }
}

/**
 * Reads selected cells of a fixed-size field that has a file of its own, to the start of `out`, which must be aligned
 * for the cells. Unfilters only chunks with selected cells.
 */
export const readInto = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
  chosen: ChosenTiles,
  out: Uint8Array,
): Effect.Effect<void, ReadIntoError, Storage> => {
  const { tiles, positions } = chosen
  const { cellSize } = field
  const target = unitsOf(out, cellSize)
  const to = new Float64Array(tiles.length + 1)
  for (let i = 0; i < tiles.length; i++) to[i + 1] = to[i] + (positions[i]?.length ?? cellsInTile(fragment, tiles[i]))
  return readSpans(access, fragment, field, "fixed", chosenSpans(fragment, chosen), (i, bytes, before) => {
    const selected = positions[i]
    if (selected === undefined) return copyInParts(out, bytes, to[i] * cellSize)
    copyCells(target, to[i], unitsOf(bytes, cellSize), selected, 0, selected.length, before)
  })
}

/** Reads the validity bytes of selected cells of a nullable field, and passes them to `take`. */
export const readValidity = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
  chosen: ChosenTiles,
  take: TakeCells,
): Effect.Effect<void, ReadIntoError, Storage> =>
  readSpans(access, fragment, field, "validity", chosenSpans(fragment, chosen), take)

/**
 * Reads all cells of unfiltered tiles that are adjacent in their file: the bytes that were read become the column,
 * without the headers of the chunks. Returns `undefined` for other tiles.
 */
export const readUnfiltered = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
  { tiles, positions }: ChosenTiles,
): Effect.Effect<Uint8Array | undefined, ReadIntoError, Storage> =>
  Effect.gen(function* () {
    if (field.filters.filters.length > 0 || access.key !== undefined || tiles.length === 0) return undefined
    if (positions.some((p) => p !== undefined)) return undefined
    const [{ fixed }] = yield* loadFieldTiles(access, fragment, [field])
    const offset = fixed.offsets[tiles[0]]
    const length = endOf(fixed, tiles[tiles.length - 1]) - offset
    if (length > MAX_WHOLE_FILE_SIZE || tiles[tiles.length - 1] - tiles[0] !== tiles.length - 1) return undefined
    const uri = `${fragment.uri}/${dataFile(fragment.version, field.file, "fixed")}`
    const contextOf = tileContext(access, fragment, field, uri, undefined)
    // the caller owns the buffer
    const storage = yield* Storage
    const [bytes] = yield* readPresent(uri, fragment, storage, storage.readRanges(uri, [{ offset, length }])).pipe(
      tileBatch(fragment, field, tiles.length),
    )
    return yield* attemptTileSteps(function* () {
      let at = 0
      for (let i = 0; i < tiles.length; i++) {
        const start = fixed.offsets[tiles[i]]
        const tile = bytes.subarray(start - offset, endOf(fixed, tiles[i]) - offset)
        const size = cellsInTile(fragment, tiles[i]) * field.cellSize
        forChunks(tile, contextOf(start), size, (_, chunk) => {
          const from = chunk.byteOffset - bytes.byteOffset
          bytes.copyWithin(at, from, from + chunk.byteLength)
          at += chunk.byteLength
        })
        yield
      }
      return bytes.subarray(0, at)
    })
  })
