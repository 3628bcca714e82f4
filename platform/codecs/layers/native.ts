/**
 * The codecs of Deno, Bun and Node: `node:zlib` and `node:crypto` where they have the codec, plain TypeScript elsewhere
 * (bzip2; zstd on Node before 22.15), and a small WebAssembly kernel for LZ4.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { ZstdOptions } from "node:zlib"
import { bzip2 } from "../bzip2/portable.ts"
import { lz4WithKernel } from "../lz4/wasm.ts"
import { Codecs, type Compressor } from "../service.ts"
import { portableZstd } from "../zstd/portable.ts"
import { checkCipherArguments, webpMissing } from "../arguments.ts"
import { exactly, guarded, plausible } from "../bounds.ts"
import { inflateExactly } from "../inflate.ts"
import { builtin } from "../../host/builtin_modules.ts"
import { readZstdFrame } from "../zstd/frame.ts"
import { type DecodeFrame, type FrameDecoder, makeFrameDecoder } from "../zstd/native_handle.ts"

const crypto = builtin("node:crypto")
const zlib = builtin("node:zlib")

/**
 * Returns bytes at the start of their own buffer: results of the runtime may be slices of a shared pool at any offset,
 * and callers create typed array views of them.
 */
const owned = (bytes: Uint8Array): Uint8Array =>
  bytes.byteOffset === 0 && bytes.buffer.byteLength <= bytes.length + 8
    ? new Uint8Array(bytes.buffer as ArrayBuffer, 0, bytes.length)
    : new Uint8Array(bytes)

/** Returns options for one output buffer of just over `size` bytes, and an error instead of a second buffer. */
const bounded = (size: number): { maxOutputLength: number; chunkSize: number } => ({
  maxOutputLength: Math.max(size, 1),
  chunkSize: Math.max(size + 1, 64),
})

const makeGzip = (portableUpTo: number): Compressor => ({
  decompress: (input, size) => {
    if (size <= portableUpTo) return inflateExactly(input, size)
    plausible("gzip", input.length, size, 1032)
    return exactly(
      "gzip",
      owned(guarded("gzip", "the stream is damaged or cut short", () => zlib().inflateSync(input, bounded(size)))),
      size,
    )
  },
  compress: (input, level) =>
    guarded(
      "gzip",
      "cannot compress",
      () => owned(zlib().deflateSync(input, { level: level < 0 ? -1 : Math.min(level, 9) })),
    ),
})

/** Frames with larger windows are not decoded by the runtime, which would allocate the whole window. */
const WINDOW_MAX = 8 * 1024 * 1024

/** Maximum window of frames for the reused decoder, which keeps the memory of its largest window. */
const REUSED_WINDOW_MAX = 1024 * 1024

/**
 * Up to this size, as in metadata of filters, the portable decoder finishes before the runtime's decoder has started.
 */
const MAX_PORTABLE_SIZE = 256

const makeZstd = (portableUpTo: number, decodeFrame: DecodeFrame): Compressor => ({
  decompress: (input, size, allocate = (n) => new Uint8Array(n)) => {
    const frame = readZstdFrame(input, size)
    if (!frame.checksum && size <= Math.max(portableUpTo, MAX_PORTABLE_SIZE)) {
      return portableZstd.decompress(input, size)
    }
    const { zstdDecompressSync } = zlib()
    if (zstdDecompressSync === undefined || frame.window > Math.max(size, WINDOW_MAX)) {
      return portableZstd.decompress(input, size)
    }
    if (frame.sized && frame.window <= Math.max(size, REUSED_WINDOW_MAX)) {
      const output = allocate(size)
      if (decodeFrame(input, output)) return output
    }
    return exactly(
      "zstd",
      owned(guarded("zstd", "the frame is damaged", () => zstdDecompressSync(input, bounded(size)))),
      size,
    )
  },
  compress: (input, level) => {
    const { constants, zstdCompressSync } = zlib()
    if (zstdCompressSync === undefined) return portableZstd.compress(input, level)
    const options: ZstdOptions & { pledgedSrcSize: number } = {
      // writes the content size to the frame, as engines do; the Node types do not have this option
      pledgedSrcSize: input.length,
      // the maximum compressed size at once: if the output spans chunks, Deno 2.9 appends a second, empty frame
      chunkSize: input.length + (input.length >>> 8) + 1024,
      params: { [constants.ZSTD_c_compressionLevel]: level === -1 || level < -7 ? 3 : Math.min(level, 22) },
    }
    return guarded("zstd", "cannot compress", () => owned(zstdCompressSync(input, options)))
  },
})

