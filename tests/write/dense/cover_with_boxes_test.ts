/** Boxes over single cells: they contain all cells, each once. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertThrows } from "@std/assert"
import * as FastCheck from "effect/FastCheck"
import { ArraySchema, Attr, Dim, WriteError } from "../../../mod.ts"
import { toStructure } from "../../../src/schema_builder/structure.ts"
import { checkColumns } from "../../../src/write/input/check_columns.ts"
import { findBoxes } from "../../../src/write/dense/cover_with_boxes.ts"

const arraySchema = toStructure(ArraySchema.sparse({
  dims: { z: Dim.int8([-5, 100]), y: Dim.int64([-(2n ** 62n), 2n ** 61n]), x: Dim.uint32([0, 2 ** 32 - 2]) },
  attrs: { a: Attr.int32() },
}))

type Cell = readonly [z: number, y: bigint, x: number]

const coverBoxes = (cells: ReadonlyArray<Cell>) => {
  const [z, y, x] = [0, 1, 2].map((d) => cells.map((cell) => cell[d]))
  const { dimensions } = checkColumns(arraySchema, { z, y, x, a: cells.map((_, i) => i) } as never, undefined)
  return findBoxes(arraySchema, dimensions, cells.length)
}

/** Returns the cells of a box in row-major order. */
const cellsOf = (box: ReturnType<typeof coverBoxes>[number]["box"]): ReadonlyArray<Cell> => {
  const out: Array<Cell> = []
  const [z, y, x] = box
  for (let i = z.low; i <= z.high; i++) {
    for (let j = y.low; j <= y.high; j++) for (let k = x.low; k <= x.high; k++) out.push([Number(i), j, Number(k)])
  }
  return out
}

const grid = (z: number, y: number, x: number, low: Cell): ReadonlyArray<Cell> =>
  Array.from({ length: z * y * x }, (_, i) => [
    low[0] + Math.floor(i / (y * x)),
    low[1] + BigInt(Math.floor(i / x) % y),
    low[2] + i % x,
  ])

describe("boxes over single cells", () => {
  it("are a single box if the cells fill it, in any order", () => {
    const low: Cell = [-5, 2n ** 32n - 2n, 2 ** 32 - 6]
    const cells = grid(3, 4, 5, low)
    FastCheck.assert(
      FastCheck.property(FastCheck.shuffledSubarray([...cells], { minLength: cells.length }), (shuffled) => {
        const boxes = coverBoxes(shuffled)
        assertEquals(boxes.length, 1)
        assertEquals([...boxes[0].cells].map((i) => shuffled[i]), cells)
      }),
      { numRuns: 20 },
    )
  })

  it("contain every cell once, at its position", () => {
    const cell = FastCheck.tuple(
      FastCheck.integer({ min: -1, max: 1 }),
      FastCheck.bigInt({ min: -1n, max: 1n }),
      FastCheck.integer({ min: 0, max: 3 }),
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.uniqueArray(cell, { selector: String, minLength: 1 }), (cells) => {
        const boxes = coverBoxes(cells)
        const seen = boxes.flatMap(({ box, cells: own }) => {
          assertEquals([...own].map((i) => cells[i]), cellsOf(box))
          return [...own]
        })
        assertEquals(seen.toSorted((a, b) => a - b), cells.map((_, i) => i))
      }),
      { numRuns: 200 },
    )
  })

  it("are few for the rows of a table that is cut anywhere", () => {
    const cells = grid(4, 5, 6, [0, 0n, 0])
    for (const [from, to, maxBoxes] of [[0, 120, 1], [0, 77, 3], [13, 120, 3], [13, 77, 5], [35, 37, 2]] as const) {
      const boxes = coverBoxes(cells.slice(from, to))
      assert(boxes.length <= maxBoxes, `${from} … ${to}: ${boxes.length}`)
    }
    // a single column
    assertEquals(coverBoxes(cells.filter(([, , x]) => x === 2)).length, 1)
  })

  it("are rejected for duplicate or scattered cells", () => {
    const twice = assertThrows(() => coverBoxes([[0, 0n, 1], [0, 0n, 0], [0, 0n, 1]]), WriteError)
    assertEquals([twice.cell, twice.other], [2, 0])
    assertEquals(/z = 0, y = 0, x = 1 are duplicated/.test(twice.message), true)
    const inOrder = assertThrows(() => coverBoxes([[0, 0n, 1], [0, 0n, 1]]), WriteError)
    assertEquals(inOrder.cell, 1)
    const scattered = Array.from({ length: 101 }, (_, i): Cell => [0, BigInt(2 * i), i])
    assertEquals(coverBoxes(scattered.slice(1)).length, 100)
    assertThrows(() => coverBoxes(scattered), WriteError, "101 cells make 101 boxes")
  })
})
