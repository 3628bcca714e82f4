/**
 * Var-sized cells read straight into the column that they become, once their offsets say where: no tile stands in memory
 * beside it.
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

/** Values up to this size, or this many times as large as their bytes in the file, are believed before they are seen. */
const BELIEVED = 1 << 26
const PLAUSIBLE_RATIO = 64

/** Whether the values of tiles can be read once their offsets are known, into memory that was taken for them. */
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
    return values <= Math.max(BELIEVED, PLAUSIBLE_RATIO * persisted)
  })

/** Where the cells of tiles lie among the values of their tile: of each `cells + 1` positions, in bytes. */
export const readOffsets = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
  tiles: ReadonlyArray<number>,
): Effect.Effect<ReadonlyArray<Uint32Array>, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const [{ varSizes }] = yield* loadFieldTiles(access, fragment, [field])
    const uri = `${fragment.uri}/${dataFile(fragment.version, field.file, "fixed")}`
    const whole = { tiles, positions: tiles.map(() => undefined) }
    const out: Array<Uint32Array> = []
    yield* readSpans(access, fragment, field, "offsets", chosenSpans(fragment, whole), (i, bytes) => {
      const cells = cellsInTile(fragment, tiles[i])
      out[i] = tilePositions(bytes, cells, varSizes![tiles[i]], field.cellSize, uri, fragment.version)
    })
    return out
  })

/**
 * Reads the values of chosen cells, whose offsets are those of {@link readOffsets}: `take` gets those of tile number `i` from
 * byte `first` of the tile on, as far as some are chosen. Tiles whose chosen cells are empty are left out.
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
    const its = positions[i]
    const from = its === undefined ? 0 : offsets[i][its[0]]
    const end = offsets[i][its === undefined ? offsets[i].length - 1 : its[its.length - 1] + 1]
    if (from === end) continue
    numbers.push(i)
    first.push(from / unit)
    last.push(end / unit - 1)
  }
  const needs = (k: number, from: number, end: number): boolean => {
    const its = positions[numbers[k]]
    if (its === undefined) return true
    const ends = offsets[numbers[k]]
    // the first chosen cell that ends behind `from`
    const cell = its[firstFrom(its.length, (p) => ends[its[p] + 1] <= from * unit)]
    return cell !== undefined && ends[cell] < end * unit
  }
  const spans = { tiles: numbers.map((i) => tiles[i]), first, last, needs }
  return readSpans(access, fragment, field, "values", spans, (k, bytes, from) => take(numbers[k], bytes, from * unit))
}
