import { assert, assertEquals, assertThrows } from "@std/assert"
import { describe, it } from "node:test"
import { bzip2 } from "../../platform/codec_bzip2.ts"
import { CodecError } from "../../platform/errors.ts"
import { bzip2Blocks, bzip2Runs, runLengths } from "./codec_vectors.ts"

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

  it("says what a stream is that is none", () => {
    assertThrows(() => bzip2.decompress(new TextEncoder().encode("BZx91AY&SY and on it goes"), 5), CodecError, "BZh")
    assertThrows(
      () => bzip2.decompress(new TextEncoder().encode("BZh0\x31\x41\x59\x26\x53\x59 ...."), 5),
      CodecError,
      "block size 0",
    )
  })
})
