/** The WebAssembly kernels of filters compared with TypeScript: equal bytes for any length and alignment. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals, assertThrows } from "@std/assert"
import { doubleDeltaByKernel, encodeDoubleDeltaByKernel } from "../../platform/wasm/double_delta.ts"
import { MAX_BUFFER_SIZE, scratch } from "../../platform/wasm/memory.ts"
import { shuffleByKernel, type ShuffleName } from "../../platform/wasm/shuffle.ts"
import { transposeBlocks } from "../../src/filter/filters/bitshuffle.ts"
import { shuffle, unshuffle } from "../../src/filter/filters/byteshuffle.ts"
import { decodeStream } from "../../src/filter/filters/double_delta.ts"
import { encodePairs } from "../../src/filter/filters/double_delta_forward.ts"
import { Refusal } from "../../src/filter/part/transform.ts"

const noise = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => Math.imul(i + seed, 0x9e3779b1) >>> 13)

/** Copies of bytes without alignment, and in the first and second part of the kernels' memory. */
const places = [
  (bytes: Uint8Array) => bytes,
  (bytes: Uint8Array) => {
    const odd = new Uint8Array(bytes.length + 3)
    odd.set(bytes, 3)
    return odd.subarray(3)
  },
  (bytes: Uint8Array) => {
    const copy = scratch(bytes.length, bytes)
    copy.set(bytes)
    return copy
  },
  (bytes: Uint8Array) => {
    const copy = scratch(bytes.length, scratch(bytes.length, bytes))
    copy.set(bytes)
    return copy
  },
]

/** Calls `run` with every pair of places without overlap; the result must be `want`, the input unchanged. */
const everywhere = (
  input: Uint8Array,
  want: Uint8Array,
  run: (input: Uint8Array, output: Uint8Array) => boolean,
): void => {
  places.forEach((from, i) =>
    places.forEach((to, k) => {
      if (i === k && i > 1) return
      const copy = from(input)
      const out = to(new Uint8Array(want.length))
      assertEquals(run(copy, out), true)
      // as plain arrays: comparing typed arrays value by value is very slow
      if (!same(out, want)) assertEquals(Array.from(out), Array.from(want))
      assertEquals(same(copy, input), true)
    })
  )
}

const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])

const twins: Readonly<Record<ShuffleName, (input: Uint8Array, size: number, output: Uint8Array) => void>> = {
  shuffle,
  unshuffle,
  bitshuffle: (input, size, output) => transposeBlocks("bitshuffle", input, size, output),
  bitunshuffle: (input, size, output) => transposeBlocks("bitunshuffle", input, size, output),
}

const check = (name: ShuffleName, input: Uint8Array, size: number): void => {
  const want = new Uint8Array(input.length)
  twins[name](input, size, want)
  everywhere(input, want, (from, to) => shuffleByKernel(name, from, size, to))
}

describe("the kernel of shuffles", () => {
  for (const name of ["shuffle", "unshuffle"] as const) {
    it(`${name} is equal in TypeScript: all lengths up to 300, and arbitrary ones`, () => {
      for (const size of [2, 4, 8]) {
        for (let length = 0; length <= 300; length++) check(name, noise(length, size), size)
      }
      fc.assert(
        fc.property(fc.constantFrom(2, 4, 8), fc.nat(40_000), fc.integer(), (size, length, seed) => {
          check(name, noise(length, seed), size)
        }),
        { numRuns: 20 },
      )
    })
  }

  for (const name of ["bitshuffle", "bitunshuffle"] as const) {
    it(`${name} is equal in TypeScript: all lengths up to 1500, and arbitrary ones, with incomplete blocks`, () => {
      for (const size of [1, 2, 4, 8]) {
        for (let length = 0; length <= 1500; length += 8) check(name, noise(length, size), size)
      }
      fc.assert(
        fc.property(fc.constantFrom(1, 2, 4, 8), fc.nat(5000), fc.integer(), (size, words, seed) => {
          check(name, noise(8 * words, seed), size)
        }),
        { numRuns: 20 },
      )
    })
  }

  it("rejects input that exceeds its memory", () => {
    const large = new Uint8Array(MAX_BUFFER_SIZE + 8)
    assertEquals(shuffleByKernel("shuffle", large, 8, new Uint8Array(large.length)), false)
    check("unshuffle", noise(MAX_BUFFER_SIZE, 1), 8)
  })
})

describe("the kernel of double delta", () => {
  it("decodes the same values as TypeScript, for every number of bits", () => {
    for (const size of [1, 2, 4, 8]) {
      for (let bits = 0; bits < 8 * size - 1; bits++) {
        for (const count of [3, 4, 5, 66, 1000]) {
          const words = Math.ceil(((count - 2) * (bits + 1)) / 64)
          const input = noise(2 * size + 8 * words, bits)
          const want = new Uint8Array(count * size)
          decodeStream(input, bits, size, want)
          everywhere(input, want, (from, to) => doubleDeltaByKernel(from, bits, size, to))
        }
      }
    }
  })
  it("encodes the same bytes as TypeScript, signed and unsigned, and rejects the same values", () => {
    const seen = new Set<number>()
    const wide = fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n })
    const values = fc.tuple(fc.integer({ min: 1, max: 64 }), fc.array(wide, { minLength: 3, maxLength: 200 }))
    fc.assert(
      fc.property(values, fc.boolean(), fc.boolean(), ([bits, cells], unsigned, countFirst) => {
        const part = new Uint8Array(BigInt64Array.from(cells, (value) => value >> BigInt(64 - bits)).buffer)
        const made = encodeDoubleDeltaByKernel(part, unsigned, countFirst)
        if (made === undefined) {
          assertThrows(() => encodePairs(part, unsigned, countFirst), Refusal, "exceeds 64 bits")
          seen.add(255)
          return
        }
        const want = encodePairs(part, unsigned, countFirst)
        assertEquals([made.bits, Array.from(made.stream)], [want.bits, Array.from(want.stream)])
        seen.add(made.bits)
      }),
      { numRuns: 3000 },
    )
    assertEquals(seen.has(255) && seen.size > 50, true)
  })
})
