/**
 * Tiles that may contain selected cells. The selected cells of each tile are reduced dimension by dimension.
 */
import type { FieldTile } from "../../fragment/field_tiles.ts"
import type { Field } from "../../fragment/field.ts"
import { pickCells } from "../column/take.ts"

/** A tile that may contain selected cells. */
export interface Candidate {
  readonly tile: number
  /** Cells in the tile. */
  readonly cells: number
  /** True if all cells are selected. */
  readonly whole: boolean
  /** Positions of the remaining cells, ascending; `undefined` for all cells. */
  positions: Uint32Array | undefined
  /** Coordinates of the remaining cells by dimension; `undefined` if they were not read or not retained. */
  readonly coordinates: Array<FieldTile | undefined>
}

/** Number of remaining cells of a candidate. */
export const cellsLeft = ({ positions, cells }: Candidate): number => positions === undefined ? cells : positions.length

/** Reduces a candidate to the cells whose positions `filter` writes to `out`; `among` are the current positions. */
export type Narrow = (
  candidate: Candidate,
  filter: (among: Uint32Array | undefined, out: Uint32Array) => number,
) => void

/**
 * Returns a {@link Narrow} function that reuses its memory for each candidate. `dimensions` are the dimensions of the
 * coordinates.
 */
export const narrowing = (dimensions: ReadonlyArray<Field>): Narrow => {
  let buffer = new Uint32Array(0)
  return (candidate, filter) => {
    if (buffer.length < candidate.cells) buffer = new Uint32Array(candidate.cells)
    const { positions: before, coordinates } = candidate
    const count = filter(before, buffer)
    if (count === cellsLeft(candidate)) return
    const kept = candidate.positions = buffer.slice(0, count)
    let numbers: Uint32Array | undefined
    for (let d = 0; d < coordinates.length; d++) {
      const tile = coordinates[d]
      if (tile === undefined) continue
      numbers ??= before === undefined ? kept : numbersAmong(before, kept)
      coordinates[d] = pickCells(tile, dimensions[d].cellSize, numbers)
    }
  }
}

/** Returns the indices of the positions `kept` in the list `all`. */
const numbersAmong = (all: Uint32Array, kept: Uint32Array): Uint32Array => {
  const out = new Uint32Array(kept.length)
  for (let i = 0, k = 0; k < kept.length; i++) if (all[i] === kept[k]) out[k++] = i
  return out
}
