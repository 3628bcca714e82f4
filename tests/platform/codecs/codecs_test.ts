import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { decompress as fzstdDecompress } from "fzstd"
import { ZSTDDecoder } from "zstddec"
import { Buffer } from "node:buffer"
import { describe, it } from "node:test"
import { nativeCodecs } from "../../../platform/codecs/layers/native.ts"
import { portableCodecs } from "../../../platform/codecs/layers/portable.ts"
import { Codecs, type Compressor } from "../../../platform/codecs/service.ts"
import { CodecError } from "../../../platform/errors.ts"
import { layerDefault } from "../../../platform/runtime/default_layer.ts"
import { layerDefaultPortable } from "../../../platform/runtime/portable_layer.ts"
import { codecText, codecVectors, empties, forgedZstd } from "./codec_vectors.ts"
import { samples } from "../storage/samples.ts"

const layers = [["native", nativeCodecs], ["portable", portableCodecs]] as const
const names = ["gzip", "zstd", "lz4", "bzip2"] as const

/** Returns the result, or undefined for a CodecError; other errors fail the test. */
const attempt = (codec: Compressor, input: Uint8Array, size: number): Uint8Array | undefined => {
  try {
    return codec.decompress(input, size)
  } catch (error) {
    if (error instanceof CodecError) return undefined
    throw error
  }
}
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

