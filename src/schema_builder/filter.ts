/**
 * Filters, to be listed in the order in which cells go through them: those without options are values, the others
 * functions. Levels of −1 are the compressor's own default.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const schema = ArraySchema.dense({
 *   dims: { x: Dim.int32([1, 100], { tile: 10 }) },
 *   attrs: { temperature: Attr.float32(Filter.byteShuffle, Filter.zstd(5)) },
 * })
 * assertEquals(schema.attrs.temperature.filters.filters.map((f) => f.type), ["byteshuffle", "zstd"])
 * ```
 *
 * Format: `filter_pipeline.md`.
 *
 * @module
 */
import type { Datatype } from "../../schema/array/datatype.ts"
import type { Filter, WebpFormat } from "../../schema/array/filter.ts"
import { type FilterPipeline, noFilters } from "../../schema/array/filter_pipeline.ts"

export type { Filter, WebpFormat } from "../../schema/array/filter.ts"

/**
 * Filters as the format keeps them.
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Filter.pipelineOf([Filter.rle]).maxChunkSize, 65536)
 * ```
 */
export const pipelineOf = (filters: ReadonlyArray<Filter>): FilterPipeline => ({
  maxChunkSize: noFilters.maxChunkSize,
  filters: [...filters],
})

/**
 * Nothing: cells pass as they are.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.float32(Filter.noop, Filter.zstd()).filters.filters[0].type, "noop")
 * ```
 */
export const noop: Filter = { type: "noop" }

/**
 * Bytes of the same place in their value together, which compresses numbers that change slowly.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.float32(Filter.byteShuffle, Filter.zstd()).filters.filters[0].type, "byteshuffle")
 * ```
 */
export const byteShuffle: Filter = { type: "byteshuffle" }

/**
 * Bits of the same place in their value together.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.float32(Filter.bitShuffle, Filter.zstd()).filters.filters[0].type, "bitshuffle")
 * ```
 */
export const bitShuffle: Filter = { type: "bitshuffle" }

/**
 * Runs of equal values as one value and a count; on text the first filter of the list.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.int32(Filter.rle, Filter.zstd()).filters.filters[0].type, "rle")
 * ```
 */
export const rle: Filter = { type: "rle", level: -1 }

/**
 * Equal texts once, and numbers for them; the first filter of the list, for var-sized text only.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.ascii(Filter.dictionary, Filter.zstd()).filters.filters[0].type, "dictionary")
 * ```
 */
export const dictionary: Filter = { type: "dictionary", level: -1 }

/**
 * Every value as the bits in which it differs from the one before.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.float64(Filter.xor, Filter.zstd()).filters.filters[0].type, "xor")
 * ```
 */
export const xor: Filter = { type: "xor" }

/**
 * An MD5 sum of every chunk, checked when it is read.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.float32(Filter.zstd(), Filter.checksumMd5).filters.filters[1].type, "checksum_md5")
 * ```
 */
export const checksumMd5: Filter = { type: "checksum_md5" }

/**
 * A SHA-256 sum of every chunk, checked when it is read.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.float32(Filter.zstd(), Filter.checksumSha256).filters.filters[1].type, "checksum_sha256")
 * ```
 */
export const checksumSha256: Filter = { type: "checksum_sha256" }

/**
 * gzip (zlib) compression, levels 0 to 9.
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Filter.gzip(9), { type: "gzip", level: 9 })
 * ```
 */
export const gzip = (level = -1): Filter => ({ type: "gzip", level })

/**
 * Zstandard compression, levels −7 to 22.
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Filter.zstd(5), { type: "zstd", level: 5 })
 * ```
 */
export const zstd = (level = -1): Filter => ({ type: "zstd", level })

/**
 * LZ4 compression.
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Filter.lz4(1), { type: "lz4", level: 1 })
 * ```
 */
export const lz4 = (level = -1): Filter => ({ type: "lz4", level })

/**
 * bzip2 compression, levels 1 to 9.
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Filter.bzip2(9), { type: "bzip2", level: 9 })
 * ```
 */
export const bzip2 = (level = -1): Filter => ({ type: "bzip2", level })

/** How differences are taken. */
export interface DeltaOptions {
  /** Takes the bytes for values of this datatype. Default: `any`, the type that they have. */
  readonly reinterpret?: Datatype
}

/**
 * Every value as its difference to the one before. Not for floats.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.int64(Filter.delta(), Filter.zstd()).filters.filters.length, 2)
 * ```
 */
export const delta = (options: DeltaOptions = {}): Filter => ({
  type: "delta",
  level: -1,
  reinterpretDatatype: options.reinterpret ?? "any",
})

/**
 * Every value as the difference of its difference: for counters and timestamps. Not for floats.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.datetime("ms", Filter.doubleDelta(), Filter.zstd()).filters.filters.length, 2)
 * ```
 */
export const doubleDelta = (options: DeltaOptions = {}): Filter => ({
  type: "double_delta",
  level: -1,
  reinterpretDatatype: options.reinterpret ?? "any",
})

/** How many bytes of values are looked at together. */
export interface WindowOptions {
  /** In bytes. */
  readonly maxWindow?: number
}

/**
 * Integers in as few bits as the largest of a window (256 bytes) needs.
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Filter.bitWidthReduction(), { type: "bit_width_reduction", maxWindow: 256 })
 * ```
 */
export const bitWidthReduction = (options: WindowOptions = {}): Filter => ({
  type: "bit_width_reduction",
  maxWindow: options.maxWindow ?? 256,
})

/**
 * Integers that never go down, as differences within a window (1024 bytes).
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Filter.positiveDelta({ maxWindow: 512 }), { type: "positive_delta", maxWindow: 512 })
 * ```
 */
export const positiveDelta = (options: WindowOptions = {}): Filter => ({
  type: "positive_delta",
  maxWindow: options.maxWindow ?? 1024,
})

/** How floats become integers: `round((value − offset) / scale)` of `byteWidth` bytes (1, 2, 4 or 8; 8). */
export interface ScaleFloatOptions {
  /** The step between two values. Default: 1. */
  readonly scale?: number
  /** What becomes 0. Default: 0. */
  readonly offset?: number
  /** Bytes of the integers. Default: 8. */
  readonly byteWidth?: number
}

/**
 * Floats as scaled integers: loses what is finer than `scale`.
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * // hundredths between −327.68 and 327.67
 * const filter = Filter.scaleFloat({ scale: 0.01, byteWidth: 2 })
 * assertEquals(filter, { type: "scale_float", scale: 0.01, offset: 0, byteWidth: 2 })
 * ```
 */
export const scaleFloat = (options: ScaleFloatOptions = {}): Filter => ({
  type: "scale_float",
  scale: options.scale ?? 1,
  offset: options.offset ?? 0,
  byteWidth: options.byteWidth ?? 8,
})

/** How tiles become pictures. */
export interface WebpOptions {
  /** How the cells of a row are pixels. */
  readonly format: WebpFormat
  /** 0 to 100, for lossy pictures. Default: 100. */
  readonly quality?: number
  /** Default: false. */
  readonly lossless?: boolean
}

/**
 * Tiles as WebP pictures: for `uint8` attributes of dense arrays with two dimensions, rows before columns. The sizes of the
 * pictures are those of the tiles.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.uint8(Filter.webp({ format: "rgb", lossless: true })).filters.filters[0].type, "webp")
 * ```
 */
export const webp = (options: WebpOptions): Filter => ({
  type: "webp",
  quality: options.quality ?? 100,
  format: options.format,
  lossless: options.lossless ?? false,
  // the schema sets them, which knows the tiles
  extentY: 0,
  extentX: 0,
})
