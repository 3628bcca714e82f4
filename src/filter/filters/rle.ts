/**
 * Run-length encoding of cells: a cell's bytes, then how often it stands there, two bytes big-endian.
 *
 * @module
 */
import { forwardParts, reverseParts } from "../part/part_frame.ts"
import { damaged, type FilterOf, Refusal, type Room, type Transform } from "../part/transform.ts"

const LONGEST = 65535

/** RLE on anything but folded strings. */
export const rle: Transform<FilterOf<"rle">> = {
  reverse: (_, chunk, context, limit, room) =>
    reverseParts(chunk, 8, limit, room, (part, size, its) => expand(part, context.cellSize, size, its)),
  forward: (_, parts, context) => forwardParts(parts, (part) => ({ stored: collapse(part, context.cellSize) })),
}

const expand = (runs: Uint8Array, cell: number, size: number, room: Room): Uint8Array => {
  if (runs.byteLength % (cell + 2) !== 0) {
    throw damaged(`${runs.byteLength} bytes are no whole number of runs of ${cell}-byte cells`)
  }
  // counted first, so that nothing is allocated for a size that the runs do not add up to
  let cells = 0
  for (let at = cell; at < runs.byteLength; at += cell + 2) cells += (runs[at] << 8) | runs[at + 1]
  if (cells * cell !== size) throw damaged(`runs of ${cells} cells of ${cell} bytes instead of ${size} bytes`)
  const out = room(size)
  let to = 0
  for (let at = 0; at < runs.byteLength; at += cell + 2) {
    const end = to + cell * ((runs[at + cell] << 8) | runs[at + cell + 1])
    if (cell === 1) {
      out.fill(runs[at], to, end)
    } else if (end - to <= 64) {
      for (let i = 0; to < end; to++) {
        out[to] = runs[at + i]
        if (++i === cell) i = 0
      }
    } else {
      for (let i = 0; i < cell; i++) out[to + i] = runs[at + i]
      for (let done = cell; to + done < end; done *= 2) out.copyWithin(to + done, to, Math.min(to + done, end - done))
    }
    to = end
  }
  return out
}

const collapse = (cells: Uint8Array, cell: number): Uint8Array => {
  if (cells.byteLength % cell !== 0) {
    throw new Refusal(
      `${cells.byteLength} bytes (of cells, or of a filter before it) are no whole number of ${cell}-byte cells`,
    )
  }
  const out = new Uint8Array((cells.byteLength / cell) * (cell + 2))
  let to = 0
  for (let first = 0; first < cells.byteLength;) {
    const limit = Math.min(cells.byteLength, first + LONGEST * cell)
    // how far every byte is the one a cell before it
    let same = first + cell
    while (same < limit && cells[same] === cells[same - cell]) same++
    const run = Math.floor((same - first) / cell)
    for (let i = 0; i < cell; i++) out[to++] = cells[first + i]
    out[to++] = run >>> 8
    out[to++] = run
    first += run * cell
  }
  return out.subarray(0, to)
}
