/**
 * Reads var-sized cells directly into the result column, after their offsets, without a copy of whole tiles.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../../platform/storage/service.ts"
import { dataFile } from "../../../schema/name/data_file.ts"
import { isFolded } from "../../filter/pipeline/folded.ts"
import { firstFrom } from "../../kernel/first_from.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { tilePositions } from "../../tile/var_cells.ts"
import type { Field } from "../field.ts"
import { loadFieldTiles } from "../field_tiles.ts"
import { cellsInTile, type Fragment } from "../fragment.ts"
import { chosenSpans, type ChosenTiles } from "./read_into.ts"
import { readSpans } from "./read_spans.ts"
import type { ReadTilesError } from "./read_tiles.ts"

/**
 * Limits for allocating values before they are read: maximum size in bytes, and maximum ratio to the size in the file.
 */
const MAX_UNCHECKED_SIZE = 1 << 26
const MAX_PLAUSIBLE_RATIO = 64

/**
 * Returns whether the values of tiles can be read after their offsets, into memory of the size that the offsets
 * determine.
 */
export const readsApart = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
  tiles: ReadonlyArray<number>,
): Effect.Effect<boolean, ReadTilesError, Storage> =>
  Effect.map(loadFieldTiles(access, fragment, [field]), ([where]) => {
    if (isFolded(field.filters, field.type, field.var, fragment.version)) return false
    const { offsets, size } = where.var!
    let values = 0
    let persisted = 0
    for (const tile of tiles) {
      values += where.varSizes![tile]
      persisted += (tile + 1 < offsets.length ? offsets[tile + 1] : size) - offsets[tile]
    }
    return values <= Math.max(MAX_UNCHECKED_SIZE, MAX_PLAUSIBLE_RATIO * persisted)
  })

/** Reads the positions of the cells of tiles among the values: `cells + 1` positions per tile, in bytes. */
export const readOffsets = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
  tiles: ReadonlyArray<number>,
): Effect.Effect<ReadonlyArray<Uint32Array>, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const [{ varSizes }] = yield* loadFieldTiles(access, fragment, [field])
    const uri = `${fragment.uri}/${dataFile(fragment.version, field.file, "fixed")}`
    const allCells = { tiles, positions: tiles.map(() => undefined) }
    const out: Array<Uint32Array> = []
    yield* readSpans(access, fragment, field, "offsets", chosenSpans(fragment, allCells), (i, bytes) => {
      const cells = cellsInTile(fragment, tiles[i])
      out[i] = tilePositions(bytes, cells, varSizes![tiles[i]], field.cellSize, uri, fragment.version)
    })
    return out
  })

/**
 * Reads the values of selected cells, with the offsets of {@link readOffsets}: `take` receives the values of tile
 * number `i` from byte `first` of the tile on, at least the selected ones. Tiles whose selected cells are all empty are
 * skipped.
 */
export const readValues = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
  { tiles, positions }: ChosenTiles,
  offsets: ReadonlyArray<Uint32Array>,
  take: (i: number, bytes: Uint8Array, first: number) => void,
): Effect.Effect<void, ReadTilesError, Storage> => {
  const unit = field.cellSize
  const numbers: Array<number> = []
  const first: Array<number> = []
  const last: Array<number> = []
  for (let i = 0; i < tiles.length; i++) {
    const selected = positions[i]
    const from = selected === undefined ? 0 : offsets[i][selected[0]]
    const end = offsets[i][selected === undefined ? offsets[i].length - 1 : selected[selected.length - 1] + 1]
    if (from === end) continue
    numbers.push(i)
    first.push(from / unit)
    last.push(end / unit - 1)
  }
  const needs = (k: number, from: number, end: number): boolean => {
    const selected = positions[numbers[k]]
    if (selected === undefined) return true
    const ends = offsets[numbers[k]]
    // the first selected cell that ends after `from`
    const cell = selected[firstFrom(selected.length, (p) => ends[selected[p] + 1] <= from * unit)]
    return cell !== undefined && ends[cell] < end * unit
  }
  const spans = { tiles: numbers.map((i) => tiles[i]), first, last, needs }
  return readSpans(access, fragment, field, "values", spans, (k, bytes, from) => take(numbers[k], bytes, from * unit))
}
