/** Cells inside ranges, against looking at every range for every cell. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { compareBytes, matchStrings, matchWords } from "../../src/kernel/match_ranges.ts"
import { keyWords } from "../../src/kernel/order_key.ts"

const mask = fc.array(fc.nat(1), { minLength: 40, maxLength: 40 }).map((m) => Uint8Array.from(m))

describe("numbers in ranges", () => {
  const small = fc.integer({ min: -20, max: 20 })
  /** Sorted and disjoint, from bounds that are. */
  const rangesOf = <A>(bounds: ReadonlyArray<A>): Array<readonly [A, A]> =>
    Array.from({ length: bounds.length >> 1 }, (_, i) => [bounds[2 * i], bounds[2 * i + 1]] as const)

  it("of one word", () => {
    const bounds = fc.uniqueArray(small, { minLength: 2, maxLength: 12 }).map((b) => b.sort((a, c) => a - c))
    fc.assert(
      fc.property(fc.array(small, { minLength: 40, maxLength: 40 }), bounds, mask, (values, bounds, mask) => {
        const ranges = rangesOf(bounds)
        const expected = values.map((v, i) => mask[i] === 1 && ranges.some(([l, h]) => l <= v && v <= h) ? 1 : 0)
        const words = (v: number) => [keyWords(Int32Array.of(v))[0][0]]
        matchWords(keyWords(Int32Array.from(values)), ranges.map(([l, h]) => ({ low: words(l), high: words(h) })), mask)
        assertEquals([...mask], expected)
      }),
      { seed: 1 },
    )
  })

  it("of two words, at every half of the 64 bits", () => {
    const near = [0n, -(2n ** 63n), 2n ** 63n - 1n, 2n ** 32n, -(2n ** 32n), 2n ** 31n]
    const value = fc.tuple(fc.constantFrom(...near), fc.bigInt({ min: -4n, max: 4n })).map(([a, b]) =>
      BigInt.asIntN(64, a + b)
    )
    const bounds = fc.uniqueArray(value, { minLength: 2, maxLength: 12 }).map((b) => b.sort((a, c) => a < c ? -1 : 1))
    fc.assert(
      fc.property(fc.array(value, { minLength: 40, maxLength: 40 }), bounds, mask, (values, bounds, mask) => {
        const ranges = rangesOf(bounds)
        const expected = values.map((v, i) => mask[i] === 1 && ranges.some(([l, h]) => l <= v && v <= h) ? 1 : 0)
        const words = (v: bigint) => keyWords(BigInt64Array.of(v)).map((w) => w[0])
        matchWords(
          keyWords(BigInt64Array.from(values)),
          ranges.map(([l, h]) => ({ low: words(l), high: words(h) })),
          mask,
        )
        assertEquals([...mask], expected)
      }),
      { seed: 2 },
    )
  })

  it("never hold NaN, and hold both zeros", () => {
    const values = Float64Array.of(NaN, -0, 0, Infinity, -Infinity, 5e-324)
    const word = (v: number) => keyWords(Float64Array.of(v)).map((w) => w[0])
    const inside = (low: number, high: number) => {
      const mask = new Uint8Array(values.length).fill(1)
      matchWords(keyWords(values), [{ low: word(low), high: word(high) }], mask)
      return [...mask]
    }
    assertEquals(inside(-Infinity, Infinity), [0, 1, 1, 1, 1, 1])
    assertEquals(inside(0, 0), [0, 1, 1, 0, 0, 0])
    assertEquals(inside(-0, -0), [0, 1, 1, 0, 0, 0])
  })
})

describe("strings in ranges", () => {
  const text = fc.array(fc.constantFrom(0, 97, 98, 0x80, 0xff), { maxLength: 3 }).map((t) => Uint8Array.from(t))
  it("are those between the bounds, with open ends", () => {
    const range = fc.record({ low: fc.option(text, { nil: undefined }), high: fc.option(text, { nil: undefined }) })
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 40, maxLength: 40 }),
        fc.array(range, { maxLength: 4 }),
        mask,
        (cells, ranges, mask) => {
          const offsets = new Uint32Array(cells.length + 1)
          cells.forEach((c, i) => offsets[i + 1] = offsets[i] + c.length)
          const texts = cells.map((c) => String.fromCharCode(...c))
          const show = (b: Uint8Array) => String.fromCharCode(...b)
          const expected = texts.map((t, i) =>
            mask[i] === 1 &&
              ranges.some(({ low, high }) =>
                (low === undefined || show(low) <= t) && (high === undefined || t <= show(high))
              )
              ? 1
              : 0
          )
          matchStrings(Uint8Array.from(cells.flatMap((c) => [...c])), offsets, ranges, mask)
          assertEquals([...mask], expected)
        },
      ),
      { seed: 3, numRuns: 200 },
    )
  })

  it("compare as unsigned bytes, a prefix first", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [x, y] = [String.fromCharCode(...a), String.fromCharCode(...b)]
        assertEquals(Math.sign(compareBytes(a, b)), x < y ? -1 : x > y ? 1 : 0)
      }),
      { seed: 4 },
    )
  })
})
