/**
 * Frames of the zstd encoder, decompressed by fzstd, zstddec (libzstd in WebAssembly), our decoder and the runtime.
 */
import { assert, assertEquals } from "@std/assert"
import * as FastCheck from "effect/FastCheck"
import { decompress as fzstdDecompress } from "fzstd"
import { ZSTDDecoder } from "zstddec"
import { Buffer } from "node:buffer"
import { describe, it } from "node:test"
import { BackwardBits } from "../../../platform/codecs/zstd/bit_writer.ts"
import { nativeCodecs } from "../../../platform/codecs/layers/native.ts"
import { portableZstd } from "../../../platform/codecs/zstd/portable.ts"
import { costOf, shares, writeShares } from "../../../platform/codecs/zstd/fse_encode.ts"
import { fseTable, readFseTable } from "../../../platform/codecs/zstd/entropy_tables.ts"
import { samples } from "../storage/samples.ts"

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

const packed = (plain: Uint8Array, label: string): Uint8Array => {
  const frame = portableZstd.compress(plain, -1)
  assert(same(portableZstd.decompress(frame, plain.length), plain), label)
  assert(same(nativeCodecs.zstd.decompress(frame, plain.length), plain), label)
  return frame
}

describe("zstd in plain TypeScript", () => {
  it("writes frames that all decoders read", async () => {
    const zstddec = new ZSTDDecoder()
    await zstddec.init()
    for (const [sample, plain] of samples()) {
      const frame = packed(plain, sample)
      assert(same(fzstdDecompress(frame), plain), sample)
      assert(same(zstddec.decode(frame, plain.length), plain), sample)
    }
  })

  it("writes repetitions at all distances, and literals of every distribution", () => {
    const kinds = FastCheck.record({
      seed: FastCheck.integer(),
      size: FastCheck.oneof(FastCheck.nat(3000), FastCheck.nat(300_000)),
      bits: FastCheck.integer({ min: 0, max: 8 }),
      distance: FastCheck.oneof(FastCheck.integer({ min: 1, max: 40 }), FastCheck.integer({ min: 1, max: 100_000 })),
      share: FastCheck.double({ min: 0, max: 1, noNaN: true }),
    })
    FastCheck.assert(
      FastCheck.property(kinds, ({ bits, distance, seed, share, size }) => {
        let state = seed >>> 0
        const random = (): number => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32
        const plain = new Uint8Array(size)
        for (let i = 0; i < size; i++) {
          plain[i] = i >= distance && random() < share ? plain[i - distance] : random() * random() * 2 ** bits
        }
        packed(plain, "")
      }),
      { numRuns: 150 },
    )
  })

  it("compresses text to a third, rising integers to two thirds, and runs to less than 1 %", () => {
    const sizes = new Map(samples().map(([label, plain]) => [label, packed(plain, label).length / plain.length]))
    assert(sizes.get("text 65536")! < 0.33, `${sizes.get("text 65536")}`)
    assert(sizes.get("integers 65536")! < 0.66, `${sizes.get("integers 65536")}`)
    assert(sizes.get("runs 65536")! < 0.01, `${sizes.get("runs 65536")}`)
    assert(packed(new Uint8Array(1_000_000), "zeros").length < 100)
    // data without patterns are stored uncompressed
    assert(sizes.get("noise 65536")! < 1.001)
  })
})

describe("distributions", () => {
  const uses = FastCheck.array(FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(5), FastCheck.nat(1 << 16)), {
    minLength: 2,
    maxLength: 53,
  }).filter((counts) => counts.filter((n) => n > 0).length > 1)

  it("give every used symbol a share, and decode to the encoded shares", () => {
    FastCheck.assert(FastCheck.property(uses, FastCheck.integer({ min: 6, max: 9 }), (counts, log) => {
      const symbolShares = shares(Uint32Array.from(counts), log)
      assertEquals(symbolShares.reduce((sum, share) => sum + share, 0), 1 << log)
      assert(symbolShares.every((share, i) => (share > 0) === (counts[i] > 0)))
      assert(costOf(Uint32Array.from(counts), symbolShares, log) < Infinity)
      const bytes = new Uint8Array(200)
      const description = new BackwardBits(bytes)
      writeShares(symbolShares, log, description)
      const end = description.align()
      const { next, table } = readFseTable(bytes, 0, bytes.length, counts.length - 1, 9)
      assertEquals(next, end)
      assertEquals(table, fseTable(symbolShares, log))
    }))
  })
})
