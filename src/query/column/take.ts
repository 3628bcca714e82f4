/**
 * Extracts selected cells of a tile.
 */
import type { FieldTile } from "../../fragment/field_tiles.ts"
import { appendStarts, appendVar } from "../../kernel/copy/append_var.ts"
import { copyCells, unitsOf } from "../../kernel/copy/gather.ts"

/**
 * Copies the cells at `positions` (ascending); without positions, all cells. Position 0 is cell 0 of the fragment's
 * tile, and `tile` starts with cell `first`. Fixed-size cells have `cellSize` bytes.
 */
export const pickCells = (
  { values, offsets }: FieldTile,
  cellSize: number,
  positions: Uint32Array | undefined,
  first = 0,
): FieldTile => {
  if (positions === undefined) return { values: values.slice(), offsets, validity: undefined }
  if (offsets === undefined) {
    const out = new Uint8Array(positions.length * cellSize)
    copyCells(unitsOf(out, cellSize), 0, unitsOf(values, cellSize), positions, 0, positions.length, first)
    return { values: out, offsets: undefined, validity: undefined }
  }
  const starts = new Uint32Array(positions.length + 1)
  const out = new Uint8Array(appendStarts(starts, 0, 0, offsets, positions))
  appendVar(out, 0, values, offsets, positions)
  return { values: out, offsets: starts, validity: undefined }
}