for (const [layer, codecs] of layers) {
  describe(`codecs: ${layer}`, () => {
    for (const name of names) {
      const packed = codecVectors[name]
      const size = codecText.length

      it(`${name}: reads streams of the engine`, () => {
        const result = codecs[name].decompress(packed, size)
        assertEquals(result, codecText)
        assertEquals(result.constructor, Uint8Array)
      })

      it(`${name}: reads empty streams`, () => {
        assertEquals(codecs[name].decompress(empties[name], 0), new Uint8Array())
        assertThrows(() => codecs[name].decompress(empties[name], 1), CodecError, name)
        assertThrows(() => codecs[name].decompress(new Uint8Array(), 0), CodecError, name)
        assertThrows(() => codecs[name].decompress(new Uint8Array(), 1), CodecError, name)
      })

      it(`${name}: returns exactly the requested size, or fails with CodecError`, () => {
        for (const wrong of [0, 1, size - 1, size + 1, size * 2]) {
          assertThrows(() => codecs[name].decompress(packed, wrong), CodecError, name)
        }
        for (const none of [-1, 0.5, NaN, Infinity, 2 ** 40, 2 ** 53]) {
          assertThrows(() => codecs[name].decompress(packed, none), CodecError, name)
        }
      })

      it(`${name}: rejects every truncation`, () => {
        for (let length = 0; length < packed.length; length++) {
          assertEquals(attempt(codecs[name], packed.subarray(0, length), size), undefined, `${length} bytes`)
        }
      })

      it(`${name}: returns a result or CodecError for every flipped bit`, () => {
        let refused = 0
        for (let bit = 0; bit < packed.length * 8; bit++) {
          const changed = packed.slice()
          changed[bit >>> 3] ^= 1 << (bit & 7)
          const result = attempt(codecs[name], changed, size)
          if (result === undefined) refused++
          else assertEquals(result.length, size)
          // their checksums detect every change except that of an unused bit in the header
          if (result !== undefined && (name === "gzip" || name === "bzip2")) {
            assert(same(result, codecText), `bit ${bit}`)
          }
        }
        assert(refused > 0)
      })

      it(`${name}: fails with CodecError for noise`, () => {
        FastCheck.assert(FastCheck.property(
          FastCheck.uint8Array({ maxLength: 200 }),
          FastCheck.nat(1000),
          FastCheck.boolean(),
          (noise, length, headed) => {
            const input = headed ? Uint8Array.from([...packed.subarray(0, 20), ...noise]) : noise
            const result = attempt(codecs[name], input, length)
            if (result !== undefined) assertEquals(result.length, length)
          },
        ))
      })
    }

    it("ignores bytes after a zlib or bzip2 stream, as the engine does, and rejects them after zstd and lz4", () => {
      const garbage = [1, 2, 3, 4, 5]
      for (const name of names) {
        const longer = Uint8Array.from([...codecVectors[name], ...garbage])
        const result = attempt(codecs[name], longer, codecText.length)
        assertEquals(result, name === "gzip" || name === "bzip2" ? codecText : undefined, name)
      }
    })

    it("rejects a second zstd frame instead of ignoring it", () => {
      const twice = Uint8Array.from([...codecVectors.zstd, ...codecVectors.zstd])
      assertThrows(() => codecs.zstd.decompress(twice, codecText.length), CodecError, "follow the frame")
      assertThrows(() => codecs.zstd.decompress(twice, codecText.length * 2), CodecError)
    })

    it("decompresses at most the expected size of a bomb", () => {
      for (const name of names) {
        const bomb = nativeCodecs[name].compress(new Uint8Array(8 * 1024 * 1024), -1)
        assertThrows(() => codecs[name].decompress(bomb, 1000), CodecError)
      }
    })

    it("ends for forged zstd tables that cause an endless loop in fzstd", () => {
      assertThrows(() => codecs.zstd.decompress(forgedZstd, 8), CodecError, "zstd")
    })

    for (const name of names) {
      it(`${name}: decompresses its own streams, at every level`, () => {
        FastCheck.assert(
          FastCheck.property(
            FastCheck.uint8Array({ maxLength: 400 }),
            FastCheck.nat(300),
            FastCheck.integer({ min: -10, max: 25 }),
            (bytes, repeats, level) => {
              const plain = new Uint8Array(bytes.length * (repeats + 1))
              for (let i = 0; i <= repeats; i++) plain.set(bytes, i * bytes.length)
              assert(same(codecs[name].decompress(codecs[name].compress(plain, level), plain.length), plain))
            },
          ),
          { numRuns: 60 },
        )
      })

      it(`${name}: writes streams that the other layer reads`, () => {
        const other = codecs === portableCodecs ? nativeCodecs : portableCodecs
        for (const [label, plain] of samples()) {
          const packed = codecs[name].compress(plain, -1)
          assert(same(other[name].decompress(packed, plain.length), plain), label)
        }
      })
    }

    it("digests", () => {
      const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
      const abc = new TextEncoder().encode("abc")
      assertEquals(hex(codecs.md5(new Uint8Array())), "d41d8cd98f00b204e9800998ecf8427e")
      assertEquals(hex(codecs.md5(abc)), "900150983cd24fb0d6963f7d28e17f72")
      assertEquals(hex(codecs.sha256(abc)), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
      assertEquals(codecs.md5(abc).constructor, Uint8Array)
    })

    it("encrypts NIST's test case 14, and decrypts it", () => {
      const key = new Uint8Array(32)
      const iv = new Uint8Array(12)
      const { cipher, tag } = codecs.encrypt(key, iv, new Uint8Array(16))
      assertEquals(Buffer.from(cipher).toString("hex"), "cea7403d4d606b6e074ec5d3baf39d18")
      assertEquals(Buffer.from(tag).toString("hex"), "d0d1c8a799996bf0265b98b5d48ab919")
      assertEquals(codecs.decrypt(key, iv, tag, cipher), new Uint8Array(16))
      assertEquals(codecs.decrypt(key, iv, codecs.encrypt(key, iv, new Uint8Array()).tag, new Uint8Array()).length, 0)
    })

    it("refuses wrong keys, changed bytes and odd lengths, and does not echo the key", () => {
      const key = new TextEncoder().encode("a secret key of thirty-two bytes")
      const iv = new Uint8Array(12).fill(5)
      const plain = codecText
      const { cipher, tag } = codecs.encrypt(key, iv, plain)
      assert(same(codecs.decrypt(key, iv, tag, cipher), plain))
      const changed = (bytes: Uint8Array) => bytes.map((byte, i) => i === 3 ? byte ^ 1 : byte)
      for (
        const call of [
          () => codecs.decrypt(changed(key), iv, tag, cipher),
          () => codecs.decrypt(key, changed(iv), tag, cipher),
          () => codecs.decrypt(key, iv, changed(tag), cipher),
          () => codecs.decrypt(key, iv, tag, changed(cipher)),
          () => codecs.decrypt(key, iv, tag, cipher.subarray(1)),
          () => codecs.decrypt(key.subarray(1), iv, tag, cipher),
          () => codecs.decrypt(key, iv.subarray(1), tag, cipher),
          () => codecs.decrypt(key, iv, tag.subarray(4), cipher),
          () => codecs.encrypt(key.subarray(16), iv, plain),
        ]
      ) {
        const error = assertThrows(call, CodecError, "aes_256_gcm")
        assert(!error.message.includes("secret"))
      }
    })

    it("does not contain WebP, and names the layer that provides it", () => {
      const error = Effect.runSync(Effect.flip(codecs.webp))
      assert(error instanceof CodecError)
      assertStringIncludes(error.message, "layerWebp")
    })
  })
}

describe("codecs: native and portable", () => {
  it("agree on damaged zstd frames that both accept", () => {
    let both = 0
    for (const [, plain] of samples()) {
      if (plain.length === 0 || plain.length > 100_000) continue
      const packed = nativeCodecs.zstd.compress(plain, 3)
      for (let i = 0; i < 60; i++) {
        const changed = packed.slice()
        changed[(i * 7919 + 5) % changed.length] ^= 1 << (i & 7)
        const a = attempt(nativeCodecs.zstd, changed, plain.length)
        const b = attempt(portableCodecs.zstd, changed, plain.length)
        if (a === undefined || b === undefined) continue
        both++
        assert(same(a, b))
      }
    }
    assert(both > 20, `${both} frames were accepted by both`)
  })

  it("read zstd of every level, as fzstd and zstddec do", async () => {
    const zstddec = new ZSTDDecoder()
    await zstddec.init()
    for (const [sample, plain] of samples()) {
      for (const level of [-7, 1, 3, 7, 12, 19]) {
        const packed = nativeCodecs.zstd.compress(plain, level)
        const portable = portableCodecs.zstd.decompress(packed, plain.length)
        assert(same(portable, plain), `${sample}, level ${level}`)
        assert(same(fzstdDecompress(packed), portable), `${sample}, level ${level}: fzstd`)
        assert(same(zstddec.decode(packed, plain.length), portable), `${sample}, level ${level}: zstddec`)
      }
    }
  })
})

describe("codecs: layers", () => {
  it("combine with storage and WebP", async () => {
    for (const layer of [layerDefault, layerDefaultPortable]) {
      const codecs = await Effect.runPromise(Effect.provide(Codecs, layer))
      assertEquals(codecs.gzip.decompress(codecVectors.gzip, codecText.length), codecText)
      assertEquals(typeof (await Effect.runPromise(codecs.webp)).decode, "function")
    }
  })
})
