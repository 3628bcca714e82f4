/** Result cells, compared with a list of single cells. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import {
  byFragment,
  listCells,
  restrict,
  type ResultCells,
  spreadOver,
} from "../../../src/query/sparse/result/result_cells.ts"

/** Tiles of four cells, each with selected positions; `undefined` selects all. */
const choice = fc.option(fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 3 }), { nil: undefined })
const resultCells = fc.array(fc.tuple(fc.nat(2), choice), { maxLength: 8 }).map((tiles): ResultCells => {
  tiles.sort((a, b) => a[0] - b[0])
  const positions = tiles.map(([, chosen]) => chosen === undefined ? undefined : Uint32Array.from(chosen).sort())
  const counts = Uint32Array.from(positions, (p) => p?.length ?? 4)
  return {
    length: counts.reduce((sum, n) => sum + n, 0),
    tiles: tiles.map(([fragment], tile) => ({ fragment, tile })),
    counts,
    positions,
    coordinates: [
      undefined,
      tiles.map((_, i) => ({
        values: Uint8Array.from(positions[i] ?? [0, 1, 2, 3], (p) => 10 * i + p),
        offsets: undefined,
        validity: undefined,
      })),
    ],
    times: tiles.map((_, i) => i % 2 === 0 ? undefined : Float64Array.of(0, 1, 2, 3)),
  }
})

/** Returns cells as fragment, tile, position, coordinate. */
const listed = (cells: ResultCells): Array<string> => {
  const { tiles, tileOf, positions } = listCells(cells)
  const coordinates = cells.coordinates[1]!.flatMap((tile) => [...tile!.values])
  return Array.from(tileOf, (t, i) => [tiles[t].fragment, tiles[t].tile, positions[i], coordinates[i]].join())
}

describe("result cells", () => {
  it("are listed by tile and grouped by fragment", () => {
    fc.assert(
      fc.property(resultCells, (cells) => {
        assertEquals(
          listed(cells),
          cells.tiles.flatMap(({ fragment, tile }, t) =>
            [...cells.positions[t] ?? [0, 1, 2, 3]].map((p) => [fragment, tile, p, 10 * t + p].join())
          ),
        )
        const groups = byFragment(cells)
        assertEquals(groups.map((g) => g.fragment), [...new Set(cells.tiles.map((t) => t.fragment))])
        assertEquals(groups.reduce((sum, g) => (assertEquals(g.first, sum), sum + g.length), 0), cells.length)
      }),
      { seed: 1 },
    )
  })

  it("are restricted by a mask", () => {
    fc.assert(
      fc.property(resultCells, fc.array(fc.nat(1), { minLength: 32, maxLength: 32 }), (cells, mask) => {
        const cellMask = Uint8Array.from(mask.slice(0, cells.length))
        const fewer = restrict(cells, cellMask)
        assertEquals(listed(fewer), listed(cells).filter((_, i) => cellMask[i] === 1))
        assertEquals(fewer.length, listed(fewer).length)
        assertEquals(fewer.coordinates[0], undefined)
        // no tile without cells remains, and tiles without removed cells keep their positions
        assertEquals(fewer.counts.includes(0), false)
        fewer.positions.forEach((p, t) => {
          const before = cells.tiles.indexOf(fewer.tiles[t])
          if (cells.counts[before] === fewer.counts[t]) assertEquals(p, cells.positions[before])
        })
      }),
      { seed: 2, numRuns: 200 },
    )
  })

  it("have the value of their tile, or of their position in the tile", () => {
    fc.assert(
      fc.property(resultCells, (cells) => {
        const { tiles, tileOf, positions } = listCells(cells)
        assertEquals(
          [...spreadOver(cells, (t) => 100 + t, (t) => cells.times[t])],
          Array.from(tileOf, (t, i) => tiles[t].tile % 2 === 0 ? 100 + t : positions[i]),
        )
      }),
      { seed: 3 },
    )
  })
})
