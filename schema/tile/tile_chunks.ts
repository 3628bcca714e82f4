/**
 * The chunks of a tile, which are filtered independently. Format: `tile.md`.
 *
 * @module
 */
import {
  asFormatError,
  BinaryIssue,
  type Codec,
  codec,
  Cursor,
  type Field,
  field,
  list,
  u32,
  u64,
} from "../binary/mod.ts"
import * as Schema from "effect/Schema"

/** A chunk of a tile to be written. */
export interface Chunk {
  /** The size before filtering, in bytes. */
  readonly original: number
  /** The metadata that the filters need to reverse their work. */
  readonly metadata: Uint8Array
  /** The filtered data. */
  readonly filtered: Uint8Array
}

const ChunkField: Field<Chunk> = field({
  schema: () =>
    Schema.Struct({
      original: u32.schema,
      metadata: Schema.Uint8ArrayFromSelf,
      filtered: Schema.Uint8ArrayFromSelf,
    }) as unknown as Schema.Schema<Chunk>,
  minBytes: 12,
  get: (c) => {
    const original = u32.get(c, undefined)
    const filtered = u32.get(c, undefined)
    const metadata = u32.get(c, undefined)
    return { original, metadata: c.bytesOf(metadata), filtered: c.bytesOf(filtered) }
  },
  put: (s, chunk) => {
    u32.put(s, chunk.original, undefined)
    u32.put(s, chunk.filtered.byteLength, undefined)
    u32.put(s, chunk.metadata.byteLength, undefined)
    s.append(chunk.metadata)
    s.append(chunk.filtered)
  },
  fit: (chunk) => chunk,
})

/**
 * The codec of a filtered tile as chunks. {@link tileChunks} reads one without an object per chunk. Format: `tile.md`.
 *
 * ```ts
 * import { Chunks, encode } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const chunk = { original: 4, metadata: new Uint8Array(0), filtered: Uint8Array.of(1, 2) }
 * assertEquals(encode(Chunks, [chunk], 22).length, 8 + 12 + 2)
 * ```
 */
export const Chunks: Codec<ReadonlyArray<Chunk>> = codec(list(u64, ChunkField))

/** The positions of the chunks of a tile. */
export interface ChunkTable {
  /** The number of chunks. */
  readonly count: number
  /** The unfiltered size of each chunk in bytes. */
  readonly original: Uint32Array
  /** The filtered size of each chunk in bytes. */
  readonly filtered: Uint32Array
  /** The size of the filter metadata of each chunk in bytes. */
  readonly metadata: Uint32Array
  /** The start of each chunk's metadata in the bytes of the tile; the filtered data follow it. */
  readonly offsets: Float64Array
  /** The unfiltered size of all chunks in bytes. */
  readonly totalOriginal: number
  /** The size of the filtered tile in bytes. */
  readonly size: number
}

/**
 * Locates the chunks of the tile at the start of `bytes` without unfiltering them. `totalOriginal` is unverified: check
 * it against the size of the tile. Bytes after the last chunk are an error unless `rest` is set. `base` is the offset
 * of the bytes in the file `uri`. Throws `FormatError`.
 *
 * ```ts
 * import { Chunks, encode, tileChunks } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const chunk = { original: 4, metadata: new Uint8Array(0), filtered: Uint8Array.of(1, 2) }
 * const tile = encode(Chunks, [chunk, chunk], 22)
 * const { count, offsets, totalOriginal } = tileChunks(tile, "mem://a/a0.tdb")
 * assertEquals([count, totalOriginal], [2, 8])
 * assertEquals(offsets, Float64Array.of(20, 34))
 * ```
 */
export const tileChunks = (
  bytes: Uint8Array,
  uri: string,
  options: { readonly base?: number; readonly rest?: boolean } = {},
): ChunkTable => {
  const c = new Cursor(bytes, 0)
  let i = -1
  try {
    const count = u64.get(c, undefined)
    c.checkCount(count, 12)
    const original = new Uint32Array(count)
    const filtered = new Uint32Array(count)
    const metadata = new Uint32Array(count)
    const offsets = new Float64Array(count)
    let totalOriginal = 0
    for (i = 0; i < count; i++) {
      const at = c.take(12)
      totalOriginal += original[i] = c.view.getUint32(at, true)
      filtered[i] = c.view.getUint32(at + 4, true)
      metadata[i] = c.view.getUint32(at + 8, true)
      offsets[i] = c.take(metadata[i] + filtered[i])
    }
    if (c.remaining > 0 && options.rest !== true) {
      throw new BinaryIssue(c.offset, `${c.remaining} unexpected bytes after the last chunk`)
    }
    return { count, original, filtered, metadata, offsets, totalOriginal, size: c.offset }
  } catch (error) {
    if (error instanceof BinaryIssue) error.path.unshift(...(i < 0 ? ["chunks"] : ["chunks", i]))
    throw asFormatError(error, 0, uri, options.base ?? 0)
  }
}
