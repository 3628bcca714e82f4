/** Early release of memory. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { release } from "../../src/kernel/release.ts"
import { sortCells, sortPacked, takeOrder } from "../../src/kernel/sort/sort_cells.ts"

describe("released memory", () => {
  it("includes large arrays, once each, which become empty", () => {
    const [large, small, other] = [new Uint32Array(1 << 16), new Uint32Array(8), new Uint32Array(1 << 16).fill(7)]
    release([large, small, large])
    assertEquals([large.length, small.length, other.length], [0, 8, 1 << 16])
    assertEquals(other.every((value) => value === 7), true)
  })

  it("includes the words of a sort, but never its input", () => {
    const n = 1 << 17
    const words = [Uint32Array.from({ length: n }, (_, i) => (i * 7919) % n), new Uint32Array(n).fill(3)]
    const sorted = sortPacked(words, n)
    const order = takeOrder(sorted)
    assertEquals([sorted.first.length, sorted.packed.map(({ length }) => length)], [0, [0]])
    assertEquals([...order.subarray(0, 2)], [0, words[0].indexOf(1)])
    assertEquals(sortCells(words, n), order)
    assertEquals(words.map(({ length }) => length), [n, n])
  })
})
