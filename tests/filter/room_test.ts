/** The memory of filter results: scratch memory is reused during a chunk, and never part of a result. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { isScratch } from "../../platform/wasm/memory.ts"
import type { Filter } from "../../schema/array/filter.ts"
import { filterTile } from "../../src/filter/pipeline/filter_tile.ts"
import {
  type TileContext,
  tileTable,
  unfilterChunk,
  unfilterChunks,
  unfilterTile,
} from "../../src/filter/pipeline/pipeline.ts"
import { transformOf } from "../../src/filter/pipeline/registry.ts"
import type { Parts } from "../../src/filter/part/transform.ts"
import * as naive from "./naive.ts"

const any: ReadonlyArray<Filter> = [
  { type: "noop" },
  { type: "checksum_md5" },
  { type: "lz4", level: 1 },
  { type: "gzip", level: 1 },
  { type: "zstd", level: 1 },
  { type: "byteshuffle" },
  { type: "bitshuffle" },
  { type: "bit_width_reduction", maxWindow: 256 },
  { type: "aes_256_gcm" },
]

/** Returns ascending values of four bytes. */
const values = (count: number): Uint8Array =>
  new Uint8Array(Uint32Array.from({ length: count }, (_, i) => 7 * i + (Math.imul(i, 0x9e3779b1) >>> 28)).buffer)

/** Filters a tile in chunks of up to 252 bytes, each filtered as a tile. */
const filterChunks = (cells: Uint8Array, context: TileContext): Uint8Array => {
  const tiles: Array<Uint8Array> = []
  for (let at = 0; at < cells.length; at += 252) {
    tiles.push(filterTile(cells.subarray(at, at + 252), context).subarray(8))
  }
  return naive.bytesOf(naive.u32s(tiles.length, 0), ...tiles)
}

describe("unfiltered chunks", () => {
  it("use the caller's memory or separate memory, for all filters", () => {
    const rest = fc.array(fc.constantFrom(...any), { maxLength: 4 })
    // filters that do not support every input
    const first = fc.constantFrom<Filter>({ type: "positive_delta", maxWindow: 64 }, { type: "xor" }, ...any)
    const chains = fc.tuple(first, rest).map(([filter, others]) => [filter, ...others])
    fc.assert(
      fc.property(chains, fc.integer({ min: 1, max: 600 }), fc.nat(9), (filters, count, shift) => {
        const context = naive.context(filters, "uint32")
        const want = values(count)
        const tile = filterChunks(want, context)
        const table = tileTable(tile, context, want.length)
        const kept = Array.from({ length: table.count }, (_, i) => unfilterChunk(tile, table, i, context))
        const into = new Uint8Array(want.length + shift).subarray(shift)
        const unfiltered = unfilterChunks(tile, table, 0, table.count, context, into)
        assertEquals(unfiltered.buffer === into.buffer || table.count === 1, true)
        assertEquals(Array.from(unfiltered), Array.from(want))
        const whole = unfilterTile(tile, context, want.length)
        unfilterTile(filterChunks(new Uint8Array(want.length).fill(255), context), context, want.length)
        assertEquals(Array.from(whole), Array.from(want))
        assertEquals(Array.from(naive.bytesOf(...kept)), Array.from(want))
        assert(![unfiltered, whole, ...kept].some(isScratch))
      }),
      { numRuns: 300 },
    )
  })

  it("copy metadata from scratch memory", () => {
    // double delta stores metadata unencoded if its bytes differ a lot (as for 252), and returns views of its input
    const packed: ReadonlyArray<Filter> = [
      { type: "double_delta", level: 0, reinterpretDatatype: "uint8" },
      { type: "lz4", level: 1 },
    ]
    const context = naive.context([{ type: "bitshuffle" }, { type: "xor" }, ...packed], "uint32")
    const zeros = new Uint8Array(252)
    const sizes = naive.u32s(1, 252)
    const filtered = packed.reduce<Parts>(
      (parts, filter) => transformOf(filter).forward(filter, parts, { ...context, verifyChecksums: true }),
      { metadata: [naive.bytesOf(sizes, sizes)], data: zeros },
    )
    const tile = naive.persist([{ original: 252, parts: filtered }])
    assertEquals(Array.from(unfilterTile(tile, context, 252)), Array.from(zeros))
  })
})
