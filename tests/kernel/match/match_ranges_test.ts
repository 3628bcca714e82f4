/** Strings in ranges, compared with testing every range for every string. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { compareBytes, matchStrings, stringRanges } from "../../../src/kernel/match/match_ranges.ts"

const mask = fc.array(fc.nat(1), { minLength: 40, maxLength: 40 }).map((m) => Uint8Array.from(m))

describe("strings in a hundred thousand points", () => {
  const count = 100_000
  // testing every range for every cell would take minutes
  const seconds = 10
  const everyThird = Array.from({ length: count }, (_, i) => i % 3 === 0 ? 1 : 0)
  const timed = (run: () => void): void => {
    const start = performance.now()
    run()
    assert(performance.now() - start < 1000 * seconds)
  }

  it("take at most a search each", () => {
    const texts = Array.from(
      { length: count },
      (_, i) => new TextEncoder().encode(`cell ${String(i).padStart(6, "0")}`),
    )
    const offsets = Uint32Array.from({ length: count + 1 }, (_, i) => i * texts[0].length)
    const points = texts.filter((_, i) => i % 3 === 0).map((t) => ({ low: t, high: t }))
    const bytes = new Uint8Array(offsets[count])
    texts.forEach((t, i) => bytes.set(t, offsets[i]))
    const mask = new Uint8Array(count).fill(1)
    timed(() => matchStrings(bytes, offsets, stringRanges(points), mask))
    assertEquals([...mask], everyThird)
  })
})

describe("strings in ranges", () => {
  const text = fc.array(fc.constantFrom(0, 97, 98, 0x80, 0xff), { maxLength: 3 }).map((t) => Uint8Array.from(t))
  const show = (b: Uint8Array) => String.fromCharCode(...b)
  /** Ascending and disjoint; the first may have no start, the last no end; all may share a prefix. */
  const rangesOf = fc.record({
    bounds: fc.uniqueArray(text, { maxLength: 9, selector: show }),
    points: fc.boolean(),
    start: fc.boolean(),
    end: fc.boolean(),
    prefix: text,
  }).map(({ bounds, points, start, end, prefix }) => {
    const sorted = bounds.sort(compareBytes).map((b) => Uint8Array.of(...prefix, ...b))
    const step = points ? 1 : 2
    return Array.from({ length: Math.floor(sorted.length / step) }, (_, i, n = Math.floor(sorted.length / step)) => ({
      low: start && i === 0 ? undefined : sorted[step * i],
      high: end && i === n - 1 ? undefined : sorted[step * i + step - 1],
    }))
  })
  it("are those between the bounds, with open ends", () => {
    const cell = fc.oneof(text, fc.tuple(text, text).map(([a, b]) => Uint8Array.of(...a, ...b)))
    fc.assert(
      fc.property(
        fc.array(cell, { minLength: 40, maxLength: 40 }),
        rangesOf,
        mask,
        (cells, ranges, mask) => {
          // some cells are bounds
          ranges.forEach(({ low, high }, r) => {
            if (low !== undefined) cells[2 * r] = low
            if (high !== undefined) cells[2 * r + 1] = high
          })
          const offsets = new Uint32Array(cells.length + 1)
          cells.forEach((c, i) => offsets[i + 1] = offsets[i] + c.length)
          const texts = cells.map((c) => String.fromCharCode(...c))
          const expected = texts.map((t, i) =>
            mask[i] === 1 &&
              ranges.some(({ low, high }) =>
                (low === undefined || show(low) <= t) && (high === undefined || t <= show(high))
              )
              ? 1
              : 0
          )
          matchStrings(Uint8Array.from(cells.flatMap((c) => [...c])), offsets, stringRanges(ranges), mask)
          assertEquals([...mask], expected)
        },
      ),
      { seed: 3, numRuns: 500 },
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
