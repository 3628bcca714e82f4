/** Found cells against a list of them one by one. */
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

/** Tiles of four cells; of each the chosen positions, `undefined` for all. */
const choice = fc.option(fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 3 }), { nil: undefined })
const found = fc.array(fc.tuple(fc.nat(2), choice), { maxLength: 8 }).map((tiles): ResultCells => {
  tiles.sort((a, b) => a[0] - b[0])
  const positions = tiles.map(([, its]) => its === undefined ? undefined : Uint32Array.from(its).sort())
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

/** Cells as fragment, tile, position, coordinate. */
const listed = (cells: ResultCells): Array<string> => {
  const { tiles, tileOf, positions } = listCells(cells)
  const coordinates = cells.coordinates[1]!.flatMap((tile) => [...tile!.values])
  return Array.from(tileOf, (t, i) => [tiles[t].fragment, tiles[t].tile, positions[i], coordinates[i]].join())
}

describe("found cells", () => {
  it("are those of their tiles", () => {
    fc.assert(
      fc.property(found, (cells) => {
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

  it("are fewer once some are not kept", () => {
    fc.assert(
      fc.property(found, fc.array(fc.nat(1), { minLength: 32, maxLength: 32 }), (cells, mask) => {
        const keep = Uint8Array.from(mask.slice(0, cells.length))
        const fewer = restrict(cells, keep)
        assertEquals(listed(fewer), listed(cells).filter((_, i) => keep[i] === 1))
        assertEquals(fewer.length, listed(fewer).length)
        assertEquals(fewer.coordinates[0], undefined)
        // none keeps a tile without cells, or a list where all stay
        assertEquals(fewer.counts.includes(0), false)
        fewer.positions.forEach((p, t) => {
          const before = cells.tiles.indexOf(fewer.tiles[t])
          if (cells.counts[before] === fewer.counts[t]) assertEquals(p, cells.positions[before])
        })
      }),
      { seed: 2, numRuns: 200 },
    )
  })

  it("have what their tile says, or its list at their position", () => {
    fc.assert(
      fc.property(found, (cells) => {
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
