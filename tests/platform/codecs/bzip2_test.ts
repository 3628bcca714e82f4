import { assert, assertEquals, assertThrows } from "@std/assert"
import * as FastCheck from "effect/FastCheck"
import { describe, it } from "node:test"
import { bzip2 } from "../../../platform/codecs/bzip2/portable.ts"
import { huffmanLengths } from "../../../platform/codecs/huffman_lengths.ts"
import { sortRotations } from "../../../platform/codecs/bzip2/burrows_wheeler.ts"
import { CodecError } from "../../../platform/errors.ts"
import { bzip2Blocks, bzip2Runs, empties, runLengths } from "./codec_vectors.ts"

describe("bzip2", () => {
  it("reads runs of every kind of length", () => {
    const plain = Uint8Array.from(runLengths.flatMap((length, value) => new Array<number>(length).fill(value)))
    assertEquals(bzip2.decompress(bzip2Runs, plain.length), plain)
  })

  it("reads several blocks", () => {
    const plain = Uint8Array.from({ length: 250_000 }, (_, i) => (i % 7) ^ Math.floor(i / 40_000))
    assert(bzip2.decompress(bzip2Blocks, plain.length).every((byte, i) => byte === plain[i]))
    assertThrows(() => bzip2.decompress(bzip2Blocks, plain.length - 1), CodecError, "more than")
    assertThrows(() => bzip2.decompress(bzip2Blocks, plain.length + 1), CodecError, "250000 bytes where")
  })

  it("writes runs of every kind of length, and blocks of every size", () => {
    const runs = Uint8Array.from(runLengths.flatMap((length, value) => new Array<number>(length).fill(value)))
    assertEquals(bzip2.decompress(bzip2.compress(runs, -1), runs.length), runs)
    const long = Uint8Array.from(
      { length: 250_000 },
      (_, i) => (i % 7) ^ Math.floor(i / 40_000) ^ (i % 1009 === 0 ? 99 : 0),
    )
    for (const level of [-1, 1, 2, 9, 10]) {
      const packed = bzip2.compress(long, level)
      assertEquals(packed[3] - 0x30, level < 1 ? 1 : Math.min(level, 9))
      assert(bzip2.decompress(packed, long.length).every((byte, i) => byte === long[i]))
    }
  })

  it("writes the same stream as libbz2 for no data", () => {
    assertEquals(bzip2.compress(new Uint8Array(), 9), empties.bzip2)
  })

  it("rejects a stream that is not bzip2, with the reason", () => {
    assertThrows(() => bzip2.decompress(new TextEncoder().encode("BZx91AY&SY and on it goes"), 5), CodecError, "BZh")
    assertThrows(
      () => bzip2.decompress(new TextEncoder().encode("BZh0\x31\x41\x59\x26\x53\x59 ...."), 5),
      CodecError,
      "block size 0",
    )
  })
})

describe("rotations", () => {
  it("are sorted by their bytes", () => {
    const few = FastCheck.array(FastCheck.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 40 })
    const blocks = FastCheck.tuple(
      few,
      FastCheck.integer({ min: 1, max: 12 }),
      FastCheck.uint8Array({ maxLength: 300 }),
    )
    FastCheck.assert(FastCheck.property(blocks, ([unit, times, tail]) => {
      const block = Uint8Array.from([...Array.from({ length: times }, () => unit).flat(), ...tail])
      const rotation = (start: number) => String.fromCharCode(...block.subarray(start), ...block.subarray(0, start))
      const have = Array.from(sortRotations(block))
      assertEquals(have.toSorted((a, b) => a - b), Array.from(block, (_, i) => i))
      const want = Array.from(block, (_, i) => rotation(i)).sort()
      assertEquals(have.map(rotation), want)
    }))
  })
})

describe("lengths of a Huffman code", () => {
  it("leave no code unused, and are no longer than allowed", () => {
    const uses = FastCheck.array(FastCheck.oneof(FastCheck.nat(3), FastCheck.nat(1 << 24)), {
      minLength: 2,
      maxLength: 258,
    })
    FastCheck.assert(FastCheck.property(uses, FastCheck.integer({ min: 9, max: 17 }), (counts, max) => {
      const lengths = huffmanLengths(Uint32Array.from(counts), max)
      assert(lengths.every((length, i) => length <= max && (length > 0) === (counts[i] > 0)))
      const used = lengths.filter((length) => length > 0)
      if (used.length > 1) assertEquals(used.reduce((sum, length) => sum + 2 ** -length, 0), 1)
    }))
  })
})
