/** Hilbert values compared with a BigInt implementation, and laws of the curve. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import {
  hilbertBits,
  hilbertWords,
  numberBuckets,
  stringBuckets,
  type Words,
} from "../../../src/kernel/sort/hilbert.ts"

const bigOf = ([high, low]: Words, i: number): bigint => (BigInt(high[i]) << 32n) | BigInt(low[i])
const wordsOf = (values: ReadonlyArray<bigint>): Words => [
  Uint32Array.from(values, (v) => Number(v >> 32n)),
  Uint32Array.from(values, (v) => Number(v & 0xffffffffn)),
]

/** Skilling's AxestoTranspose, as published. */
const toTranspose = (axes: ReadonlyArray<bigint>, bits: number): Array<bigint> => {
  const x = [...axes]
  const n = x.length
  const top = 1n << BigInt(bits - 1)
  for (let q = top; q > 1n; q >>= 1n) {
    const p = q - 1n
    for (let i = 0; i < n; i++) {
      if ((x[i] & q) !== 0n) x[0] ^= p
      else {
        const t = (x[0] ^ x[i]) & p
        x[0] ^= t
        x[i] ^= t
      }
    }
  }
  for (let i = 1; i < n; i++) x[i] ^= x[i - 1]
  let t = 0n
  for (let q = top; q > 1n; q >>= 1n) if ((x[n - 1] & q) !== 0n) t ^= q - 1n
  return x.map((v) => v ^ t)
}

/** Skilling's TransposetoAxes. */
const toAxes = (transposed: ReadonlyArray<bigint>, bits: number): Array<bigint> => {
  const x = [...transposed]
  const n = x.length
  let t = x[n - 1] >> 1n
  for (let i = n - 1; i > 0; i--) x[i] ^= x[i - 1]
  x[0] ^= t
  for (let q = 2n; q !== 1n << BigInt(bits); q <<= 1n) {
    const p = q - 1n
    for (let i = n - 1; i >= 0; i--) {
      if ((x[i] & q) !== 0n) x[0] ^= p
      else {
        t = (x[0] ^ x[i]) & p
        x[0] ^= t
        x[i] ^= t
      }
    }
  }
  return x
}

/** Bit j of dimension i at position j · dims + (dims − 1 − i). */
const interleave = (x: ReadonlyArray<bigint>, bits: number): bigint => {
  let out = 0n
  for (let j = 0; j < bits; j++) {
    x.forEach((v, i) => out |= ((v >> BigInt(j)) & 1n) << BigInt(j * x.length + x.length - 1 - i))
  }
  return out
}

const separate = (value: bigint, dims: number, bits: number): Array<bigint> =>
  Array.from({ length: dims }, (_, i) => {
    let out = 0n
    for (let j = 0; j < bits; j++) out |= ((value >> BigInt(j * dims + dims - 1 - i)) & 1n) << BigInt(j)
    return out
  })

const pointOf = (value: bigint, dims: number): Array<bigint> => {
  const bits = hilbertBits(dims)
  return toAxes(separate(value, dims, bits), bits)
}

/** Computes the Hilbert values of points with the kernel. */
const valuesOf = (points: ReadonlyArray<ReadonlyArray<bigint>>): Array<bigint> => {
  const words = hilbertWords(points[0].map((_, d) => wordsOf(points.map((p) => p[d]))))
  return points.map((_, i) => bigOf(words, i))
}

const points = (dims: number) => {
  const top = (1n << BigInt(hilbertBits(dims))) - 1n
  const coordinate = fc.oneof(fc.bigInt({ min: 0n, max: top }), fc.constantFrom(0n, 1n, top, top - 1n, top >> 1n))
  return fc.array(fc.array(coordinate, { minLength: dims, maxLength: dims }), { minLength: 1, maxLength: 20 })
}

