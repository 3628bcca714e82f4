/**
 * How a tile is cut into chunks before it is filtered: as the engines of each age cut, though a reader takes any cut.
 *
 * @module
 */
import type { Datatype } from "../../../schema/array/datatype.ts"
import type { FilterType } from "../../../schema/array/filter.ts"
import type { FilterPipeline } from "../../../schema/array/filter_pipeline.ts"
import { Since } from "../../../schema/version/version.ts"

/** Chunks hold at most so many bytes before their filters. */
const CHUNK = 65536

/** Bytes of each chunk but the last, in a tile of `size` bytes: whole cells, at least one. */
export const chunkSize = (size: number, cell: number, most: number = CHUNK): number =>
  Math.max(1, Math.floor(Math.min(most, size) / cell)) * cell

/** Whether a tile is one chunk whatever its size; `isVar`: it holds values of var-sized cells. */
const isWhole = (pipeline: FilterPipeline, type: Datatype, isVar: boolean, version: number): boolean => {
  if (pipeline.maxChunkSize === 0) return true
  const has = (filter: string): boolean => pipeline.filters.some(({ type }) => type === filter)
  return isVar && (type === "string_ascii" || type === "string_utf8")
    ? version >= Since.foldedRle && has("rle") || version >= Since.foldedDictionary && has("dictionary")
    : has("webp")
}

/** What the cut of a tile depends on. */
export interface CutTile {
  readonly filters: FilterPipeline
  readonly type: Datatype
  readonly cellSize: number
  readonly version: number
  readonly engineVersion: number
  /** Until format 4: how many dimensions lie one after the other in a tile of coordinates. */
  readonly dimensions?: number
  /** Cells of a whole tile, if the tile may have fewer. */
  readonly tileCells?: number
}

/** Where the chunks of a tile of `size` bytes end; `offsets` (one more than there are cells) for values of var-sized cells. */
export const chunkEnds = (size: number, tile: CutTile, offsets: Uint32Array | undefined): ReadonlyArray<number> => {
  const { cellSize, engineVersion, filters, type, version } = tile
  const nothing = offsets !== undefined && readsNothing(filters)
  if (isWhole(filters, type, offsets !== undefined, version)) return size > 0 || nothing ? [size] : []
  if (engineVersion < Since.splitDimensions) {
    // 1.x keeps to the pipeline's own chunk size, and cuts coordinates dimension by dimension
    const { dimensions = 1 } = tile
    const ends = fixedCuts(size / dimensions, cellSize / dimensions, filters.maxChunkSize)
    return Array.from({ length: dimensions }, (_, d) => ends.map((end) => d * size / dimensions + end)).flat()
  }
  if (offsets === undefined) return fixedCuts(size, cellSize)
  if (engineVersion >= Since.wholeVarCells) {
    const ends = varCuts(offsets)
    return nothing ? ends : ends.filter((end, i) => end !== (i === 0 ? 0 : ends[i - 1]))
  }
  // 2.0 to 2.2 take the room of the offsets for that of the values
  const { tileCells = offsets.length - 1 } = tile
  return fixedCuts(size, 1, engineVersion < Since.ownVarChunks ? Math.min(CHUNK, 8 * tileCells) : CHUNK)
}

/** What leaves bytes, or at least room for them, of a chunk without bytes. */
const leavesRoom: ReadonlySet<FilterType> = new Set(
  ["gzip", "zstd", "lz4", "bzip2", "byteshuffle", "bitshuffle", "xor"] as const,
)

/**
 * Whether the engines read a chunk without bytes that went through a pipeline. They write one, and then fail, of their deltas,
 * and where a filter that only moves bytes is undone behind one that leaves nothing. A tile without chunks is read whatever
 * the pipeline, but not by engines 2.10 to 2.16, which divide by zero.
 */
const readsNothing = ({ filters }: FilterPipeline): boolean =>
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
        return next === undefined || leavesRoom.has(next)
    }
  })

/** Where the chunks of a tile of cells of one size end. A tile without bytes has none. */
const fixedCuts = (size: number, cell: number, most?: number): Array<number> => {
  const chunk = chunkSize(size, cell, most)
  const ends: Array<number> = []
  for (let at = chunk; at < size; at += chunk) ends.push(at)
  if (size > 0) ends.push(size)
  return ends
}

/**
 * Where the chunks of a tile of var-sized cells end since 2.7: no cell is cut. A chunk takes a cell that is too large for
 * it only if it is at most half full, or grows to at most one and a half times its size. The last chunk may be empty, and a
 * tile without bytes is one empty chunk.
 */
const varCuts = (offsets: Uint32Array): Array<number> => {
  const cells = offsets.length - 1
  const size = offsets[cells]
  const most = Math.min(CHUNK, size)
  const ends: Array<number> = []
  let start = 0
  for (let i = 0; i < cells; i++) {
    const end = offsets[i + 1]
    if (end - start <= most) continue
    if (offsets[i] - start <= most >>> 1 || end - start <= most + (most >>> 1)) {
      ends.push(start = end)
    } else {
      ends.push(start = offsets[i])
      if (end - start > most && i < cells - 1) ends.push(start = end)
    }
  }
  ends.push(size)
  return ends
}
