/** Decoding many texts at once, compared with decoding each text. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { decodeText, decodeTexts } from "../../../src/query/column/decode_texts.ts"

/** Concatenates cells as in a column, optionally after `skip` bytes that belong to no cell. */
const columnOf = (cells: ReadonlyArray<Uint8Array>, skip: number) => {
  const offsets = new Uint32Array(cells.length + 1).fill(skip)
  cells.forEach((c, i) => offsets[i + 1] = offsets[i] + c.length)
  const bytes = new Uint8Array(offsets[cells.length]).fill(0xff, 0, skip)
  cells.forEach((c, i) => bytes.set(c, offsets[i]))
  return { bytes, offsets }
}

const check = (cells: ReadonlyArray<Uint8Array>, skip = 0): void => {
  const { bytes, offsets } = columnOf(cells, skip)
  assertEquals(decodeTexts(bytes, offsets), cells.map(decodeText))
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

describe("texts of many cells", () => {
  const plain = fc.string({ maxLength: 20 }).map(encode)
  const wide = fc.fullUnicodeString({ maxLength: 12 }).map(encode)
  const long = fc.constantFrom("x".repeat(9000), "é".repeat(9000), "𝄞".repeat(5000)).map(encode)
  // includes incomplete characters that adjacent cells seem to complete
  const broken = fc.array(fc.constantFrom(0x41, 0xc3, 0xa9, 0xf0, 0x9d, 0x84, 0x9e, 0xef, 0xbb, 0xbf, 0xff), {
    maxLength: 5,
  }).map((b) => Uint8Array.from(b))

  it("equal the texts of single cells", () => {
    for (const cell of [plain, wide, fc.oneof(plain, wide, long), fc.oneof(plain, broken), broken]) {
      fc.assert(fc.property(fc.array(cell, { maxLength: 40 }), fc.nat(3), check), { seed: 1, numRuns: 100 })
    }
  })

  it("contain byte order marks, and a replacement character for each half of a character that two cells share", () => {
    assertEquals(decodeTexts(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41), Uint32Array.of(0, 3, 4)), ["\ufeff", "A"])
    assertEquals(decodeTexts(Uint8Array.of(0xc3, 0xa9), Uint32Array.of(0, 1, 2)), ["\ufffd", "\ufffd"])
    assertEquals(decodeTexts(new Uint8Array(0), Uint32Array.of(0)), [])
    assertEquals(decodeTexts(new Uint8Array(0), Uint32Array.of(0, 0, 0)), ["", ""])
  })
})
