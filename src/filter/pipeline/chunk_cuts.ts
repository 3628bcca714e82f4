/**
 * How a tile is divided into chunks before filtering: as engines of each version do, although readers accept any
 * division.
 *
 * @module
 */
import type { Datatype } from "../../../schema/array/datatype.ts"
import type { FilterType } from "../../../schema/array/filter.ts"
import type { FilterPipeline } from "../../../schema/array/filter_pipeline.ts"
import { Since } from "../../../schema/version/version.ts"

/** The maximum unfiltered size of a chunk in bytes. */
const DEFAULT_CHUNK_SIZE = 65536

/**
 * Returns the size of all chunks but the last, for a tile of `size` bytes: a multiple of the cell size, at least one
 * cell.
 */
export const chunkSize = (size: number, cell: number, max: number = DEFAULT_CHUNK_SIZE): number =>
  Math.max(1, Math.floor(Math.min(max, size) / cell)) * cell

/** Whether a tile of any size is a single chunk. `isVar`: the tile contains values of var-sized cells. */
const isWhole = (pipeline: FilterPipeline, type: Datatype, isVar: boolean, version: number): boolean => {
  if (pipeline.maxChunkSize === 0) return true
  const has = (filter: string): boolean => pipeline.filters.some(({ type }) => type === filter)
  return isVar && (type === "string_ascii" || type === "string_utf8")
    ? version >= Since.foldedRle && has("rle") || version >= Since.foldedDictionary && has("dictionary")
    : has("webp")
}

/** The properties of a tile that determine its chunks. */
export interface CutTile {
  /** The pipeline, including the encryption if any (`withEncryption`; generic tiles contain it themselves). */
  readonly filters: FilterPipeline
  /** The datatype of the field: uint64 for offsets, uint8 for validity, char for generic tiles. */
  readonly type: Datatype
  /** The size of a cell in bytes; for var-sized data, the size of a value. */
  readonly cellSize: number
  /** The format version of the fragment; for generic tiles, the version in their header. */
  readonly version: number
  /** The format version of the engine that wrote: the version in the header of the fragment's R-tree. */
  readonly engineVersion: number
  /** For writing coordinates up to format 4: the number of dimensions in the tile. */
  readonly dimensions?: number
  /** For writing values of var-sized cells: the number of cells of a full tile, if this one may have fewer. */
  readonly tileCells?: number
}

/**
 * Returns the ends of the chunks of a tile of `size` bytes. `offsets` (number of cells plus one) for values of
 * var-sized cells.
 */
export const chunkEnds = (size: number, tile: CutTile, offsets: Uint32Array | undefined): ReadonlyArray<number> => {
  const { cellSize, engineVersion, filters, type, version } = tile
  const readsEmpty = offsets !== undefined && readsEmptyChunk(filters)
  if (isWhole(filters, type, offsets !== undefined, version)) return size > 0 || readsEmpty ? [size] : []
  if (engineVersion < Since.splitDimensions) {
    // 1.x uses the chunk size of the pipeline, and divides coordinates by dimension
    const { dimensions = 1 } = tile
    const ends = fixedCuts(size / dimensions, cellSize / dimensions, filters.maxChunkSize)
    return Array.from({ length: dimensions }, (_, d) => ends.map((end) => d * size / dimensions + end)).flat()
  }
  if (offsets === undefined) return fixedCuts(size, cellSize)
  if (engineVersion >= Since.wholeVarCells) {
    const ends = varCuts(offsets)
    return readsEmpty ? ends : ends.filter((end, i) => end !== (i === 0 ? 0 : ends[i - 1]))
  }
  // 2.0 to 2.2 use the chunk size of the offsets for the values
  const { tileCells = offsets.length - 1 } = tile
  return fixedCuts(
    size,
    1,
    engineVersion < Since.ownVarChunks ? Math.min(DEFAULT_CHUNK_SIZE, 8 * tileCells) : DEFAULT_CHUNK_SIZE,
  )
}

/** The filters that output bytes, or at least metadata, for an empty chunk. */
const outputsForEmpty: ReadonlySet<FilterType> = new Set(
  ["gzip", "zstd", "lz4", "bzip2", "byteshuffle", "bitshuffle", "xor"] as const,
)

/**
 * Whether engines can read an empty chunk of a pipeline. They write one, but then fail for delta filters, and if a
 * filter that only moves bytes is reversed after a filter that outputs no bytes. A tile without chunks is readable with
 * any pipeline, except by engines 2.10 to 2.16, which divide by zero.
 */
const readsEmptyChunk = ({ filters }: FilterPipeline): boolean =>
  filters.every(({ type }, i) => {
    const next = filters[i + 1]?.type
    switch (type) {
      case "delta":
      case "double_delta":
        return false
      case "gzip":
      case "zstd":
      case "lz4":
      case "bzip2":
      case "checksum_md5":
      case "checksum_sha256":
      case "aes_256_gcm":
        return true
      case "noop":
        return filters.length === 1 || (filters.length === 2 && next === "aes_256_gcm")
      default:
        return next === undefined || outputsForEmpty.has(next)
    }
  })

/** Returns the ends of the chunks of a tile of fixed-size cells; empty for an empty tile. */
const fixedCuts = (size: number, cell: number, max?: number): Array<number> => {
  const chunk = chunkSize(size, cell, max)
  const ends: Array<number> = []
  for (let at = chunk; at < size; at += chunk) ends.push(at)
  if (size > 0) ends.push(size)
  return ends
}

/**
 * Returns the ends of the chunks of a tile of var-sized cells since 2.7: cells are not divided. A cell that exceeds the
 * remaining space of a chunk is added if the chunk is at most half full, or if the result is at most one and a half
 * times the chunk size. The last chunk may be empty, and an empty tile is one empty chunk.
 */
const varCuts = (offsets: Uint32Array): Array<number> => {
  const cells = offsets.length - 1
  const size = offsets[cells]
  const max = Math.min(DEFAULT_CHUNK_SIZE, size)
  const ends: Array<number> = []
  let start = 0
  for (let i = 0; i < cells; i++) {
    const end = offsets[i + 1]
    if (end - start <= max) continue
    if (offsets[i] - start <= max >>> 1 || end - start <= max + (max >>> 1)) {
      ends.push(start = end)
    } else {
      ends.push(start = offsets[i])
      if (end - start > max && i < cells - 1) ends.push(start = end)
    }
  }
  ends.push(size)
  return ends
}
