/**
 * Pipelines, reading: converts a tile in a file to the bytes of its cells. Plain and synchronous: one call per tile or
 * chunk.
 *
 * @module
 */
import { finish, type Steps } from "../../kernel/steps.ts"
import type { Codecs, WebpCodec, WebpEncoder } from "../../../platform/codecs/service.ts"
import { isScratch, scratch } from "../../../platform/wasm/memory.ts"
import { BinaryIssue } from "../../../schema/binary/mod.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { type ChunkTable, tileChunks } from "../../../schema/tile/tile_chunks.ts"
import { transformOf } from "./registry.ts"
import type { CutTile } from "./chunk_cuts.ts"
import { sizeBound } from "./size_bound.ts"
import { type Allocate, type Chunk, damaged, type FilterContext } from "../part/transform.ts"
import { inputTypes } from "./type_flow.ts"
import { concatSteps } from "../../kernel/copy/concat.ts"

/** The properties of a tile that are required to unfilter it. */
export interface TileContext extends CutTile {
  readonly codecs: Codecs
  /** The 32 bytes of the array's key, if it is encrypted. */
  readonly key?: Uint8Array
  /** Whether to verify checksums. Default: true. */
  readonly verifyChecksums?: boolean
  /** The decoder, required to read WebP. */
  readonly webp?: WebpCodec
  /** The encoder, required to write WebP. */
  readonly webpEncoder?: WebpEncoder
  /** The file, and the start of the tile in it; for errors. */
  readonly uri: string
  readonly offset: number
}

/**
 * Unfilters a persisted tile to at most `limit` bytes. The result may be a view of `bytes` if no filter changes them.
 * Throws `FormatError` for damaged tiles, `ChecksumMismatch`, `DecryptionFailed`, and `CodecError` for a missing codec.
 */
export const unfilterTile = (bytes: Uint8Array, context: TileContext, limit: number): Uint8Array =>
  finish(unfilterTileSteps(bytes, context, limit))

/** Unfilters a tile like {@link unfilterTile}, in steps. */
export function* unfilterTileSteps(bytes: Uint8Array, context: TileContext, limit: number): Steps<Uint8Array> {
  const table = tileTable(bytes, context, limit)
  return yield* unfilterChunksSteps(bytes, table, 0, table.count, context)
}

/**
 * Unfilters the chunks `from` to `to` (exclusive) of a tile. The result is a view of `bytes`, or of `into` if it is
 * large enough, or newly allocated.
 */
export const unfilterChunks = (...args: Parameters<typeof unfilterChunksSteps>): Uint8Array =>
  finish(unfilterChunksSteps(...args))

/** Unfilters chunks like {@link unfilterChunks}, in steps. */
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
  if (size > Math.max(MAX_ALLOCATION_SIZE, MAX_PLAUSIBLE_RATIO * bytes.byteLength)) {
    // only extreme compression explains the size: allocate memory chunk by chunk, once each has been decoded
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

/**
 * The maximum size in bytes, and the maximum ratio to the size in the file, of tiles that are allocated in one piece.
 */
const MAX_ALLOCATION_SIZE = 1 << 26
const MAX_PLAUSIBLE_RATIO = 64

/** Returns the positions of the chunks of a tile. Rejects tiles of more than `limit` unfiltered bytes. */
export const tileTable = (bytes: Uint8Array, context: TileContext, limit: number): ChunkTable => {
  const { offset, uri } = context
  const table = tileChunks(bytes, uri, { base: offset })
  if (table.totalOriginal > limit) {
    const reason = `claims ${table.totalOriginal} unfiltered bytes; the maximum is ${limit}`
    throw new FormatError({ uri, path: "chunks", offset, version: context.version, detail: reason })
  }
  return table
}

/**
 * Unfilters chunk `index` of a tile: the result is a view of `bytes`, or `into` if the sizes are equal, or newly
 * allocated.
 */
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
    if (metadata.byteLength > 0) throw damaged(`${metadata.byteLength} unexpected bytes of metadata at the end`)
    return data
  })
}

/** Runs `work` on a chunk and adds the position in the file to its errors. */
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

/** Returns the offset of a chunk in the file. */
const chunkOffset = (table: ChunkTable, index: number, context: TileContext): number =>
  context.offset + table.offsets[index] - 12

/**
 * Reverses the filters of a chunk from the last to number `first`. `size` is the maximum size of the input of filter
 * `first` when it was applied, which is the size of the result. The result uses `into` if it is large enough and a
 * filter changes data.
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
  for (let i = first, maxSize = size; i < filters.length; i++) {
    limits[i] = maxSize
    maxSize = Math.ceil(sizeBound(filters[i], types[i], cellSize, context.version, maxSize, i + 1))
  }
  const last: Allocate = (length) =>
    into !== undefined && into.length === length && into.byteOffset % 8 === 0 ? into : new Uint8Array(length)
  for (let i = filters.length - 1; i >= first; i--) {
    const filter = filters[i]
    const input = chunk.data
    const allocate: Allocate = i === first ? last : (length) => scratch(length, input)
    const filterContext: FilterContext = {
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
      chunk = transformOf(filter).reverse(filter, chunk, filterContext, limits[i], allocate)
    } catch (error) {
      if (error instanceof BinaryIssue) error.path.unshift(filter.type)
      throw error
    }
  }
  return isScratch(chunk.data) ? { ...chunk, data: chunk.data.slice() } : chunk
}
