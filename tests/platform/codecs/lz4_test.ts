/** The LZ4 kernel compared with the implementation in TypeScript: the same bytes, or the same error. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as fc from "effect/FastCheck"
import * as lz4Flex from "lz4-wasm-nodejs"
import { lz4 } from "../../../platform/codecs/lz4/portable.ts"
import { lz4WithKernel } from "../../../platform/codecs/lz4/wasm.ts"
import type { Compressor } from "../../../platform/codecs/service.ts"
import { CodecError } from "../../../platform/errors.ts"
import { samples } from "../storage/samples.ts"

const outcome = (codec: Compressor, input: Uint8Array, size: number): Uint8Array | string => {
  try {
    return codec.decompress(input, size)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    return error.message
  }
}

/** Generates repeated and new pieces, with repetitions at all distances. */
const compressible = fc.array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 60 })))
  .map((pieces) =>
    Uint8Array.from(pieces.flatMap(([piece, times]) => Array.from({ length: times }, () => [...piece]).flat()))
  )

/** The blocks of lz4_flex (Rust) start with the size of the result in 4 bytes; TileDB's blocks do not. */
const flex = {
  compress: (bytes: Uint8Array): Uint8Array => lz4Flex.compress(bytes).slice(4),
  decompress: (block: Uint8Array, size: number): Uint8Array => {
    const sized = new Uint8Array(4 + block.length)
    new DataView(sized.buffer).setUint32(0, size, true)
    sized.set(block, 4)
    return lz4Flex.decompress(sized)
  },
}

describe("LZ4 and lz4_flex", () => {
  for (const [name, codec] of [["portable", lz4], ["WebAssembly", lz4WithKernel]] as const) {
    it(`read each other's blocks: ${name}`, () => {
      const check = (bytes: Uint8Array, message = ""): void => {
        assertEquals(flex.decompress(codec.compress(bytes, -1), bytes.length), bytes, message)
        assertEquals(codec.decompress(flex.compress(bytes), bytes.length), bytes, message)
      }
      fc.assert(fc.property(fc.oneof(compressible, fc.uint8Array({ maxLength: 300 })), (bytes) => check(bytes)))
      for (const [sample, bytes] of samples()) check(bytes, sample)
    })
  }
})

describe("the LZ4 kernel", () => {
  it("returns the same bytes as the TypeScript implementation", () => {
    fc.assert(fc.property(compressible, (bytes) => {
      const packed = lz4.compress(bytes, -1)
      assertEquals(lz4WithKernel.decompress(packed, bytes.length), bytes)
    }))
  })

  it("rejects the same blocks as the TypeScript implementation, with the same messages", () => {
    let refused = 0
    fc.assert(
      fc.property(compressible, fc.infiniteStream(fc.nat()), fc.integer({ min: -3, max: 3 }), (bytes, at, more) => {
        const packed = lz4.compress(bytes, -1)
        for (let i = 0; i < 3; i++) packed[at.next().value % packed.length] = at.next().value
        const cut = packed.subarray(0, 1 + at.next().value % packed.length)
        for (const input of [packed, cut]) {
          const size = Math.max(0, bytes.length + more)
          const expected = outcome(lz4, input, size)
          if (typeof expected === "string") refused++
          assertEquals(outcome(lz4WithKernel, input, size), expected)
        }
      }),
    )
    assertEquals(refused > 50, true)
  })

  it("handles any bytes, not only compressed blocks", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.integer({ min: 0, max: 2000 }), (input, size) => {
        assertEquals(outcome(lz4WithKernel, input, size), outcome(lz4, input, size))
      }),
    )
  })

  it("uses the TypeScript implementation for data above the size of its memory", () => {
    for (const size of [200_000, 3_000_000, 6_000_000]) {
      const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 7) ^ (i >> 9))
      assertEquals(lz4WithKernel.decompress(lz4.compress(bytes, -1), size), bytes)
    }
  })
  it("writes blocks of any bytes that the TypeScript implementation reads", () => {
    fc.assert(fc.property(fc.oneof(compressible, fc.uint8Array({ maxLength: 300 })), (bytes) => {
      assertEquals(lz4.decompress(lz4WithKernel.compress(bytes, -1), bytes.length), bytes)
    }))
    for (const [label, bytes] of samples()) {
      const packed = lz4WithKernel.compress(bytes, -1)
      assertEquals(lz4.decompress(packed, bytes.length), bytes, label)
      assert(packed.length <= bytes.length + Math.ceil(bytes.length / 255) + 16, label)
      // the result is at most slightly larger than that of the TypeScript implementation
      assert(packed.length <= 1.1 * lz4.compress(bytes, -1).length + 8, label)
    }
  })
})
