/** Exact bytes: computed by hand, and from the engine's unit tests (the strings). */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import type { Datatype } from "../../schema/array/datatype.ts"
import type { Filter } from "../../schema/array/filter.ts"
import { filterFoldedTile, unfilterFoldedTile } from "../../src/filter/pipeline/folded.ts"
import { unfilterTile } from "../../src/filter/pipeline/pipeline.ts"
import { bytesOf, context, int, persist, u32s } from "./naive.ts"

const text = (s: string): Uint8Array => new TextEncoder().encode(s)
const compressed = (filter: Filter, type: Datatype, part: Uint8Array, size: number): Array<number> => {
  const metadata = [u32s(0, 1, size, part.length)]
  return Array.from(
    unfilterTile(persist([{ original: size, parts: { metadata, data: part } }]), context([filter], type), size),
  )
}

describe("byte vectors", () => {
  it("rle of int32: 1 2 3, then 1 1 1 1", () => {
    const rle: Filter = { type: "rle", level: -1 }
    const runs = [1, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 1]
    assertEquals(compressed(rle, "int32", bytesOf(runs), 12), [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0])
    assertEquals(compressed(rle, "int32", bytesOf([1, 0, 0, 0, 0, 4]), 16), [...u32s(1, 1, 1, 1)])
  })

  it("delta of 100 300 200 as uint16: steps wrap", () => {
    const delta: Filter = { type: "delta", level: -1, reinterpretDatatype: "any" }
    const part = bytesOf(int(3, 8), [100, 0, 200, 0, 0x9c, 0xff])
    assertEquals(compressed(delta, "uint16", part, 6), [100, 0, 0x2c, 1, 200, 0])
    // the filter's datatype overrides the field's
    assertEquals(compressed({ ...delta, reinterpretDatatype: "uint8" }, "uint16", bytesOf(int(2, 8), [5, 255]), 2), [
      5,
      4,
    ])
  })

  it("double delta of 100 300 200 600 as int32: 9 bits and sign, from the top of a 64-bit word", () => {
    // the steps change by −300 and +500
    const word = 0b1_100101100_0_111110100n << 44n
    const part = bytesOf([9], int(4, 8), u32s(100, 300), int(word, 8))
    const filter: Filter = { type: "double_delta", level: -1, reinterpretDatatype: "any" }
    assertEquals(compressed(filter, "int32", part, 16), [...u32s(100, 300, 200, 600)])
  })

  const strings = (filter: Filter, tail: Uint8Array, data: Uint8Array, size: number, cells: number) => {
    const metadata = [bytesOf(u32s(0, 1, size, data.length, 8 * cells), tail)]
    const tile = persist([{ original: size, parts: { metadata, data } }])
    const read = unfilterFoldedTile(tile, context([filter], "string_ascii"), size, cells)
    // writers use the minimum width
    if (tail[0] === 1) assertEquals(filterFoldedTile(read, context([filter], "string_ascii")), tile)
    const { bytes, offsets } = read
    return [new TextDecoder().decode(bytes), Array.from(offsets)]
  }

  it("rle of strings: HG543232 × 5, HG54 × 2, A", () => {
    const data = bytesOf([5, 8], text("HG543232"), [2, 4], text("HG54"), [1, 1], text("A"))
    const want = "HG543232".repeat(5) + "HG54HG54A"
    const offsets = [0, 8, 16, 24, 32, 40, 44, 48, 49]
    assertEquals(strings({ type: "rle", level: -1 }, Uint8Array.of(1, 1), data, 49, 8), [want, offsets])
    const wide = bytesOf([1, 0, 0, 0, 0, 2], text("ab"))
    const [ab, starts] = strings({ type: "rle", level: -1 }, Uint8Array.of(2, 4), wide, 512, 256)
    assertEquals([ab, (starts as Array<number>)[255]], ["ab".repeat(256), 510])
  })

  it("a dictionary of HG543232, HG54, A", () => {
    const dictionary = bytesOf([8], text("HG543232"), [4], text("HG54"), [1], text("A"))
    const tail = bytesOf([1, 1], u32s(dictionary.length), dictionary)
    const want = "HG543232HG543232HG543232HG54HG54AHG543232HG54"
    const have = strings({ type: "dictionary", level: -1 }, tail, Uint8Array.of(0, 0, 0, 1, 1, 2, 0, 1), 45, 8)
    assertEquals(have, [want, [0, 8, 16, 24, 28, 32, 33, 41, 45]])
  })
})
