/** Sorting and ranking against comparators. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { sortCells } from "../../../src/kernel/sort/sort_cells.ts"
import { stringRanks } from "../../../src/kernel/sort/string_rank.ts"
import { compareBytes } from "../../../src/kernel/match/match_ranges.ts"

const naiveSort = (words: ReadonlyArray<Uint32Array>, n: number): Array<number> =>
  Array.from({ length: n }, (_, i) => i).sort((a, b) => {
    for (const word of words) if (word[a] !== word[b]) return word[a] < word[b] ? -1 : 1
    return a - b
  })

/** Words that differ in some digits only, so that passes are skipped and cells are equal. */
const word = (seed: number, n: number, mask: number): Uint32Array => {
  let state = seed
  return Uint32Array.from({ length: n }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return (state ^ (state >>> 13)) & mask
  })
}

describe("sorted cells", () => {
  const masks = fc.array(fc.constantFrom(0, 1, 0xff, 0xff00, 0xff0000, 0xff000000, 0xffff, 0xffffffff, 0x80000001), {
    maxLength: 3,
  })
  // insertion sort below 64 cells, 8-bit digits below 4096, 16-bit ones above
  for (
    const [label, size, runs] of [["few", fc.nat(70), 150], ["some", fc.nat(3000), 30], [
      "many",
      fc.constant(5000),
      10,
    ]] as const
  ) {
    it(`${label} are in the order of their words; equal cells keep their order`, () => {
      fc.assert(
        fc.property(masks, size, fc.integer(), fc.boolean(), (masks, n, seed, sorted) => {
          const words = masks.map((mask, i) => word(seed + i, n, mask))
          if (sorted && words.length > 0) words[0].sort()
          assertEquals([...sortCells(words, n)], naiveSort(words, n))
        }),
        { seed: 4, numRuns: runs },
      )
    })
  }
})

describe("ranks of strings", () => {
  const character = fc.constantFrom(0, 0, 1, 97, 98, 0x7f, 0x80, 0xff)
  const short = fc.array(character, { maxLength: 11 })
  const long = fc.tuple(fc.constantFrom(7, 8, 9, 15, 16, 17, 30), fc.array(character, { maxLength: 3 })).map((
    [n, tail],
  ) => [...new Array(n).fill(97), ...tail])
  it("follow from their bytes", () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.oneof(short, long), { maxLength: 90 }), fc.array(long)), (strings) => {
        const cells = strings.map((s) => Uint8Array.from(s))
        const offsets = new Uint32Array(cells.length + 1)
        // the strings start after other bytes
        offsets[0] = 3
        cells.forEach((s, i) => offsets[i + 1] = offsets[i] + s.length)
        const bytes = Uint8Array.from([9, 9, 9, ...strings.flat(), 5])
        const expected = cells.map((s) => cells.filter((other) => compareBytes(other, s) < 0).length)
        assertEquals([...stringRanks(bytes, offsets)], expected)
      }),
      { seed: 5, numRuns: 200 },
    )
  })
})
