/**
 * Tiles in which cells of a selection are looked for, dimension by dimension.
 */
import type { FieldTile } from "../../fragment/field_tiles.ts"
import type { Field } from "../../fragment/field.ts"
import { pickCells } from "../column/take.ts"

/** A tile that may hold cells of a selection. */
export interface Candidate {
  readonly tile: number
  /** Cells in the tile. */
  readonly cells: number
  /** Whether all of them belong to the selection. */
  readonly whole: boolean
  /** Those that may belong to it still, ascending; `undefined` for all. */
  positions: Uint32Array | undefined
  /** The coordinates of these, by dimension, where they were read and are kept. */
  readonly coordinates: Array<FieldTile | undefined>
}

/** How many cells of a candidate may belong to the selection still. */
export const cellsLeft = ({ positions, cells }: Candidate): number => positions === undefined ? cells : positions.length

/** Leaves the candidate those cells whose positions `filter` writes to `out`, of the positions `among`. */
export type Narrow = (
  its: Candidate,
  filter: (among: Uint32Array | undefined, out: Uint32Array) => number,
) => void

/** {@link Narrow}, with memory that is used again for each candidate. `dimensions` are those of the coordinates. */
export const narrowing = (dimensions: ReadonlyArray<Field>): Narrow => {
  let buffer = new Uint32Array(0)
  return (its, filter) => {
    if (buffer.length < its.cells) buffer = new Uint32Array(its.cells)
    const { positions: before, coordinates } = its
    const count = filter(before, buffer)
    if (count === cellsLeft(its)) return
    const kept = its.positions = buffer.slice(0, count)
    let numbers: Uint32Array | undefined
    for (let d = 0; d < coordinates.length; d++) {
      const tile = coordinates[d]
      if (tile === undefined) continue
      numbers ??= before === undefined ? kept : numbersAmong(before, kept)
      coordinates[d] = pickCells(tile, dimensions[d].cellSize, numbers)
    }
  }
}

/** Where the positions `kept` stand in the list `all`. */
const numbersAmong = (all: Uint32Array, kept: Uint32Array): Uint32Array => {
  const out = new Uint32Array(kept.length)
  for (let i = 0, k = 0; k < kept.length; i++) if (all[i] === kept[k]) out[k++] = i
  return out
}
