import { assert, assertEquals, assertThrows } from "@std/assert"
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import { nativeCodecs } from "../../../platform/codecs/layers/native.ts"
import { portableCodecs } from "../../../platform/codecs/layers/portable.ts"
import { compileWebp, compileWebpEncoder } from "../../../platform/codecs/webp/locate.ts"
import { withWebp } from "../../../platform/codecs/webp/codec.ts"
import { CodecError } from "../../../platform/errors.ts"
import { webpLossless, webpLossy } from "./codec_vectors.ts"

const pixels = Uint8Array.from({ length: 13 * 7 * 4 }, (_, i) => i * i * 7 + (i >> 3) * 13)
const codec = () => Effect.runPromise(withWebp(nativeCodecs, compileWebp).webp)

describe("WebP", () => {
  it("returns lossless pixels exactly, also transparent ones", async () => {
    const { width, height, rgba } = (await codec()).decode(webpLossless)
    assertEquals([width, height], [13, 7])
    assertEquals(rgba, pixels)
  })

  it("reads lossy extended files", async () => {
    const { width, height, rgba } = (await codec()).decode(webpLossy)
    assertEquals([width, height, rgba.length], [13, 7, pixels.length])
    const off = rgba.reduce((sum, byte, i) => sum + (i % 4 === 3 ? Math.abs(byte - pixels[i]) : 0), 0)
    assertEquals(off, 0, "alpha is kept without loss")
  })

  it("is loaded once, at the first request, and again after a failure", async () => {
    let loads = 0
    const codecs = withWebp(portableCodecs, () => {
      loads++
      return loads === 1 ? Promise.reject(new Error("no such file")) : compileWebp()
    })
    assertEquals(loads, 0)
    const error = await Effect.runPromise(Effect.flip(codecs.webp))
    assert(error instanceof CodecError)
    assertEquals(error.message.includes("no such file"), true)
    const [first, second] = await Effect.runPromise(Effect.all([codecs.webp, codecs.webp], { concurrency: 2 }))
    assertEquals(loads, 2)
    assert(first === second)
    assertEquals(first.decode(webpLossless).rgba, pixels)
  })

  it("rejects images that are larger than expected, by their headers", async () => {
    const { decode } = await codec()
    for (const file of [webpLossless, webpLossy]) {
      assertThrows(() => decode(file, 13 * 7 - 1), CodecError, "91 pixels")
      assertEquals(decode(file, 13 * 7).width, 13)
    }
    const vast = webpLossless.slice()
    vast.set([0xff, 0xff, 0xff, 0x0f], 21)
    assertThrows(() => decode(vast, 1000), CodecError, "268435456 pixels")
    assertThrows(() => decode(vast), CodecError)
  })

  it("fails with CodecError for damaged files", async () => {
    const { decode } = await codec()
    for (const file of [webpLossless, webpLossy]) {
      for (let length = 0; length < file.length - 1; length += 7) {
        assertThrows(() => decode(file.subarray(0, length)), CodecError, "webp")
      }
      let refused = 0
      for (let bit = 0; bit < file.length * 8; bit += 3) {
        const changed = file.slice()
        changed[bit >>> 3] ^= 1 << (bit & 7)
        try {
          const { width, height, rgba } = decode(changed, 1000)
          assertEquals(rgba.length, width * height * 4)
        } catch (error) {
          assert(error instanceof CodecError, String(error))
          refused++
        }
      }
      assert(refused > 0)
    }
  })

  it("writes images without loss, also the colours of transparent pixels", async () => {
    const codecs = withWebp(nativeCodecs, compileWebp, compileWebpEncoder)
    const [{ decode }, { encode }] = await Effect.runPromise(Effect.all([codecs.webp, codecs.webpEncoder]))
    const picture = { width: 13, height: 7, rgba: pixels }
    assertEquals(decode(encode(picture, "lossless")), picture)
    const opaque = { ...picture, rgba: pixels.map((byte, i) => i % 4 === 3 ? 255 : byte >> 4) }
    assertEquals(decode(encode(opaque, "lossless")), opaque)
    const lossy = decode(encode(opaque, 90))
    assertEquals([lossy.width, lossy.height], [13, 7])
    assert(lossy.rgba.every((byte, i) => Math.abs(byte - opaque.rgba[i]) < 16))
    assert(encode(opaque, 5).length < encode(opaque, 100).length)
    assertThrows(
      () => encode({ width: 16384, height: 1, rgba: new Uint8Array(65536) }, "lossless"),
      CodecError,
      "16384",
    )
  })

  it("writes no images unless a layer provides the encoder", async () => {
    for (const codecs of [nativeCodecs, withWebp(portableCodecs, compileWebp)]) {
      const error = await Effect.runPromise(Effect.flip(codecs.webpEncoder))
      assertEquals([error.codec, error.reason], ["webp", "Missing"])
    }
  })
})
