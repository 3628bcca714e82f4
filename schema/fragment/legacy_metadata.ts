/**
 * Fragment metadata of formats 1 and 2: everything in one generic tile.
 *
 * @module
 */
import { boundedMemo } from "../binary/bounded_memo.ts"
import * as Schema from "effect/Schema"
import {
  BinaryIssue,
  type Codec,
  type Field,
  field,
  listOf,
  ownVersion,
  struct,
  u64,
  u64Column,
  u64ColumnOf,
} from "../binary/mod.ts"
import { decodeByOwnVersion } from "../version/by_own_version.ts"
import { fitRanges, getRanges, putRanges, type Range, rangesSchema } from "../array/range.ts"
import type { FragmentShape } from "./footer.ts"

/** The metadata of a fragment of format 1 or 2. The fragment is sparse if and only if `__coords.tdb` exists. */
export interface LegacyMetadata {
  /** The format version: 1 or 2. */
  readonly version: number
  /** The bounding box of all cells; `null` if there are no cells. */
  readonly nonEmptyDomain: ReadonlyArray<Range> | null
  /** The raw MBRs, low and high per dimension; empty in dense fragments. See `mbrsOfBytes`. */
  readonly mbrs: Uint8Array
  /** The raw first and last cells of the tiles, as long as `mbrs`; unused. */
  readonly boundingCoords: Uint8Array
  /** Offsets of the tiles by attribute; the last item is for the coordinates. */
  readonly tileOffsets: ReadonlyArray<Float64Array>
  /** Offsets of the tiles of var-sized values, by attribute. */
  readonly varTileOffsets: ReadonlyArray<Float64Array>
  /** The unfiltered sizes of tiles of var-sized values in bytes, by attribute. */
  readonly varTileSizes: ReadonlyArray<Float64Array>
  /** The number of cells in the last tile of a sparse fragment; all other tiles are full. */
  readonly lastTileCells: number
  /** Sizes of the files in bytes, by attribute; the last item is for the coordinates. */
  readonly fileSizes: Float64Array
  /** Sizes of the files of var-sized values in bytes, by attribute. */
  readonly varFileSizes: Float64Array
}

const nonEmptyDomain = (sizes: ReadonlyArray<number>, size: number): Field<ReadonlyArray<Range> | null> =>
  field({
    schema: () => Schema.NullOr(rangesSchema()) as unknown as Schema.Schema<ReadonlyArray<Range> | null>,
    minBytes: 8,
    get: (c) => {
      const at = c.offset
      const length = u64.get(c, undefined)
      if (length === 0) return null
      if (length !== size) throw new BinaryIssue(at, `a domain of ${length} bytes; expected ${size}`)
      return getRanges(c, sizes)
    },
    put: (s, a) => {
      u64.put(s, a === null ? 0 : size, undefined)
      if (a !== null) putRanges(s, a, sizes)
    },
    fit: (a) => a === null ? null : fitRanges(a, sizes),
  })

/** A count, followed by this number of rectangles of `size` bytes. */
const rectangles = (size: number): Field<Uint8Array> =>
  field({
    schema: () => Schema.Uint8ArrayFromSelf,
    minBytes: 8,
    get: (c) => {
      const count = u64.get(c, undefined)
      c.checkCount(count, size)
      return c.bytesOf(count * size)
    },
    put: (s, a) => {
      if (a.byteLength % size !== 0) {
        throw new BinaryIssue(s.offset, `${a.byteLength} bytes are not a multiple of the rectangle size`)
      }
      u64.put(s, a.byteLength / size, undefined)
      s.append(a)
    },
    fit: (a) => a.subarray(0, a.byteLength - a.byteLength % size),
  })

const make = (shape: FragmentShape): Codec<LegacyMetadata> => {
  const sizes = shape.dimensions.map((size) => {
    if (size === "var") throw new TypeError("dimensions of formats 1 and 2 have a fixed size")
    return size
  })
  const size = sizes.reduce((sum, s) => sum + 2 * s, 0)
  const columns = (count: number): Field<ReadonlyArray<Float64Array>> =>
    listOf(() => count, u64Column, () => new Float64Array(0))
  return struct({
    version: ownVersion,
    nonEmptyDomain: nonEmptyDomain(sizes, size),
    mbrs: rectangles(size),
    boundingCoords: rectangles(size),
    tileOffsets: columns(shape.attributes + 1),
    varTileOffsets: columns(shape.attributes),
    varTileSizes: columns(shape.attributes),
    lastTileCells: u64,
    fileSizes: u64ColumnOf(() => shape.attributes + 1),
    varFileSizes: u64ColumnOf(() => shape.attributes),
  })
}

/**
 * Returns the codec of the metadata of a fragment of this shape, at the version stored in it. Memoised. Throws
 * `TypeError` for var-sized dimensions, which these versions do not support. Format: `fragment.md`, "Legacy Fragment
 * metadata file".
 *
 * ```ts
 * import { decode, encode, legacyMetadata } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const Metadata = legacyMetadata({ attributes: 0, dimensions: [1] })
 * const none = new Float64Array(1)
 * const metadata = {
 *   version: 2,
 *   nonEmptyDomain: [{ low: Uint8Array.of(0), high: Uint8Array.of(9) }],
 *   mbrs: Uint8Array.of(0, 4, 5, 9),
 *   boundingCoords: Uint8Array.of(0, 4, 5, 9),
 *   tileOffsets: [Float64Array.of(0, 60)],
 *   varTileOffsets: [],
 *   varTileSizes: [],
 *   lastTileCells: 2,
 *   fileSizes: Float64Array.of(120),
 *   varFileSizes: new Float64Array(0),
 * }
 * assertEquals(decode(Metadata, encode(Metadata, metadata, 2), 2, "mem://a"), metadata)
 * ```
 */
export const legacyMetadata: (shape: FragmentShape) => Codec<LegacyMetadata> = boundedMemo(
  (shape: FragmentShape) => `${shape.attributes},${shape.dimensions.join()}`,
  make,
)

/**
 * Decodes the unfiltered metadata, using the version at its start (1 or 2). Throws `FormatError`.
 *
 * ```ts
 * import { decodeLegacyMetadata, FormatError } from "@tessera/array/schema"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const cut = Uint8Array.of(2, 0, 0, 0, 0, 0)
 * const error = assertThrows(() => decodeLegacyMetadata(cut, { attributes: 1, dimensions: [4] }, "mem://a"), FormatError)
 * assertEquals([error.path, error.offset], ["nonEmptyDomain", 4])
 * ```
 */
export const decodeLegacyMetadata = (bytes: Uint8Array, shape: FragmentShape, uri: string): LegacyMetadata =>
  decodeByOwnVersion(legacyMetadata(shape), bytes, uri)