describe("Hilbert values", () => {
  for (let dims = 2; dims <= 16; dims++) {
    it(`of ${dims} dimensions are equal to the BigInt implementation`, () => {
      const bits = hilbertBits(dims)
      fc.assert(
        fc.property(points(dims), (points) => {
          assertEquals(valuesOf(points), points.map((p) => interleave(toTranspose(p, bits), bits)))
        }),
        { seed: dims, numRuns: 40 },
      )
    })
  }

  it("of one dimension are the buckets", () => {
    const buckets = wordsOf([5n, 2n ** 63n - 1n, 0n])
    assertEquals(hilbertWords([buckets]), buckets)
  })

  for (const dims of [2, 3, 4]) {
    const last = (1n << BigInt(dims * hilbertBits(dims))) - 1n
    const start = fc.oneof(fc.bigInt({ min: 0n, max: last - 16n }), fc.constantFrom(0n, last - 16n, last / 2n - 8n))

    it(`of ${dims} dimensions have an inverse`, () => {
      fc.assert(
        fc.property(start, (start) => {
          const values = Array.from({ length: 16 }, (_, i) => start + BigInt(i))
          assertEquals(valuesOf(values.map((v) => pointOf(v, dims))), values)
        }),
        { seed: 10 + dims, numRuns: 60 },
      )
    })

    it(`of ${dims} dimensions that follow each other belong to neighbours`, () => {
      // the curve over a corner: every cell of a 4 × 4 (× 4 …) box, sorted by the kernel's values
      const corner = [Array<bigint>()]
      for (let d = 0; d < dims; d++) {
        corner.splice(0, corner.length, ...corner.flatMap((p) => [0n, 1n, 2n, 3n].map((c) => [...p, c])))
      }
      const values = valuesOf(corner)
      const order = corner.map((_, i) => i).sort((a, b) => values[a] < values[b] ? -1 : 1)
      assertEquals(values[order[0]], 0n)
      order.forEach((cell, k) => assertEquals(values[cell], BigInt(k)))
      for (let k = 1; k < order.length; k++) {
        const steps = corner[order[k]].map((c, d) => c - corner[order[k - 1]][d]).filter((s) => s !== 0n)
        assert(steps.length === 1 && (steps[0] === 1n || steps[0] === -1n), `a leap of ${steps} at ${k}`)
      }
    })
  }
})

describe("buckets", () => {
  it("of numbers are cut as the engine cuts them, in float64", () => {
    const value = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 16 }),
        fc.double({ min: -1e15, max: 1e15, noNaN: true }),
        fc.double({ min: 1, max: 1e18, noNaN: true }),
        fc.array(value, { maxLength: 20 }),
        (dims, low, range, parts) => {
          const bits = hilbertBits(dims)
          const values = Float64Array.from(parts, (p) => low + p * range).filter((v) => v >= low)
          const buckets = numberBuckets(values, low, range, bits)
          values.forEach((v, i) => {
            assertEquals(bigOf(buckets, i), BigInt(Math.trunc(((v - low) / range) * Number((1n << BigInt(bits)) - 1n))))
          })
        },
      ),
      { seed: 20 },
    )
  })

  it("of a domain of one value are one bucket", () => {
    assertEquals(numberBuckets(Float64Array.of(7, 7), 7, 0, 31), [new Uint32Array(2), new Uint32Array(2)])
  })

  it("of strings are their first eight bytes, with the engine's signed characters", () => {
    const strings = fc.array(fc.array(fc.oneof(fc.nat(127), fc.nat(255)), { maxLength: 12 }), { maxLength: 20 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 16 }), strings, (dims, strings) => {
        const bits = hilbertBits(dims)
        const offsets = new Uint32Array(strings.length + 1)
        strings.forEach((s, i) => offsets[i + 1] = offsets[i] + s.length)
        const buckets = stringBuckets(Uint8Array.from(strings.flat()), offsets, bits)
        strings.forEach((s, i) => {
          let value = 0n
          for (let k = 0; k < 8; k++) {
            const character = BigInt.asUintN(64, BigInt.asIntN(8, BigInt(s[k] ?? 0)))
            value = BigInt.asUintN(64, value << 8n) | character
          }
          assertEquals(bigOf(buckets, i), value >> BigInt(64 - bits))
        })
      }),
      { seed: 21 },
    )
  })
})
