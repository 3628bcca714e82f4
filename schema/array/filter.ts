/**
 * The filters of a pipeline and their options. Format: `filter_pipeline.md`; section 4 of the design notes describes
 * what the engine writes.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import {
  BinaryIssue,
  bool,
  type Codec,
  codec,
  Cursor,
  f32,
  f64,
  type Field,
  field,
  i32,
  literal,
  u16,
  u32,
  u64,
  u8,
} from "../binary/mod.ts"
import { type Datatype, DatatypeField } from "./datatype.ts"
import { Since } from "../version/version.ts"

/** Compressors that work on bytes, independent of the datatype. */
export type Compression = "gzip" | "zstd" | "lz4" | "bzip2"

/** A filter of a pipeline, with its options. */
export type Filter =
  | { readonly type: "noop" }
  | { readonly type: Compression; readonly level: number }
  | { readonly type: "rle"; readonly level: number }
  | { readonly type: "double_delta" | "delta"; readonly level: number; readonly reinterpretDatatype: Datatype }
  | { readonly type: "bit_width_reduction" | "positive_delta"; readonly maxWindow: number }
  | { readonly type: "bitshuffle" | "byteshuffle" | "aes_256_gcm" | "checksum_md5" | "checksum_sha256" | "xor" }
  | { readonly type: "dictionary"; readonly level: number }
  | { readonly type: "scale_float"; readonly scale: number; readonly offset: number; readonly byteWidth: number }
  | {
    readonly type: "webp"
    readonly quality: number
    readonly format: WebpFormat
    readonly lossless: boolean
    /** The tile extents of the two dimensions: rows, then columns. */
    readonly extentY: number
    readonly extentX: number
  }

/** The names of the filters. */
export type FilterType = Filter["type"]

/** The pixel format of the cells in a row. */
export type WebpFormat = "none" | "rgb" | "bgr" | "rgba" | "bgra"

const codes: Record<FilterType, number> = {
  noop: 0,
  gzip: 1,
  zstd: 2,
  lz4: 3,
  rle: 4,
  bzip2: 5,
  double_delta: 6,
  bit_width_reduction: 7,
  bitshuffle: 8,
  byteshuffle: 9,
  positive_delta: 10,
  aes_256_gcm: 11,
  checksum_md5: 12,
  checksum_sha256: 13,
  dictionary: 14,
  scale_float: 15,
  xor: 16,
  webp: 18,
  delta: 19,
}

const names = new Map(Object.entries(codes).map(([name, code]) => [code, name as FilterType]))

/** The options name the compressor by codes of their own, which differ from the filter codes. */
const compressors: Partial<Record<FilterType, number>> = {
  gzip: 1,
  zstd: 2,
  lz4: 3,
  rle: 4,
  bzip2: 5,
  double_delta: 6,
  dictionary: 7,
  delta: 8,
}

const webpFormat = literal({ none: 0, rgb: 1, bgr: 2, rgba: 3, bgra: 4 }, "WebP format")

const isCompressor = (type: FilterType): type is Compression | "rle" | "dictionary" | "double_delta" | "delta" =>
  compressors[type] !== undefined

/** Whether the options of a delta or double delta filter contain the reinterpret type. */
const reinterprets = (type: FilterType, version: number): boolean =>
  (type === "delta" && version >= Since.deltaReinterpret) ||
  (type === "double_delta" && version >= Since.doubleDeltaReinterpret)

const getOptions = (c: Cursor, type: FilterType): Filter => {
  if (isCompressor(type)) {
    const at = c.offset
    const compressor = u8.get(c, undefined)
    if (compressor !== compressors[type]) throw new BinaryIssue(at, `${compressor} is not the compressor of ${type}`)
    const level = i32.get(c, undefined)
    if (type !== "double_delta" && type !== "delta") return { type, level }
    const reinterpretDatatype = reinterprets(type, c.version) ? DatatypeField.get(c, undefined) : "any"
    return { type, level, reinterpretDatatype }
  }
  switch (type) {
    case "bit_width_reduction":
    case "positive_delta":
      return { type, maxWindow: u32.get(c, undefined) }
    case "scale_float":
      return { type, scale: f64.get(c, 0), offset: f64.get(c, 0), byteWidth: u64.get(c, 0) }
    case "webp": {
      const webp: Filter = {
        type,
        quality: f32.get(c, undefined),
        format: webpFormat.get(c, undefined),
        lossless: bool.get(c, undefined),
        extentY: u16.get(c, undefined),
        extentX: u16.get(c, undefined),
      }
      u16.get(c, undefined)
      return webp
    }
    default:
      return { type } as Filter
  }
}

