/**
 * Tiles without filters: their cells lie in chunks of one size, each behind a header of twelve bytes, so that where a cell
 * lies can be computed. Format: `tile.md`.
 */
import { chunkSize } from "../filter/pipeline/chunk_cuts.ts"

/** Bytes of the number of chunks, and of the header of each: its original and filtered size, and that of its metadata. */
const COUNT = 8
const HEADER = 12

/** How long such a tile is in its file. */
export const plainSize = (size: number, cell: number): number =>
  COUNT + HEADER * Math.ceil(size / chunkSize(size, cell)) + size

/** The bytes of a tile that hold the cells from `first` to `last`, and the headers of their chunks. */
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
  // whole tiles with all there is, so that neighbours are read as one
  const offset = from === 0 ? 0 : COUNT + from * (chunk + HEADER)
  return { offset, length: COUNT + to * HEADER + end - offset }
}

/**
 * The cells of what {@link plainSpan} names, in place: the headers are taken out of `bytes`. They start with the first cell
 * of the chunk that holds `first`. `undefined`, and nothing changed, if a header is not what it is in such tiles.
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
  const start = from === 0 ? COUNT : 0
  const count = Math.ceil(size / chunk)
  if (from === 0 && (bytes.length < COUNT || view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32 !== count)) {
    return undefined
  }
  for (let at = start, k = from; at < bytes.length; at += HEADER + chunk, k++) {
    const original = Math.min(chunk, size - k * chunk)
    if (at + HEADER > bytes.length || view.getUint32(at, true) !== original) return undefined
    if (view.getUint32(at + 4, true) !== original || view.getUint32(at + 8, true) !== 0) return undefined
  }
  let to = start + HEADER
  for (let at = to; at < bytes.length; at += chunk + HEADER, from++) {
    const length = Math.min(chunk, bytes.length - at)
    if (at !== to) bytes.copyWithin(to, at, at + length)
    to += length
  }
  return bytes.subarray(start + HEADER, to)
}
