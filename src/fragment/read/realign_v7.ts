/**
 * Repairs nullable fixed-size fields in sparse fragments of format 7. Engines 2.2.0–2.2.2 advanced in their buffers by
 * one instead of two, so that values and validity bytes are mixed from the second tile on. No data is lost: the newest
 * engine refuses to read such tiles, this library separates them (format notes, section 22, item 2).
 */
import { FormatError } from "../../../schema/errors/format_error.ts"
import type { Field } from "../field.ts"
import type { Fragment } from "../fragment.ts"
import type { FieldTile } from "../field_tiles.ts"

/** Returns whether the tiles of the field must be processed together. */
export const needsRealignment = (fragment: Fragment, field: Field): boolean =>
  fragment.version === 7 && !fragment.dense && field.nullable && !field.var && fragment.tileCount > 1

/** Returns all tiles of the field, from all unfiltered buffers. Buffers of the right lengths are unchanged. */
export const realign = (
  fragment: Fragment,
  cellSize: number,
  values: ReadonlyArray<Uint8Array>,
  validity: ReadonlyArray<Uint8Array>,
): ReadonlyArray<FieldTile> => {
  const { tileCells, lastTileCells } = fragment
  const cellsOf = (tile: number): number => tile === values.length - 1 ? lastTileCells : tileCells
  if (values.every((v, i) => validity[i].byteLength === cellsOf(i) && v.byteLength === cellsOf(i) * cellSize)) {
    return values.map((v, i) => ({ values: v, offsets: undefined, validity: validity[i] }))
  }
  const buffers = values.flatMap((v, i) => [v, validity[i]])
  const cursors = buffers.map(() => 0)
  const step = tileCells * cellSize
  const cells = (values.length - 1) * tileCells + lastTileCells
  const short = (): FormatError =>
    new FormatError({
      uri: fragment.uri,
      path: "validity",
      offset: 0,
      version: fragment.version,
      detail: "the tiles of values and validity have sizes that no engine wrote",
    })
  // no memory is allocated for cells that the buffers do not contain
  if (buffers.reduce((sum, b) => sum + b.byteLength, 0) < cells * (cellSize + 1)) throw short()
  const out = values.map((_, i) => ({
    values: new Uint8Array(cellsOf(i) * cellSize),
    offsets: undefined,
    validity: new Uint8Array(cellsOf(i)),
  }))
  let k = 0
  for (let cell = 0; cell < cells; cell++) {
    if (cursors[k] >= step) k++
    if (k + 1 >= buffers.length) throw short()
    const at = cursors[k]
    if (at + cellSize > buffers[k].byteLength || cursors[k + 1] >= buffers[k + 1].byteLength) throw short()
    const tile = out[Math.floor(cell / tileCells)]
    const position = cell % tileCells
    tile.values.set(buffers[k].subarray(at, at + cellSize), position * cellSize)
    tile.validity[position] = buffers[k + 1][cursors[k + 1]]
    cursors[k] += cellSize
    cursors[k + 1]++
  }
  return out
}
