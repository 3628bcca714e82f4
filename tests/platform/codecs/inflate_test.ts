/** The inflater accepts and rejects the same streams as zlib, with the same results. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals, assertThrows } from "@std/assert"
import { deflateSync, inflateSync } from "node:zlib"
import { CodecError } from "../../../platform/errors.ts"
import { inflateExactly } from "../../../platform/codecs/inflate.ts"

const repeated = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 300 }))
  .map(([piece, times]) =>
    Uint8Array.from({ length: piece.length * times }, (_, i) => piece[i % piece.length] + (i >> 12))
  )
const skewed = fc.tuple(fc.nat(100_000), fc.integer({ min: 1 })).map(([length, seed]) =>
  Uint8Array.from({ length }, (_, i) => (Math.imul(i ^ seed, 0x9e3779b1) >>> 8) % 65521 % ((i % 250) + 1))
)
const data = fc.oneof(fc.uint8Array({ maxLength: 3000 }), repeated, skewed)

/** Levels 0 to 9, and strategies: default, Huffman codes only, fixed codes. */
const settings = fc.record({ level: fc.nat(9), strategy: fc.constantFrom(0, 2, 4) })

const packed = (bytes: Uint8Array, options: { level: number; strategy: number }): Uint8Array =>
  new Uint8Array(deflateSync(bytes, options))

const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])

/** Returns zlib's result for a stream of `size` decompressed bytes; undefined if zlib rejects the stream. */
const theirs = (stream: Uint8Array, size: number): Uint8Array | undefined => {
  try {
    const out = new Uint8Array(inflateSync(stream, { maxOutputLength: Math.max(1, size), chunkSize: size + 64 }))
    return out.length === size ? out : undefined
  } catch {
    return undefined
  }
}

const ours = (stream: Uint8Array, size: number): Uint8Array | undefined => {
  try {
    return inflateExactly(stream, size)
  } catch (error) {
    assert(error instanceof CodecError, String(error))
    return undefined
  }
}

describe("the inflater", () => {
  it("returns the compressed data", () => {
    fc.assert(
      fc.property(data, settings, (bytes, options) => {
        assert(same(inflateExactly(packed(bytes, options), bytes.length), bytes))
      }),
      { numRuns: 300 },
    )
  })

  it("rejects the same damaged streams as zlib", () => {
    const hits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 })
    const seen = { taken: 0, refused: 0 }
    fc.assert(
      fc.property(data, settings, hits, fc.nat(12), (bytes, options, hits, cut) => {
        const stream = packed(bytes, options)
        // half of the changes are near the start of the stream, which contains the code lengths
        for (const [at, value] of hits) {
          stream[at % (at % 2 === 0 ? Math.min(stream.length, 60) : stream.length)] = value
        }
        const values = cut < 6 ? stream.subarray(0, stream.length - cut) : stream
        const [want, have] = [theirs(values, bytes.length), ours(values, bytes.length)]
        assertEquals(have === undefined, want === undefined)
        assert(want === undefined || same(have!, want))
        seen[want === undefined ? "refused" : "taken"]++
      }),
      { numRuns: 600 },
    )
    assert(seen.taken > 30 && seen.refused > 30, JSON.stringify(seen))
  })

  it("rejects a different size than expected, and a size above the maximum of deflate", () => {
    const stream = packed(new Uint8Array(1000), { level: 6, strategy: 0 })
    for (const size of [0, 999, 1001, 1e6, -1, 0.5, NaN, 2 ** 53]) {
      assertThrows(() => inflateExactly(stream, size), CodecError)
    }
    assertEquals(inflateExactly(packed(new Uint8Array(0), { level: 6, strategy: 0 }), 0), new Uint8Array(0))
  })
})
