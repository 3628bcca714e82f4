/**
 * Pipelines in reverse: from a tile as it lies in a file to the bytes of its cells. Plain and synchronous; one call is
 * one tile or one chunk.
 *
 * @module
 */
import { finish, type Steps } from "../../kernel/steps.ts"
import type { Codecs, WebpCodec, WebpEncoder } from "../../../platform/codecs/service.ts"
import { isScratch, scratch } from "../../../platform/wasm/memory.ts"
import { BinaryIssue } from "../../../schema/binary/mod.ts"
import type { Datatype } from "../../../schema/array/datatype.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import type { FilterPipeline } from "../../../schema/array/filter_pipeline.ts"
import { type ChunkTable, tileChunks } from "../../../schema/tile/tile_chunks.ts"
import { transformOf } from "./registry.ts"
import { sizeBound } from "./size_bound.ts"
import { type Chunk, damaged, type FilterContext, type Room } from "../part/transform.ts"
import { inputTypes } from "./type_flow.ts"
import { concatSteps } from "../../kernel/copy/concat.ts"

/** What must be known of a tile to unfilter it. */
export interface TileContext {
  /** The pipeline with the encryption, if there is one (`withEncryption`; generic tiles name it themselves). */
  readonly filters: FilterPipeline
  /** The type of the field: uint64 for offsets, uint8 for validity, char for generic tiles. */
  readonly type: Datatype
  /** Bytes of one cell; of one value for var-sized data. */
  readonly cellSize: number
  /** The format version of the fragment; for generic tiles that in their header. */
  readonly version: number
  /** The format version of the engine that wrote: that in the header of the fragment's R-tree. */
  readonly engineVersion: number
  /** Until format 4, when coordinates are written: how many dimensions lie one after the other in the tile. */
  readonly dimensions?: number
  /** When values of var-sized cells are written: how many cells a whole tile has, if this one may have fewer. */
  readonly tileCells?: number
  readonly codecs: Codecs
  /** The 32 bytes of the array's key, if it is encrypted. */
  readonly key?: Uint8Array
  /** Default: true. */
  readonly verifyChecksums?: boolean
  /** Needed to read WebP. */
  readonly webp?: WebpCodec
  /** Needed to write WebP. */
  readonly webpEncoder?: WebpEncoder
  /** The file, and where in it the tile starts; for errors. */
  readonly uri: string
  readonly offset: number
}

/**
 * The cells' bytes of a whole persisted tile, at most `limit` of them. They may be a view of `bytes` where there is
 * nothing to undo. Throws `FormatError` for what is damaged, `ChecksumMismatch`, `DecryptionFailed`, and `CodecError`
 * for a codec that is missing.
 */
export const unfilterTile = (bytes: Uint8Array, context: TileContext, limit: number): Uint8Array =>
  finish(unfilterTileSteps(bytes, context, limit))

/** As {@link unfilterTile}, in steps. */
export function* unfilterTileSteps(bytes: Uint8Array, context: TileContext, limit: number): Steps<Uint8Array> {
  const table = tileTable(bytes, context, limit)
  return yield* unfilterChunksSteps(bytes, table, 0, table.count, context)
}

/**
 * The cells' bytes of the chunks from number `from` to before `to` of a tile: a view of `bytes`, or of `into` if it is large
 * enough, or fresh.
 */
export const unfilterChunks = (...given: Parameters<typeof unfilterChunksSteps>): Uint8Array =>
  finish(unfilterChunksSteps(...given))

/** As {@link unfilterChunks}, in steps. */
export function* unfilterChunksSteps(
  bytes: Uint8Array,
  table: ChunkTable,
  from: number,
  to: number,
  context: TileContext,
  into?: Uint8Array,
): Steps<Uint8Array> {
  if (to - from === 1) return unfilterChunk(bytes, table, from, context, into?.subarray(0, table.original[from]))
  let size = 0
  for (let i = from; i < to; i++) size += table.original[i]
  if (size > Math.max(ALLOCATED_AT_ONCE, PLAUSIBLE_RATIO * bytes.byteLength)) {
    // a size that only extreme compression explains: memory is taken as chunks prove that they are there
    const parts: Array<Uint8Array> = []
    for (let i = from; i < to; i++) {
      parts.push(unfilterChunk(bytes, table, i, context))
      yield
    }
    return yield* concatSteps(parts)
  }
  const out = into !== undefined && into.length >= size ? into.subarray(0, size) : new Uint8Array(size)
  for (let i = from, at = 0; i < to; i++) {
    const place = out.subarray(at, at += table.original[i])
    const data = unfilterChunk(bytes, table, i, context, place)
    if (data !== place) place.set(data)
    yield
  }
  return out
}

