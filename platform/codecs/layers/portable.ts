/**
 * Codecs in plain TypeScript, for browsers and edge runtimes, and as a reference for the native ones.
 *
 * @module
 */
import { gcm } from "@noble/ciphers/aes.js"
import { md5 } from "@noble/hashes/legacy.js"
import { sha256 } from "@noble/hashes/sha2.js"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { zlibSync } from "fflate"
import { bzip2 } from "../bzip2/portable.ts"
import { lz4 } from "../lz4/portable.ts"
import { portableZstd } from "../zstd/portable.ts"
import { Codecs, type Compressor } from "../service.ts"
import { checkCipherArguments, webpMissing } from "../arguments.ts"
import { guarded } from "../bounds.ts"
import { inflateExactly } from "../inflate.ts"

const gzip: Compressor = {
  decompress: inflateExactly,
  compress: (input, level) =>
    guarded(
      "gzip",
      "cannot compress",
      () => zlibSync(input, { level: (level < 0 ? 6 : Math.min(level, 9)) as 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 }),
    ),
}

/**
 * The portable codecs as a value; {@link layerPortable} is their layer.
 *
 * They read everything that {@link nativeCodecs} read, and write the same formats, more slowly. zstd has one level,
 * which compresses about as well as level 1 of libzstd.
 *
 * ```ts
 * import { nativeCodecs, portableCodecs } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 *
 * const packed = portableCodecs.zstd.compress(new Uint8Array(1000), -1)
 * assertEquals(nativeCodecs.zstd.decompress(packed, 1000).length, 1000)
 * ```
 */
export const portableCodecs: Codecs = {
  gzip,
  zstd: portableZstd,
  lz4,
  bzip2,
  md5: (input) => md5(input),
  sha256: (input) => sha256(input),
  decrypt: (key, iv, tag, cipher) => {
    checkCipherArguments(key, iv, tag)
    const sealed = new Uint8Array(cipher.length + 16)
    sealed.set(cipher)
    sealed.set(tag, cipher.length)
    return guarded("aes_256_gcm", "the key is wrong, or the bytes were changed", () => gcm(key, iv).decrypt(sealed))
  },
  encrypt: (key, iv, plain) => {
    checkCipherArguments(key, iv)
    return guarded("aes_256_gcm", "cannot encrypt", () => {
      const sealed = gcm(key, iv).encrypt(plain)
      return { cipher: sealed.slice(0, plain.length), tag: sealed.slice(plain.length) }
    })
  },
  webp: Effect.fail(webpMissing()),
  webpEncoder: Effect.fail(webpMissing()),
}

/**
 * The layer of {@link portableCodecs}.
 *
 * ```ts
 * import { Codecs, layerPortable } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.map(Codecs, (codecs) => codecs.sha256(new Uint8Array()).length)
 * assertEquals(Effect.runSync(Effect.provide(program, layerPortable)), 32)
 * ```
 */
export const layerPortable: Layer.Layer<Codecs> = Layer.succeed(Codecs, portableCodecs)
