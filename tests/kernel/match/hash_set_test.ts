/** Sets of hashes: added hashes are known, for any sizes of the partitions. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as FastCheck from "effect/FastCheck"
import { hashCells } from "../../../src/kernel/match/hash_cells.ts"
import { HashSet } from "../../../src/kernel/match/hash_set.ts"

const words = FastCheck.tuple(FastCheck.integer(), FastCheck.oneof(FastCheck.integer(), FastCheck.constantFrom(0, 1)))

describe("a set of hashes", () => {
  it("contains the added hashes only", () => {
    FastCheck.assert(FastCheck.property(FastCheck.array(words, { maxLength: 2000 }), (added) => {
      const set = new HashSet(2 ** 20)
      const model = new Set<string>()
      for (const [high, low] of added) {
        // zero and one are the same last word
        const key = `${high >>> 0} ${(low >>> 0) || 1}`
        assertEquals(set.add(high, low), model.has(key) ? "known" : "new")
        model.add(key)
      }
    }))
  })

  it("is full at its limit, and still contains the added hashes", () => {
    const set = new HashSet(2 ** 16)
    const hash = (i: number) => [Math.imul(i + 1, 0x9e3779b1), i + 1] as const
    let count = 0
    while (set.add(...hash(count)) === "new") count++
    // between three eighths and three quarters of the slots of eight bytes
    assert(count > 2 ** 13 * 3 / 8 && count <= 2 ** 13 * 3 / 4, String(count))
    assertEquals(set.add(...hash(count)), "full")
    for (let i = 0; i < count; i++) assertEquals(set.add(...hash(i)), "known")
  })
})

describe("hashes of cells", () => {
  const hashes = (columns: Parameters<typeof hashCells>[0], count: number, cells?: Uint32Array) => {
    const [high, low] = [new Uint32Array(count), new Uint32Array(count)]
    hashCells(columns, cells, 0, count, [1, 2], high, low)
    return Array.from(high, (h, i) => `${h} ${low[i]}`)
  }

  const column = (texts: ReadonlyArray<string>) => {
    const parts = texts.map((text) => new TextEncoder().encode(text))
    const offsets = new Uint32Array(parts.length + 1)
    parts.forEach((part, i) => offsets[i + 1] = offsets[i] + part.length)
    return { values: Uint8Array.from(parts.flatMap((part) => [...part])), offsets, size: 1 }
  }

  it("are equal for equal cells only, in any order", () => {
    const text = FastCheck.stringOf(FastCheck.constantFrom("a", "b", "\0"), { maxLength: 9 })
    const cell = FastCheck.tuple(text, text, FastCheck.nat(300))
    FastCheck.assert(FastCheck.property(FastCheck.array(cell, { minLength: 1, maxLength: 50 }), (cells) => {
      const columns = [
        column(cells.map(([first]) => first)),
        column(cells.map(([, second]) => second)),
        { values: new Uint8Array(Float64Array.from(cells, ([, , n]) => n).buffer), offsets: undefined, size: 8 },
      ]
      const actual = hashes(columns, cells.length)
      for (let i = 0; i < cells.length; i++) {
        for (let k = 0; k < i; k++) assertEquals(actual[i] === actual[k], String(cells[i]) === String(cells[k]))
      }
      const order = Uint32Array.from(cells, (_, i) => cells.length - 1 - i)
      assertEquals(hashes(columns, cells.length, order), actual.toReversed())
    }))
  })

  it("of a million neighbours are all different", () => {
    const values = new Uint8Array(Int32Array.from({ length: 2 ** 20 }, (_, i) => i).buffer)
    const set = new HashSet(2 ** 25)
    const [high, low] = [new Uint32Array(2 ** 20), new Uint32Array(2 ** 20)]
    hashCells([{ values, offsets: undefined, size: 4 }], undefined, 0, 2 ** 20, [3, 4], high, low)
    let known = 0
    for (let i = 0; i < 2 ** 20; i++) if (set.add(high[i], low[i]) !== "new") known++
    assertEquals(known, 0)
    // the parts of the set have similar sizes
    const parts = new Uint32Array(64)
    for (const h of high) parts[h >>> 26]++
    assert(parts.every((count) => count > 15_500 && count < 17_300), String(parts))
  })
})
