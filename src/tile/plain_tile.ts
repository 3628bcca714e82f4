/**
 * Tiles without filters: cells are stored in chunks of one size, each after a header of twelve bytes, so the position
 * of a cell can be computed. Format: `tile.md`.
 */
import { chunkSize } from "../filter/pipeline/chunk_cuts.ts"

/**
 * Sizes of the number of chunks, and of a chunk's header, which consists of original size, filtered size and metadata
 * size.
 */
const COUNT_SIZE = 8
const CHUNK_HEADER_SIZE = 12

/** Returns the size of such a tile in its file. */
export const plainSize = (size: number, cell: number): number =>
  COUNT_SIZE + CHUNK_HEADER_SIZE * Math.ceil(size / chunkSize(size, cell)) + size

/**
 * Returns the range of a tile that contains the cells from `first` to `last`, including the headers of their chunks.
 */
export const plainSpan = (
  size: number,
  cell: number,
  first: number,
  last: number,
): { readonly offset: number; readonly length: number } => {
  const chunk = chunkSize(size, cell)
  const from = Math.floor(first * cell / chunk)
  const end = (last + 1) * cell
  const to = Math.ceil(end / chunk)
  // for the first cell the range includes the number of chunks, so that adjacent whole tiles are read as one range
  const offset = from === 0 ? 0 : COUNT_SIZE + from * (chunk + CHUNK_HEADER_SIZE)
  return { offset, length: COUNT_SIZE + to * CHUNK_HEADER_SIZE + end - offset }
}

/**
 * Returns the cells of a {@link plainSpan} in place: removes the headers from `bytes`. The cells start with the first
 * cell of the chunk that contains `first`. Returns `undefined`, without changes, if a header differs from those of such
 * tiles.
 */
export const withoutChunkHeaders = (
  bytes: Uint8Array,
  size: number,
  cell: number,
  first: number,
): Uint8Array | undefined => {
  const chunk = chunkSize(size, cell)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let from = Math.floor(first * cell / chunk)
  const start = from === 0 ? COUNT_SIZE : 0
  const count = Math.ceil(size / chunk)
  if (
    from === 0 && (bytes.length < COUNT_SIZE || view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32 !== count)
  ) {
    return undefined
  }
  for (let at = start, k = from; at < bytes.length; at += CHUNK_HEADER_SIZE + chunk, k++) {
    const original = Math.min(chunk, size - k * chunk)
    if (at + CHUNK_HEADER_SIZE > bytes.length || view.getUint32(at, true) !== original) return undefined
    if (view.getUint32(at + 4, true) !== original || view.getUint32(at + 8, true) !== 0) return undefined
  }
  let to = start + CHUNK_HEADER_SIZE
  for (let at = to; at < bytes.length; at += chunk + CHUNK_HEADER_SIZE, from++) {
    const length = Math.min(chunk, bytes.length - at)
    if (at !== to) bytes.copyWithin(to, at, at + length)
    to += length
  }
  return bytes.subarray(start + CHUNK_HEADER_SIZE, to)
}
