/**
 * Generic tiles: the container of every structure that is not a plain file. Format: `generic_tile.md`.
 *
 * @module
 */
import type * as Schema from "effect/Schema"
import {
  BinaryIssue,
  type Codec,
  Cursor,
  encode,
  type Field,
  field,
  literal,
  ownVersion,
  struct,
  u32,
  u64,
} from "../binary/mod.ts"
import { decodeByOwnVersion } from "../version/by_own_version.ts"
import { type Datatype, DatatypeField } from "../array/datatype.ts"
import { FilterPipeline } from "../array/filter_pipeline.ts"
import { FormatError } from "../errors/format_error.ts"
import { NEWEST_VERSION } from "../version/version.ts"

/** The header before the tile data. */
export interface GenericTileHeader {
  /** The format version of the engine that wrote the tile, used to parse the pipeline. */
  readonly version: number
  /** The size of the tile data after the header, in bytes. */
  readonly persistedSize: number
  /** The size of the unfiltered structure in bytes. */
  readonly tileSize: number
  /** The datatype of the cells; engines write CHAR. */
  readonly datatype: Datatype
  /** The size of a cell in bytes; engines write 1. */
  readonly cellSize: number
  /** Whether the last filter encrypts. */
  readonly encryption: "none" | "aes_256_gcm"
  /** The filter pipeline of the structure. */
  readonly filters: FilterPipeline
}

/**
 * The size of the header before its pipeline, in bytes. The last four bytes are the size of the pipeline.
 *
 * ```ts
 * import { GENERIC_TILE_HEADER_SIZE, genericTileHeaderSize } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(genericTileHeaderSize(new Uint8Array(GENERIC_TILE_HEADER_SIZE)), 34)
 * assertEquals(genericTileHeaderSize(new Uint8Array(GENERIC_TILE_HEADER_SIZE - 1)), undefined)
 * ```
 */
export const GENERIC_TILE_HEADER_SIZE = 34

/** A pipeline with its size in bytes before it. */
const SizedPipeline: Field<FilterPipeline> = field({
  schema: () => FilterPipeline.schema as Schema.Schema<FilterPipeline>,
  minBytes: 4 + FilterPipeline.minBytes,
  get: (c) => {
    const length = u32.get(c, undefined)
    const start = c.offset
    const inner = new Cursor(c.bytesOf(length), c.version)
    try {
      const pipeline = FilterPipeline.get(inner, undefined)
      if (inner.remaining > 0) throw new BinaryIssue(inner.offset, `${inner.remaining} unexpected bytes at the end`)
      return pipeline
    } catch (error) {
      if (!(error instanceof BinaryIssue)) throw error
      const moved = new BinaryIssue(start + error.offset, error.reason)
      moved.path.push(...error.path)
      throw moved
    }
  },
  put: (s, a) => {
    const bytes = encode(FilterPipeline, a, s.version)
    u32.put(s, bytes.byteLength, undefined)
    s.append(bytes)
  },
  fit: FilterPipeline.fit,
})

/**
 * The codec of the header: 34 bytes and the pipeline. Format: `generic_tile.md`.
 *
 * ```ts
 * import { encode, GenericTileHeader } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const header: GenericTileHeader = {
 *   version: 22,
 *   persistedSize: 120,
 *   tileSize: 100,
 *   datatype: "char",
 *   cellSize: 1,
 *   encryption: "none",
 *   filters: { maxChunkSize: 65536, filters: [{ type: "gzip", level: -1 }] },
 * }
 * assertEquals(encode(GenericTileHeader, header, 22).length, 34 + 8 + 10)
 * ```
 */
export const GenericTileHeader: Codec<GenericTileHeader> = struct({
  version: ownVersion,
  persistedSize: u64,
  tileSize: u64,
  datatype: DatatypeField,
  cellSize: u64,
  encryption: literal({ none: 0, aes_256_gcm: 1 }, "encryption"),
  filters: SizedPipeline,
})

