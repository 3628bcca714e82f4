/** Damaged tiles cause a tagged error or a result within the size limit: no crash, no hang, no huge allocation. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert } from "@std/assert"
import { CodecError } from "../../platform/errors.ts"
import { FormatError } from "../../schema/errors/format_error.ts"
import type { Filter } from "../../schema/array/filter.ts"
import { ChecksumMismatch, DecryptionFailed } from "../../src/filter/part/errors.ts"
import { unfilterFoldedTile } from "../../src/filter/pipeline/folded.ts"
import { type TileContext, unfilterTile } from "../../src/filter/pipeline/pipeline.ts"
import * as naive from "./naive.ts"

const data = naive.bytesOf(...Array.from({ length: 40 }, (_, i) => naive.int(1000 + i * i, 4)))

const chains: ReadonlyArray<ReadonlyArray<Filter>> = [
  [],
  [{ type: "gzip", level: 6 }],
  [{ type: "zstd", level: 3 }],
  [{ type: "lz4", level: 0 }],
  [{ type: "rle", level: 0 }],
  [{ type: "delta", level: 0, reinterpretDatatype: "any" }],
  [{ type: "double_delta", level: 0, reinterpretDatatype: "any" }],
  [{ type: "bit_width_reduction", maxWindow: 32 }],
  [{ type: "positive_delta", maxWindow: 32 }],
  [{ type: "byteshuffle" }],
  [{ type: "bitshuffle" }],
  [{ type: "xor" }],
  [{ type: "checksum_md5" }],
  [{ type: "aes_256_gcm" }],
  [{ type: "bit_width_reduction", maxWindow: 32 }, { type: "zstd", level: 3 }],
  [{ type: "positive_delta", maxWindow: 32 }, { type: "bitshuffle" }, { type: "rle", level: 0 }, {
    type: "checksum_sha256",
  }],
]

/** Calls `attempt`, which may only throw tagged errors. Returns whether it threw. */
const survives = (attempt: () => number, limit: number): boolean => {
  try {
    const bytes = attempt()
    assert(bytes <= limit, `${bytes} bytes`)
    return false
  } catch (error) {
    const tagged = error instanceof FormatError || error instanceof CodecError || error instanceof ChecksumMismatch ||
      error instanceof DecryptionFailed
    if (!tagged) throw error
    assert((error as Error).message.includes("mem://a.tdb"), (error as Error).message)
    return true
  }
}

const attack = (tile: Uint8Array, attempt: (bytes: Uint8Array) => number, limit: number): void => {
  for (let length = 0; length < tile.length; length++) {
    assert(survives(() => attempt(tile.slice(0, length)), limit), `a tile truncated to ${length} bytes was read`)
  }
  for (let at = 0; at < tile.length; at++) {
    for (const mask of [1, 0x80, 0xff]) {
      const changed = tile.slice()
      changed[at] ^= mask
      survives(() => attempt(changed), limit)
    }
  }
  const bytes = fc.array(fc.tuple(fc.nat(tile.length - 1), fc.constantFrom(0, 1, 2, 8, 0x7f, 0xff)), {
    minLength: 1,
    maxLength: 8,
  })
  fc.assert(
    fc.property(bytes, (changes) => {
      const changed = tile.slice()
      for (const [at, byte] of changes) changed[at] = byte
      survives(() => attempt(changed), limit)
    }),
    { numRuns: 300 },
  )
}

describe("damaged tiles", () => {
  for (const filters of chains) {
    it(`cause a tagged error or a bounded result: ${filters.map((f) => f.type).join(" → ") || "no filter"}`, () => {
      const context: TileContext = naive.context(filters, "uint32", filters.length > 2 ? { cellSize: 1 } : {})
      // not all platforms have an LZ4 compressor: use a block of literals
      const tile = filters[0]?.type === "lz4" ? literals() : naive.filterTile(context, [data, data.subarray(0, 12)])
      const limit = data.length + 12
      unfilterTile(tile, context, limit)
      attack(tile, (bytes) => unfilterTile(bytes, context, limit).length, limit)
    })
  }

  for (const type of ["rle", "dictionary"] as const) {
    it(`cause a tagged error or a bounded result: strings folded by ${type}`, () => {
      const context = naive.context([{ type, level: 0 }], "string_ascii")
      const words = ["a", "a", "", "bcd", "a", "bcd", "bcd"]
      const parts = (type === "rle" ? naive.foldedRle : naive.foldedDictionary)(words, 4, 8)
      const tile = naive.persist([{ original: 12, parts }])
      attack(tile, (bytes) => {
        const strings = unfilterFoldedTile(bytes, context, 12, 7)
        for (let i = 1; i < strings.offsets.length; i++) assert(strings.offsets[i] >= strings.offsets[i - 1])
        assert(strings.offsets.at(-1) === strings.bytes.length)
        return strings.bytes.length
      }, 12)
    })
  }

  it("cause a tagged error if the options of float scale are invalid", () => {
    for (const byteWidth of [0, 3, 16, 2 ** 40]) {
      const context = naive.context([{ type: "scale_float", scale: 1, offset: 0, byteWidth }], "float32")
      const tile = naive.persist([{ original: 8, parts: { metadata: [naive.u32s(1, 8)], data: new Uint8Array(8) } }])
      assert(survives(() => unfilterTile(tile, context, 8).length, 8))
    }
  })
})

const literals = (): Uint8Array => {
  const block = (bytes: Uint8Array) => naive.bytesOf([0xf0, bytes.length - 15], bytes)
  const stored = block(data)
  return naive.persist([{
    original: data.length,
    parts: { metadata: [naive.u32s(0, 1, data.length, stored.length)], data: stored },
  }])
}
