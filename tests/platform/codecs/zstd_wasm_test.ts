/** The zstd encoder in WebAssembly: other decoders read its frames, and it applies the level. */
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { decompress as fzstdDecompress } from "fzstd"
import { nativeCodecs } from "../../../platform/codecs/layers/native.ts"
import { portableCodecs } from "../../../platform/codecs/layers/portable.ts"
import { withZstdEncoder } from "../../../platform/codecs/zstd/wasm_encoder.ts"

const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])

const text = (length: number): Uint8Array =>
  new TextEncoder().encode(Array.from({ length: length / 8 }, (_, i) => `${i} a${(i * 7919) % 1000},`).join(""))
const skewed = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (Math.imul(i, 0x9e3779b1) >>> 13) % 97)

describe("the zstd encoder in WebAssembly", () => {
  it("writes frames that every decoder reads, at every level", async () => {
    const { zstd } = await Effect.runPromise(withZstdEncoder(portableCodecs))
    for (const plain of [new Uint8Array(), Uint8Array.of(7), new Uint8Array(300_000), text(40_000), skewed(150_000)]) {
      for (const level of [-20, -7, -1, 0, 1, 3, 9, 22, 30]) {
        const packed = zstd.compress(plain, level)
        const label = `${plain.length} bytes, level ${level}`
        assert(same(portableCodecs.zstd.decompress(packed, plain.length), plain), label)
        assert(same(nativeCodecs.zstd.decompress(packed, plain.length), plain), label)
        assert(same(fzstdDecompress(packed), plain), label)
      }
    }
  })

  it("applies the level, which the portable encoder ignores", async () => {
    const { zstd } = await Effect.runPromise(withZstdEncoder(portableCodecs))
    const plain = text(400_000)
    const sizes = [-7, 1, 19].map((level) => zstd.compress(plain, level).length)
    assert(sizes[0] > sizes[1] && sizes[1] > sizes[2], sizes.join(", "))
    assertEquals(portableCodecs.zstd.compress(plain, 1), portableCodecs.zstd.compress(plain, 19))
  })
})
