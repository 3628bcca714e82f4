/**
 * The cells that a sparse read selects, in the order of the fragments. Cells of whole tiles are not listed one by one.
 */
import type { FieldTile } from "../../../fragment/field_tiles.ts"
import type { Cells, TileRef } from "../../column/gather.ts"
import { pickCells } from "../../column/take.ts"

/** Selected cells in the order of fragments, tiles and positions; numbered from 0. */
export interface ResultCells {
  readonly length: number
  /** Tiles that contain them; those of one fragment are adjacent and ascending. */
  readonly tiles: ReadonlyArray<TileRef>
  /** Number of selected cells of each tile. */
  readonly counts: Uint32Array
  /** Positions in the tile, ascending; `undefined` for all cells of the tile. */
  readonly positions: ReadonlyArray<Uint32Array | undefined>
  /** Coordinates of the selected cells by dimension and tile, where matching read them. */
  readonly coordinates: ReadonlyArray<ReadonlyArray<FieldTile | undefined> | undefined>
  /** Write times by tile and position; `undefined` for tiles whose cells have the time of their fragment. */
  readonly times: ReadonlyArray<Float64Array | undefined>
}

/** Tiles `from` to `to − 1`, all of one fragment; their cells start at number `first`. */
export interface FragmentCells {
  readonly fragment: number
  readonly from: number
  readonly to: number
  readonly first: number
  readonly length: number
}

/** Groups the cells by fragment. */
export const byFragment = ({ tiles, counts }: Pick<ResultCells, "tiles" | "counts">): ReadonlyArray<FragmentCells> => {
  const out: Array<FragmentCells> = []
  let first = 0
  for (let from = 0; from < tiles.length;) {
    const { fragment } = tiles[from]
    let to = from
    let length = 0
    while (to < tiles.length && tiles[to].fragment === fragment) length += counts[to++]
    out.push({ fragment, from, to, first, length })
    from = to
    first += length
  }
  return out
}

/** Returns the cells for which the mask is 1, renumbered. */
export const restrict = (cells: ResultCells, mask: Uint8Array): ResultCells => {
  const numbers: Array<number> = []
  // retained cells of each tile, as indices into the selected cells of the tile
  const chosen: Array<Uint32Array | undefined> = []
  const counts: Array<number> = []
  const positions: Array<Uint32Array | undefined> = []
  let length = 0
  for (let t = 0, at = 0; t < cells.tiles.length; t++) {
    const end = at + cells.counts[t]
    let count = 0
    for (let i = at; i < end; i++) count += mask[i]
    if (count > 0) {
      let position = cells.positions[t]
      let kept: Uint32Array | undefined
      if (count < end - at) {
        kept = new Uint32Array(count)
        for (let i = at, k = 0; i < end; i++) if (mask[i] === 1) kept[k++] = i - at
        const all = position
        position = all === undefined ? kept : kept.map((k) => all[k])
      }
      numbers.push(t)
      chosen.push(kept)
      counts.push(count)
      positions.push(position)
      length += count
    }
    at = end
  }
  return {
    length,
    tiles: numbers.map((t) => cells.tiles[t]),
    counts: Uint32Array.from(counts),
    positions,
    coordinates: cells.coordinates.map((tiles) =>
      tiles && numbers.map((t, i) => {
        const tile = tiles[t]
        const kept = chosen[i]
        return tile && kept ? pickCells(tile, tile.values.byteLength / cells.counts[t], kept) : tile
      })
    ),
    times: numbers.map((t) => cells.times[t]),
  }
}

/** Lists the cells one by one. */
export const listCells = ({ length, tiles, counts, positions }: ResultCells): Cells => {
  const tileOf = new Uint32Array(length)
  const places = new Uint32Array(length)
  for (let t = 0, at = 0; t < tiles.length; at += counts[t++]) {
    tileOf.fill(t, at, at + counts[t])
    const position = positions[t]
    if (position !== undefined) places.set(position, at)
    else for (let k = 0; k < counts[t]; k++) places[at + k] = k
  }
  return { tiles, tileOf, positions: places }
}

/**
 * Returns a number for each cell: the value at its position in the tile's own list, or `ofTile` if the tile has no
 * list.
 */
export const spreadOver = (
  { length, tiles, counts, positions }: ResultCells,
  ofTile: (tile: number) => number,
  own: (tile: number) => Float64Array | undefined,
): Float64Array => {
  const out = new Float64Array(length)
  for (let t = 0, at = 0; t < tiles.length; at += counts[t++]) {
    const list = own(t)
    if (list === undefined) {
      out.fill(ofTile(t), at, at + counts[t])
      continue
    }
    const position = positions[t]
    for (let k = 0; k < counts[t]; k++) out[at + k] = list[position === undefined ? k : position[k]]
  }
  return out
}
