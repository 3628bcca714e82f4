/**
 * Filters, listed in the order in which cells pass through them. Each filter is a function that takes its options, if it
 * has any, and has the name that the filter has in `type`, in JSON and on the command line. A level of −1 is the
 * compressor's default.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const schema = ArraySchema.dense({
 *   dims: { x: Dim.int32([1, 100], { tile: 10 }) },
 *   attrs: { temperature: Attr.float32({ filters: [Filter.byteshuffle(), Filter.zstd({ level: 5 })] }) },
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

export type { Filter, WebpFormat } from "../../schema/array/filter.ts"

/** The options of compressors. */
export interface LevelOptions {
  /** The compression level; −1 is the compressor's default. */
  readonly level?: number
}

/**
 * Leaves cells unchanged.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.float32({ filters: [Filter.noop(), Filter.zstd()] }).filters.filters[0].type, "noop")
 * ```
 */
export const noop = (): Filter => ({ type: "noop" })

/**
 * Groups the bytes of values by their position, which improves the compression of numbers that change slowly.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.float32({ filters: [Filter.byteshuffle(), Filter.zstd()] }).filters.filters[0].type, "byteshuffle")
 * ```
 */
export const byteshuffle = (): Filter => ({ type: "byteshuffle" })

/**
 * Groups the bits of values by their position.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.float32({ filters: [Filter.bitshuffle(), Filter.zstd()] }).filters.filters[0].type, "bitshuffle")
 * ```
 */
export const bitshuffle = (): Filter => ({ type: "bitshuffle" })

/**
 * Stores runs of equal values as one value and a count; for text it must be the first filter of the list.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.int32({ filters: [Filter.rle(), Filter.zstd()] }).filters.filters[0].type, "rle")
 * ```
 */
export const rle = (): Filter => ({ type: "rle", level: -1 })

/**
 * Stores distinct texts once, and an index per cell; for var-sized text only, must be the first filter of the list.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.ascii({ filters: [Filter.dictionary(), Filter.zstd()] }).filters.filters[0].type, "dictionary")
 * ```
 */
export const dictionary = (): Filter => ({ type: "dictionary", level: -1 })

/**
 * Stores every value as the xor with the previous value.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.float64({ filters: [Filter.xor(), Filter.zstd()] }).filters.filters[0].type, "xor")
 * ```
 */
export const xor = (): Filter => ({ type: "xor" })

/**
 * Adds an MD5 checksum to every chunk, verified on reading.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.float32({ filters: [Filter.zstd(), Filter.checksum_md5()] }).filters.filters[1].type, "checksum_md5")
 * ```
 */
export const checksum_md5 = (): Filter => ({ type: "checksum_md5" })

/**
 * Adds a SHA-256 checksum to every chunk, verified on reading.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.float32({ filters: [Filter.zstd(), Filter.checksum_sha256()] }).filters.filters[1].type, "checksum_sha256")
 * ```
 */
export const checksum_sha256 = (): Filter => ({ type: "checksum_sha256" })

/**
 * Compresses with gzip (zlib), levels 0 to 9.
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Filter.gzip({ level: 9 }), { type: "gzip", level: 9 })
 * ```
 */
export const gzip = (options: LevelOptions = {}): Filter => ({ type: "gzip", level: options.level ?? -1 })

/**
 * Compresses with Zstandard, levels −7 to 22.
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Filter.zstd({ level: 5 }), { type: "zstd", level: 5 })
 * ```
 */
export const zstd = (options: LevelOptions = {}): Filter => ({ type: "zstd", level: options.level ?? -1 })

/**
 * Compresses with LZ4.
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Filter.lz4({ level: 1 }), { type: "lz4", level: 1 })
 * ```
 */
export const lz4 = (options: LevelOptions = {}): Filter => ({ type: "lz4", level: options.level ?? -1 })

/**
 * Compresses with bzip2, levels 1 to 9.
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Filter.bzip2({ level: 9 }), { type: "bzip2", level: 9 })
 * ```
 */