/** A generic tile in a file. */
export interface GenericTile {
  /** The header of the tile. */
  readonly header: GenericTileHeader
  /** The size of header and pipeline in bytes. */
  readonly headerSize: number
  /** A view of the tile data: filtered chunks. */
  readonly data: Uint8Array
  /** The size of header and data in bytes: the offset of the next part of the file. */
  readonly size: number
}

/**
 * Returns the size of header and pipeline in bytes; `undefined` if `bytes` are fewer than 34.
 *
 * ```ts
 * import { localFiles } from "@tessera/array/platform"
 * import { genericTileHeaderSize } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const folder = "tests/golden/demo/weather/__schema"
 * const [{ name }] = Effect.runSync(localFiles.list(folder))
 * const bytes = Effect.runSync(localFiles.read(`${folder}/${name}`))
 * assertEquals(genericTileHeaderSize(bytes), 34 + 8 + 10) // a pipeline of one compressor
 * ```
 */
export const genericTileHeaderSize = (bytes: Uint8Array): number | undefined =>
  bytes.byteLength < GENERIC_TILE_HEADER_SIZE
    ? undefined
    : GENERIC_TILE_HEADER_SIZE + new DataView(bytes.buffer, bytes.byteOffset).getUint32(30, true)

/**
 * Decodes the header of the generic tile at the start of `bytes`; bytes after it are ignored. Throws `FormatError`.
 * `base` is the offset of the bytes in the file.
 *
 * ```ts
 * import { localFiles } from "@tessera/array/platform"
 * import { decodeGenericTileHeader } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const folder = "tests/golden/demo/weather/__schema"
 * const [{ name }] = Effect.runSync(localFiles.list(folder))
 * const uri = `${folder}/${name}`
 * const header = decodeGenericTileHeader(Effect.runSync(localFiles.read(uri)), uri)
 * assertEquals([header.version, header.filters.filters[0].type], [22, "gzip"])
 * ```
 */
export const decodeGenericTileHeader = (bytes: Uint8Array, uri: string, base = 0): GenericTileHeader => {
  if (predatesVersions(bytes)) {
    const reason = "invalid format version: the array predates TileDB 1.4, or these are not TileDB bytes"
    throw new FormatError({ uri, path: "version", offset: base, version: 0, detail: reason })
  }
  return decodeByOwnVersion(GenericTileHeader, bytes, uri, { base, rest: true })
}

/**
 * Up to 1.3 the header starts with the persisted size, a u64 whose upper half is 0; it looks like a version and an
 * empty tile.
 */
const predatesVersions = (bytes: Uint8Array): boolean => {
  if (bytes.byteLength < 8) return false
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return view.getUint32(0, true) > NEWEST_VERSION && view.getUint32(0, true) !== 0xffffffff &&
    view.getUint32(4, true) === 0
}

/**
 * Decodes the generic tile at the start of `bytes`, which must contain the complete tile; bytes after it are ignored.
 * The data stay filtered. Throws `FormatError`. `base` is the offset of the bytes in the file.
 *
 * ```ts
 * import { localFiles } from "@tessera/array/platform"
 * import { decodeGenericTile, tileChunks } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const folder = "tests/golden/demo/weather/__schema"
 * const [{ name }] = Effect.runSync(localFiles.list(folder))
 * const uri = `${folder}/${name}`
 * const { data, header } = decodeGenericTile(Effect.runSync(localFiles.read(uri)), uri)
 * const chunks = tileChunks(data, uri)
 * assertEquals([chunks.count, chunks.totalOriginal], [1, header.tileSize])
 * ```
 */
export const decodeGenericTile = (bytes: Uint8Array, uri: string, base = 0): GenericTile => {
  const header = decodeGenericTileHeader(bytes, uri, base)
  const headerSize = genericTileHeaderSize(bytes)!
  const size = headerSize + header.persistedSize
  if (size > bytes.byteLength) {
    throw new FormatError({
      uri,
      path: "persistedSize",
      offset: base + 4,
      version: header.version,
      detail: `need ${header.persistedSize} bytes of tile data, ${bytes.byteLength - headerSize} left`,
    })
  }
  return { header, headerSize, data: bytes.subarray(headerSize, size), size }
}
