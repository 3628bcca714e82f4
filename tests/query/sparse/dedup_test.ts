/** Which of several cells with equal coordinates is returned. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { newestCells, type Repeats } from "../../../src/query/sparse/result/dedup.ts"

const newest = (
  coordinates: Array<number>,
  times: Array<number>,
  fragments: Array<number>,
  repeats?: Repeats,
): Array<number> =>
  Array.from(
    newestCells(
      Uint32Array.from(coordinates, (_, i) => i),
      [Uint32Array.from(coordinates)],
      Float64Array.from(times),
      Uint32Array.from(fragments),
      repeats === undefined ? undefined : () => repeats,
    ),
  )

describe("cells of equal coordinates", () => {
  it("the newest cell wins, at any position", () => {
    assertEquals(newest([1, 1, 1, 2], [10, 30, 20, 10], [0, 1, 2, 2]), [1, 3])
  })

  it("at equal timestamps the later fragment wins", () => {
    assertEquals(newest([1, 1, 1], [10, 10, 10], [0, 2, 1]), [1])
  })

  it("at equal timestamps in one consolidated fragment the first wins, because it was the newest at consolidation", () => {
    assertEquals(newest([1, 1, 2, 2], [10, 10, 20, 10], [0, 0, 0, 0]), [0, 2])
  })

  it("of one fragment are all returned, or the first or the last of them", () => {
    const cells = [[1, 1, 1, 1, 2], [10, 20, 20, 20, 5], [0, 1, 2, 2, 0]] as const
    const of = (repeats: Repeats) => newest([...cells[0]], [...cells[1]], [...cells[2]], repeats)
    assertEquals([of("all"), of("first"), of("last")], [[2, 3, 4], [2, 4], [3, 4]])
  })
})
