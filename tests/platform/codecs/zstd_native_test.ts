/**
 * The reused decoder returns the same results as the runtime's function, frame after frame, also for damaged frames.
 */
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as zlib from "node:zlib"
import { nativeCodecs, scopedNativeCodecs } from "../../../platform/codecs/layers/native.ts"
import { readZstdFrame } from "../../../platform/codecs/zstd/frame.ts"
import { makeFrameDecoder } from "../../../platform/codecs/zstd/native_handle.ts"
import { CodecError } from "../../../platform/errors.ts"

const { decode: decodeFrame } = makeFrameDecoder()

const data = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 700 }))
  .map(([piece, times]) =>
    Uint8Array.from({ length: piece.length * times }, (_, i) => piece[i % piece.length] + (i >> 12))
  )

const decoded = (frame: Uint8Array, size: number): Uint8Array | undefined => {
  const output = new Uint8Array(size)
  return decodeFrame(frame, output) ? output : undefined
}

describe("the reused zstd decoder", () => {
  it("is available in this runtime", () => {
    const bytes = new Uint8Array(1000).fill(3)
    assertEquals(decoded(nativeCodecs.zstd.compress(bytes, 3), 1000), bytes)
  })

  it("returns the compressed data of every level, frame after frame", () => {
    fc.assert(
      fc.property(data, fc.constantFrom(-5, 1, 3, 9, 19), (bytes, level) => {
        const decodedBytes = decoded(nativeCodecs.zstd.compress(bytes, level), bytes.length)
        assert(decodedBytes !== undefined && decodedBytes.every((byte, i) => byte === bytes[i]))
      }),
      { numRuns: 60 },
    )
  })

  it("returns the result of the runtime's function or no result for damaged frames, and works afterwards", () => {
    const whole = nativeCodecs.zstd.compress(new Uint8Array(5000).fill(7), 3)
    let refused = 0
    fc.assert(
      fc.property(data, fc.infiniteStream(fc.nat()), (bytes, random) => {
        const frame = nativeCodecs.zstd.compress(bytes, 3)
        for (let i = 0; i < 2; i++) {
          frame[6 + random.next().value % (frame.length - 6)] ^= 1 << (random.next().value % 8)
        }
        try {
          readZstdFrame(frame, bytes.length)
        } catch (error) {
          assert(error instanceof CodecError)
          return
        }
        const decodedBytes = decoded(frame, bytes.length)
        if (decodedBytes === undefined) refused++
        else assert(zlib.zstdDecompressSync(frame).every((byte, i) => byte === decodedBytes[i]))
        assertEquals(decoded(whole, 5000)?.[4999], 7)
      }),
      { numRuns: 300 },
    )
    assert(refused > 20, `${refused} refused`)
  })

  it("is closed with its layer, once", () => {
    const frame = nativeCodecs.zstd.compress(new Uint8Array(5000).fill(7), 3)
    const prototype = Object.getPrototypeOf(zlib.createZstdDecompress()) as { close: () => void }
    const own = Object.getOwnPropertyDescriptor(prototype, "close")
    const { close } = prototype
    let closed = 0
    prototype.close = function () {
      closed++
      return close.call(this)
    }
    try {
      const codecs = Effect.runSync(Effect.scoped(Effect.tap(scopedNativeCodecs(), ({ zstd }) =>
        Effect.sync(() => {
          for (let i = 0; i < 3; i++) assertEquals(zstd.decompress(frame, 5000)[4999], 7)
          assertEquals(closed, 0)
        }))))
      assertEquals(closed, 1)
      assertEquals(codecs.zstd.decompress(frame, 5000)[4999], 7, "without the handle")
      Effect.runSync(Effect.scoped(scopedNativeCodecs()))
      assertEquals(closed, 1, "no handle was opened")
    } finally {
      if (own === undefined) delete (prototype as { close?: () => void }).close
      else Object.defineProperty(prototype, "close", own)
    }
  })

  it("rejects fewer or more bytes than expected", () => {
    const frame = nativeCodecs.zstd.compress(Uint8Array.from({ length: 3000 }, (_, i) => i >> 3), 3)
    for (const size of [0, 1, 2999, 3001]) assertEquals(decoded(frame, size), undefined)
    for (const length of [10, frame.length - 1]) assertEquals(decoded(frame.slice(0, length), 3000), undefined)
    assertEquals(decoded(frame, 3000)?.[2999], 2999 >> 3 & 255)
  })
})