/** Tiles up to this size, or this many times as large as their bytes in the file, are allocated in one piece. */
const ALLOCATED_AT_ONCE = 1 << 26
const PLAUSIBLE_RATIO = 64

/** Where the chunks of a tile lie; refuses a tile of more than `limit` unfiltered bytes. */
export const tileTable = (bytes: Uint8Array, context: TileContext, limit: number): ChunkTable => {
  const { offset, uri } = context
  const table = tileChunks(bytes, uri, { base: offset })
  if (table.totalOriginal > limit) {
    const reason = `claims ${table.totalOriginal} unfiltered bytes where at most ${limit} belong`
    throw new FormatError({ uri, path: "chunks", offset, version: context.version, detail: reason })
  }
  return table
}

/** The cells' bytes of chunk `index` of a tile: a view of `bytes`, or `into` if it has just their size, or fresh. */
export const unfilterChunk = (
  bytes: Uint8Array,
  table: ChunkTable,
  index: number,
  context: TileContext,
  into?: Uint8Array,
): Uint8Array => {
  const original = table.original[index]
  return inChunk(table, index, context, () => {
    const { data, metadata } = unwind(bytes, table, index, context, original, 0, into)
    if (data.byteLength !== original) throw damaged(`unfiltered to ${data.byteLength} bytes instead of ${original}`)
    if (metadata.byteLength > 0) throw damaged(`${metadata.byteLength} bytes of metadata are left over`)
    return data
  })
}

/** Runs `work` on a chunk; what it finds damaged gets its place in the file. */
export const inChunk = <A>(table: ChunkTable, index: number, context: TileContext, work: () => A): A => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof BinaryIssue)) throw error
    throw new FormatError({
      uri: context.uri,
      path: ["chunks", index, ...error.path].join("."),
      offset: chunkOffset(table, index, context),
      version: context.version,
      detail: error.reason,
    })
  }
}

/** Where a chunk starts in the file. */
const chunkOffset = (table: ChunkTable, index: number, context: TileContext): number =>
  context.offset + table.offsets[index] - 12

/**
 * Undoes the filters of a chunk from the last one to number `first`. `size` is the most bytes that went into filter
 * number `first`, which come out here, in `into` if that fits and there was something to undo.
 */
export const unwind = (
  bytes: Uint8Array,
  table: ChunkTable,
  index: number,
  context: TileContext,
  size: number,
  first: number,
  into?: Uint8Array,
): Chunk => {
  const metadataStart = table.offsets[index]
  const dataStart = metadataStart + table.metadata[index]
  let chunk: Chunk = {
    metadata: bytes.subarray(metadataStart, dataStart),
    data: bytes.subarray(dataStart, dataStart + table.filtered[index]),
  }
  const { filters } = context.filters
  const types = inputTypes(filters, context.type, context.engineVersion)
  const cellSize = Math.max(1, context.cellSize)
  const limits: Array<number> = []
  for (let i = first, most = size; i < filters.length; i++) {
    limits[i] = most
    most = Math.ceil(sizeBound(filters[i], types[i], cellSize, context.version, most, i + 1))
  }
  const last: Room = (length) =>
    into !== undefined && into.length === length && into.byteOffset % 8 === 0 ? into : new Uint8Array(length)
  for (let i = filters.length - 1; i >= first; i--) {
    const filter = filters[i]
    const input = chunk.data
    const allocate: Room = i === first ? last : (length) => scratch(length, input)
    const its: FilterContext = {
      codecs: context.codecs,
      type: types[i],
      cellSize,
      version: context.version,
      key: context.key,
      verifyChecksums: context.verifyChecksums !== false,
      webp: context.webp,
      uri: context.uri,
      offset: chunkOffset(table, index, context),
    }
    try {
      chunk = transformOf(filter).reverse(filter, chunk, its, limits[i], allocate)
    } catch (error) {
      if (error instanceof BinaryIssue) error.path.unshift(filter.type)
      throw error
    }
  }
  return isScratch(chunk.data) ? { ...chunk, data: chunk.data.slice() } : chunk
}
