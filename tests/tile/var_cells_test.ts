/** Start offsets of var-sized cells, and invalid ones. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals, assertThrows } from "@std/assert"
import { FormatError } from "../../schema/errors/format_error.ts"
import { tilePositions } from "../../src/tile/var_cells.ts"
import { spansOf } from "../../src/tile/spans.ts"

const u64s = (values: ReadonlyArray<bigint>): Uint8Array => new Uint8Array(BigUint64Array.from(values).buffer)
const positions = (starts: ReadonlyArray<bigint>, size: number, unit = 1): Array<number> => [
  ...tilePositions(u64s(starts), starts.length, size, unit, "mem://a", 22),
]

describe("positions of var-sized cells", () => {
  it("are the starts, and the end of the tile", () => {
    const lengths = fc.array(fc.nat(9), { maxLength: 30 })
    fc.assert(
      fc.property(lengths, fc.constantFrom(1, 2, 4, 8), (lengths, unit) => {
        const all = [0]
        for (const length of lengths) all.push(all[all.length - 1] + unit * length)
        const starts = all.slice(0, -1).map(BigInt)
        assertEquals(positions(starts, all[all.length - 1], unit), all)
        // at any alignment
        const memory = new Uint8Array(8 * starts.length + 1)
        memory.set(u64s(starts), 1)
        const converted = tilePositions(memory.subarray(1), starts.length, all[all.length - 1], unit, "mem://a", 22)
        assertEquals([...converted], all)
      }),
      { seed: 1 },
    )
  })

  const wrong: ReadonlyArray<readonly [string, ReadonlyArray<bigint>, number, number]> = [
    ["that descend", [0n, 5n, 4n], 9, 1],
    ["after the tile", [0n, 10n], 9, 1],
    ["past 2^32", [0n, 2n ** 32n + 1n], 9, 1],
    ["past 2^63", [2n ** 64n - 1n], 9, 1],
    ["inside a value", [0n, 6n], 16, 4],
    ["in a tile that ends inside a value", [0n, 4n], 6, 4],
    ["in a tile past 4 GiB", [0n], 2 ** 33, 1],
  ]
  for (const [label, starts, size, unit] of wrong) {
    it(`${label} are rejected`, () => {
      assertThrows(() => positions(starts, size, unit), FormatError, "mem://a: offsets")
    })
  }
  it("with too few or too many bytes are rejected", () => {
    for (const cells of [0, 1, 3, 2 ** 40]) {
      assertThrows(() => tilePositions(new Uint8Array(16), cells, 4, 1, "mem://a", 22), FormatError, `${cells} cells`)
    }
  })
})

describe("spans of tiles", () => {
  it("contain every tile once, and join adjacent tiles", () => {
    const tiles = fc.array(fc.tuple(fc.nat(3), fc.nat(50), fc.boolean()), { maxLength: 40 })
    fc.assert(
      fc.property(tiles, (tiles) => {
        const starts = new Float64Array(tiles.length)
        const lengths = new Float64Array(tiles.length)
        let at = 7
        tiles.forEach(([gap, length, large], i) => {
          starts[i] = at += gap
          at += lengths[i] = large ? length * 2 ** 20 : length
        })
        const { ranges, rangeOf, startIn } = spansOf(starts, lengths)
        tiles.forEach((_, i) => {
          const range = ranges[rangeOf[i]]
          assertEquals(range.offset + startIn[i], starts[i])
          assertEquals(startIn[i] + lengths[i] <= range.length, true)
        })
        // no byte is requested twice, and no byte between tiles
        assertEquals(ranges.reduce((n, r) => n + r.length, 0), lengths.reduce((n, l) => n + l, 0))
        for (let k = 1; k < ranges.length; k++) {
          const end = ranges[k - 1].offset + ranges[k - 1].length
          assertEquals(ranges[k].offset >= end, true)
          // only a range that would grow too large ends where the next begins
          if (ranges[k].offset === end) {
            const first = lengths[rangeOf.indexOf(k)]
            assertEquals(ranges[k - 1].length + first > 2 ** 26, true)
          }
        }
      }),
      { seed: 2 },
    )
  })
})
