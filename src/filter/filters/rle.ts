/**
 * Run-length encoding of cells: the bytes of a cell, then the length of the run as two bytes, big-endian.
 *
 * @module
 */
import { forwardParts, reverseParts } from "../part/part_frame.ts"
import { type Allocate, damaged, type FilterOf, Refusal, type Transform } from "../part/transform.ts"

const MAX_RUN_LENGTH = 65535

/** RLE for all tiles except folded strings. */
export const rle: Transform<FilterOf<"rle">> = {
  reverse: (_, chunk, context, limit, allocate) =>
    reverseParts(
      chunk,
      8,
      limit,
      allocate,
      (part, size, allocatePart) => expand(part, context.cellSize, size, allocatePart),
    ),
  forward: (_, parts, context) => forwardParts(parts, (part) => ({ stored: collapse(part, context.cellSize) })),
}

const expand = (runs: Uint8Array, cell: number, size: number, allocate: Allocate): Uint8Array => {
  if (runs.byteLength % (cell + 2) !== 0) {
    throw damaged(`${runs.byteLength} bytes are not a multiple of the run size (cells of ${cell} bytes)`)
  }
  // counted first, so that no memory is allocated for a size that differs from the runs
  let cells = 0
  for (let at = cell; at < runs.byteLength; at += cell + 2) cells += (runs[at] << 8) | runs[at + 1]
  if (cells * cell !== size) throw damaged(`runs of ${cells} cells of ${cell} bytes instead of ${size} bytes`)
  const out = allocate(size)
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
      `${cells.byteLength} bytes (of cells, or of a previous filter) are not a multiple of the cell size ${cell}`,
    )
  }
  const out = new Uint8Array((cells.byteLength / cell) * (cell + 2))
  let to = 0
  for (let first = 0; first < cells.byteLength;) {
    const limit = Math.min(cells.byteLength, first + MAX_RUN_LENGTH * cell)
    // up to where every byte is equal to the byte one cell before
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
