/**
 * Compression, digests and ciphers: a service of plain synchronous functions, selected by layer. They are called for
 * each chunk inside a tile's pipeline, so they are not Effects; they throw {@link CodecError}.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CodecError } from "../errors.ts"
import type { Workers } from "../workers/worker_pool.ts"

/** A compressor and its inverse. Both throw {@link CodecError}. */
export interface Compressor {
  /**
   * Decompresses `input` to exactly `size` bytes. A stream with fewer or more bytes is a CodecError, and no more than
   * `size` bytes are allocated for the result. Codecs that can write to memory of the caller call `allocate` after they
   * have checked that the size is plausible.
   */
  readonly decompress: (input: Uint8Array, size: number, allocate?: (size: number) => Uint8Array) => Uint8Array
  /** Compresses `input` at `level` (−1: the codec's default). A codec without compression throws CodecError. */
  readonly compress: (input: Uint8Array, level: number) => Uint8Array
}

/** The pixels of a decoded picture in RGBA, four bytes each, row by row. */
export interface Picture {
  /** Width in pixels. */
  readonly width: number
  /** Height in pixels. */
  readonly height: number
  /** Red, green, blue and alpha of every pixel, row by row. */
  readonly rgba: Uint8Array
}

/** A WebP decoder. Throws {@link CodecError}. */
export interface WebpCodec {
  /** Decodes a file. A file of more than `pixels` pixels is rejected by its header, before memory is allocated. */
  readonly decode: (input: Uint8Array, pixels?: number) => Picture
}

/** A WebP encoder. Throws {@link CodecError}. */
export interface WebpEncoder {
  /**
   * Encodes a picture as a file: `"lossless"`, including the colours of transparent pixels, or with a quality from 0 to
   * 100.
   */
  readonly encode: (picture: Picture, quality: number | "lossless") => Uint8Array
}

/** The codec service. */
export interface Codecs {
  /** A zlib stream (RFC 1950), which TileDB calls GZIP. */
  readonly gzip: Compressor
  /** One standard zstd frame. */
  readonly zstd: Compressor
  /** A raw LZ4 block. */
  readonly lz4: Compressor
  /** A bzip2 stream. */
  readonly bzip2: Compressor
  /** Returns the MD5 digest: 16 bytes. */
  readonly md5: (input: Uint8Array) => Uint8Array
  /** Returns the SHA-256 digest: 32 bytes. */
  readonly sha256: (input: Uint8Array) => Uint8Array
  /**
   * Decrypts AES-256-GCM: `key` has 32 bytes, `iv` 12, `tag` 16. Throws CodecError for a wrong key and for changed
   * bytes.
   */
  readonly decrypt: (key: Uint8Array, iv: Uint8Array, tag: Uint8Array, cipher: Uint8Array) => Uint8Array
  /** Encrypts with AES-256-GCM. */
  readonly encrypt: (
    key: Uint8Array,
    iv: Uint8Array,
    plain: Uint8Array,
  ) => { readonly cipher: Uint8Array; readonly tag: Uint8Array }
  /** Loads the WebP decoder on first use; fails with CodecError in layers without WebP. */
  readonly webp: Effect.Effect<WebpCodec, CodecError>
  /** Loads the WebP encoder on first use; fails with CodecError in layers without WebP. */
  readonly webpEncoder: Effect.Effect<WebpEncoder, CodecError>
  /** Worker threads with the same codecs, which decode parts of large reads; absent in layers without threads. */
  readonly workers?: Workers
}

/**
 * The tag of the codec service. `layerNative`, `layerPortable` and `layerDefault` provide it.
 *
 * ```ts
 * import { Codecs, layerNative } from "@tessera/array/platform"
 * import { assert } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.map(Codecs, (codecs) => codecs.gzip.compress(new Uint8Array(10_000), 9).length)
 * assert(Effect.runSync(Effect.provide(program, layerNative)) < 100)
 * ```
 */
export const Codecs: Context.Tag<Codecs, Codecs> = Context.GenericTag<Codecs>("@tessera/array/Codecs")