/** Options of native codecs. */
export interface NativeCodecsOptions {
  /**
   * Results of gzip and zstd up to this many bytes are decoded by the portable codecs. Loading `node:zlib` takes Deno
   * longer than decoding a small array in TypeScript, so short-running programs set this. Default: 0; 256 for zstd.
   */
  readonly portableUpTo?: number
}

/** Returns codecs of Deno, Bun and Node with their own zstd decoder, which the garbage collector closes. */
export const makeNativeCodecs = (options: NativeCodecsOptions = {}): Codecs => codecsWith(makeFrameDecoder(), options)

/**
 * Returns codecs like {@link makeNativeCodecs}, whose zstd decoder is closed with the scope. Afterwards, the codecs
 * still work, without that decoder.
 */
export const scopedNativeCodecs = (options: NativeCodecsOptions = {}): Effect.Effect<Codecs, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    let isRegistered = false
    // most layers of short programs decode no zstd: the finalizer is added with the first frame
    const decoder = makeFrameDecoder(() => {
      if (isRegistered) return
      isRegistered = true
      Effect.runSync(Scope.addFinalizer(scope, Effect.sync(decoder.close)))
    })
    return codecsWith(decoder, options)
  })

const withoutWebp = Effect.failSync(webpMissing)

const codecsWith = (decoder: FrameDecoder, { portableUpTo = 0 }: NativeCodecsOptions): Codecs => ({
  gzip: makeGzip(portableUpTo),
  zstd: makeZstd(portableUpTo, decoder.decode),
  lz4: lz4WithKernel,
  bzip2,
  md5: (input) => new Uint8Array(crypto().createHash("md5").update(input).digest()),
  sha256: (input) => new Uint8Array(crypto().createHash("sha256").update(input).digest()),
  decrypt: (key, iv, tag, cipher) => {
    checkCipherArguments(key, iv, tag)
    return guarded("aes_256_gcm", "the key is wrong, or the bytes were changed", () => {
      const decipher = crypto().createDecipheriv("aes-256-gcm", key, iv)
      decipher.setAuthTag(tag)
      const plain = new Uint8Array(cipher.length)
      plain.set(decipher.update(cipher))
      decipher.final()
      return plain
    })
  },
  encrypt: (key, iv, plain) => {
    checkCipherArguments(key, iv)
    return guarded("aes_256_gcm", "cannot encrypt", () => {
      const cipher = crypto().createCipheriv("aes-256-gcm", key, iv)
      const bytes = new Uint8Array(plain.length)
      bytes.set(cipher.update(plain))
      cipher.final()
      return { cipher: bytes, tag: new Uint8Array(cipher.getAuthTag()) }
    })
  },
  webp: withoutWebp,
  webpEncoder: withoutWebp,
})

/**
 * The codecs of Deno, Bun and Node as a value. {@link layerNative} is their layer, which closes its zstd decoder. WebP
 * is not included: `withWebp` adds it.
 *
 * ```ts
 * import { nativeCodecs } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 *
 * const packed = nativeCodecs.gzip.compress(new Uint8Array(1000), -1)
 * assertEquals(nativeCodecs.gzip.decompress(packed, 1000).length, 1000)
 * ```
 */
export const nativeCodecs: Codecs = makeNativeCodecs()

/** Logs at level Debug that zstd is decoded in TypeScript: Node before 22.15 has no native zstd. */
export const logCodecFallback: Effect.Effect<void> = Effect.suspend(() =>
  "Deno" in globalThis || "Bun" in globalThis || zlib().zstdDecompressSync !== undefined
    ? Effect.void
    : Effect.annotateLogs(Effect.logDebug("zstd uses the portable codec: the runtime has no native one"), {
      codec: "zstd",
    })
)

/**
 * The layer of native codecs (see {@link nativeCodecs}). Each layer has its own zstd decoder and closes it.
 *
 * ```ts
 * import { Codecs, layerNative } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.map(Codecs, (codecs) => codecs.md5(new Uint8Array()).length)
 * assertEquals(Effect.runSync(Effect.provide(program, layerNative)), 16)
 * ```
 */
export const layerNative: Layer.Layer<Codecs> = Layer.scoped(Codecs, scopedNativeCodecs())