const putOptions = (s: Parameters<Field<Filter>["put"]>[0], filter: Filter): void => {
  if ("level" in filter) {
    u8.put(s, compressors[filter.type]!, undefined)
    i32.put(s, filter.level, undefined)
    if ("reinterpretDatatype" in filter && reinterprets(filter.type, s.version)) {
      DatatypeField.put(s, filter.reinterpretDatatype, undefined)
    }
  } else if ("maxWindow" in filter) {
    u32.put(s, filter.maxWindow, undefined)
  } else if (filter.type === "scale_float") {
    f64.put(s, filter.scale, undefined)
    f64.put(s, filter.offset, undefined)
    u64.put(s, filter.byteWidth, undefined)
  } else if (filter.type === "webp") {
    f32.put(s, filter.quality, undefined)
    webpFormat.put(s, filter.format, undefined)
    bool.put(s, filter.lossless, undefined)
    u16.put(s, filter.extentY, undefined)
    u16.put(s, filter.extentX, undefined)
    u16.put(s, 0, undefined)
  }
}

const plain = <T extends FilterType>(type: T) => Schema.Struct({ type: Schema.Literal(type) })
const levelled = <T extends FilterType>(type: T) => Schema.Struct({ type: Schema.Literal(type), level: i32.schema })
const windowed = <T extends FilterType>(type: T) => Schema.Struct({ type: Schema.Literal(type), maxWindow: u32.schema })
const differences = <T extends FilterType>(type: T) =>
  Schema.Struct({ type: Schema.Literal(type), level: i32.schema, reinterpretDatatype: DatatypeField.schema })

const schema = () =>
  Schema.Union(
    plain("noop"),
    levelled("gzip"),
    levelled("zstd"),
    levelled("lz4"),
    levelled("rle"),
    levelled("bzip2"),
    levelled("dictionary"),
    differences("double_delta"),
    differences("delta"),
    windowed("bit_width_reduction"),
    windowed("positive_delta"),
    plain("bitshuffle"),
    plain("byteshuffle"),
    plain("aes_256_gcm"),
    plain("checksum_md5"),
    plain("checksum_sha256"),
    plain("xor"),
    Schema.Struct({
      type: Schema.Literal("scale_float"),
      scale: f64.schema,
      offset: f64.schema,
      byteWidth: u64.schema,
    }),
    Schema.Struct({
      type: Schema.Literal("webp"),
      quality: f32.schema,
      format: webpFormat.schema,
      lossless: bool.schema,
      extentY: u16.schema,
      extentX: u16.schema,
    }),
  ) as unknown as Schema.Schema<Filter>

/**
 * The codec of a filter: its code, the size of its options in bytes, the options. Format: `filter_pipeline.md`.
 *
 * ```ts
 * import { decode, encode, Filter, FormatError } from "@tessera/array/schema"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * assertEquals(encode(Filter, { type: "zstd", level: 5 }, 22), Uint8Array.of(2, 5, 0, 0, 0, 2, 5, 0, 0, 0))
 *
 * const error = assertThrows(() => decode(Filter, Uint8Array.of(77, 0, 0, 0, 0), 22, "mem://a"), FormatError)
 * assertEquals(error.reason, "Unsupported")
 * ```
 */
export const Filter: Codec<Filter> = codec<Filter>(field({
  schema,
  minBytes: 5,
  get: (c) => {
    const at = c.offset
    const code = u8.get(c, undefined)
    const type = names.get(code)
    const length = u32.get(c, undefined)
    const start = c.offset
    if (type === undefined) {
      throw new BinaryIssue(
        at,
        code === 17 ? "filter 17 (bitsort) was removed from the format" : `unknown filter ${code}; use a newer tessera`,
        true,
      )
    }
    const options = new Cursor(c.bytesOf(length), c.version)
    let filter: Filter
    try {
      filter = getOptions(options, type)
    } catch (error) {
      throw error instanceof BinaryIssue ? new BinaryIssue(start + error.offset, `${type}: ${error.reason}`) : error
    }
    if (options.remaining > 0) {
      throw new BinaryIssue(start + options.offset, `${type}: ${options.remaining} unexpected bytes after the options`)
    }
    return filter
  },
  put: (s, filter) => {
    u8.put(s, codes[filter.type], undefined)
    const at = s.reserve(4)
    putOptions(s, filter)
    s.view.setUint32(at, s.offset - at - 4, true)
  },
  fit: (filter, version) => {
    if ("reinterpretDatatype" in filter && !reinterprets(filter.type, version)) {
      return { ...filter, reinterpretDatatype: "any" }
    }
    return filter.type === "webp" ? { ...filter, quality: Math.fround(filter.quality) } : filter
  },
}))
