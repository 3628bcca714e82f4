/** Tiles without filters: any range of cells is read without the rest of the tile. */
import * as fc from "effect/FastCheck"
import { Buffer } from "node:buffer"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { encode } from "../../schema/binary/mod.ts"
import { Chunks } from "../../schema/tile/tile_chunks.ts"
import { chunkSize } from "../../src/filter/pipeline/chunk_cuts.ts"
import { plainSize, plainSpan, withoutChunkHeaders } from "../../src/tile/plain_tile.ts"

/** Returns a tile as the engine writes it. */
const tileOf = (cells: Uint8Array, cell: number): Uint8Array => {
  const chunk = chunkSize(cells.length, cell)
  const chunks = Array.from({ length: Math.ceil(cells.length / chunk) }, (_, k) => {
    const filtered = cells.subarray(k * chunk, (k + 1) * chunk)
    return { original: filtered.length, metadata: new Uint8Array(0), filtered }
  })
  return encode(Chunks, chunks, 22)
}

const counted = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i * 7 + (i >> 8))

const cases = fc.record({
  cell: fc.constantFrom(1, 2, 3, 8, 12, 100, 65535, 65536, 65537, 70000),
  cells: fc.integer({ min: 1, max: 40000 }),
  a: fc.nat(),
  b: fc.nat(),
}).map(({ cell, cells, a, b }) => {
  const n = Math.max(1, Math.min(cells, Math.floor(400000 / cell)))
  return { cell, n, first: Math.min(a % n, b % n), last: Math.max(a % n, b % n) }
})

describe("tiles without filters", () => {
  it("have the computed size", () => {
    fc.assert(fc.property(cases, ({ cell, n }) => {
      assertEquals(plainSize(n * cell, cell), tileOf(counted(n * cell), cell).length)
    }))
  })

  it("contain any range of cells at the computed position", () => {
    fc.assert(fc.property(cases, ({ cell, n, first, last }) => {
      const all = counted(n * cell)
      const { offset, length } = plainSpan(all.length, cell, first, last)
      const tile = tileOf(all, cell)
      assert(offset >= 0 && offset + length <= tile.length)
      const cellsRead = withoutChunkHeaders(tile.slice(offset, offset + length), all.length, cell, first)
      assert(cellsRead !== undefined)
      const chunk = chunkSize(all.length, cell)
      const start = Math.floor(first * cell / chunk) * chunk
      assert(Buffer.compare(cellsRead, all.subarray(start, (last + 1) * cell)) === 0)
      // at most the first part of a chunk and the headers in addition to the range
      assert(length <= (last + 1 - first) * cell + chunk + 12 * (Math.ceil(all.length / chunk) + 1) + 8)
    }))
  })

  it("with a different header are not supported", () => {
    const all = counted(200000)
    const tile = tileOf(all, 8)
    for (const at of [0, 5, 8, 12, 16, 8 + 12 + 65536, 8 + 2 * 12 + 2 * 65536 + 8]) {
      const changed = tile.slice()
      changed[at] ^= 1
      const before = changed.slice()
      assert(withoutChunkHeaders(changed, all.length, 8, 0) === undefined, `byte ${at}`)
      assert(Buffer.compare(changed, before) === 0)
    }
    // truncated inside a header
    assert(withoutChunkHeaders(tile.slice(0, 8 + 12 + 65536 + 5), all.length, 8, 0) === undefined)
  })
})