export const bzip2 = (options: LevelOptions = {}): Filter => ({ type: "bzip2", level: options.level ?? -1 })

/** The options of the delta filters. */
export interface DeltaOptions {
  /** Processes the bytes as values of this datatype. Default: `any`, the datatype of the input. */
  readonly reinterpret?: Datatype
}

/**
 * Stores the difference between every value and the previous one. Not for floats.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.int64({ filters: [Filter.delta(), Filter.zstd()] }).filters.filters.length, 2)
 * ```
 */
export const delta = (options: DeltaOptions = {}): Filter => ({
  type: "delta",
  level: -1,
  reinterpretDatatype: options.reinterpret ?? "any",
})

/**
 * Stores the change of the difference between consecutive values: for counters and timestamps. Not for floats.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.datetime("ms", { filters: [Filter.double_delta(), Filter.zstd()] }).filters.filters.length, 2)
 * ```
 */
export const double_delta = (options: DeltaOptions = {}): Filter => ({
  type: "double_delta",
  level: -1,
  reinterpretDatatype: options.reinterpret ?? "any",
})

/** The options of filters on windows of values. */
export interface WindowOptions {
  /** The maximum size of a window in bytes. */
  readonly maxWindow?: number
}

/**
 * Stores integers in as few bits as the largest value of a window (256 bytes) needs.
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Filter.bit_width_reduction(), { type: "bit_width_reduction", maxWindow: 256 })
 * ```
 */
export const bit_width_reduction = (options: WindowOptions = {}): Filter => ({
  type: "bit_width_reduction",
  maxWindow: options.maxWindow ?? 256,
})

/**
 * Stores ascending integers as differences within a window (1024 bytes).
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Filter.positive_delta({ maxWindow: 512 }), { type: "positive_delta", maxWindow: 512 })
 * ```
 */
export const positive_delta = (options: WindowOptions = {}): Filter => ({
  type: "positive_delta",
  maxWindow: options.maxWindow ?? 1024,
})

/**
 * How floats are converted to integers: `round((value − offset) / scale)` of `byteWidth` bytes (1, 2, 4 or 8; default
 * 8).
 */
export interface ScaleFloatOptions {
  /** The difference between two consecutive integers. Default: 1. */
  readonly scale?: number
  /** The value that becomes 0. Default: 0. */
  readonly offset?: number
  /** The size of the integers in bytes. Default: 8. */
  readonly byteWidth?: number
}

/**
 * Stores floats as scaled integers; precision finer than `scale` is lost.
 *
 * ```ts
 * import { Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * // hundredths between −327.68 and 327.67
 * const filter = Filter.scale_float({ scale: 0.01, byteWidth: 2 })
 * assertEquals(filter, { type: "scale_float", scale: 0.01, offset: 0, byteWidth: 2 })
 * ```
 */
export const scale_float = (options: ScaleFloatOptions = {}): Filter => ({
  type: "scale_float",
  scale: options.scale ?? 1,
  offset: options.offset ?? 0,
  byteWidth: options.byteWidth ?? 8,
})

/** The options of the WebP filter. */
export interface WebpOptions {
  /** The pixel format of the cells in a row. */
  readonly format: WebpFormat
  /** The quality of lossy pictures, 0 to 100. Default: 100. */
  readonly quality?: number
  /** Whether pictures are lossless. Default: false. */
  readonly lossless?: boolean
}

/**
 * Stores tiles as WebP pictures: for `uint8` attributes of dense arrays with two dimensions, rows before columns. The
 * pictures have the size of the tiles.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.uint8({ filters: [Filter.webp({ format: "rgb", lossless: true })] }).filters.filters[0].type, "webp")
 * ```
 */
export const webp = (options: WebpOptions): Filter => ({
  type: "webp",
  quality: options.quality ?? 100,
  format: options.format,
  lossless: options.lossless ?? false,
  // the schema sets it from the tile extents
  extentY: 0,
  extentX: 0,
})
