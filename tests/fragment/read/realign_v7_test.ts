/** The mixed buffers of engines 2.2.0–2.2.2, produced by a reimplementation of their writer. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals, assertThrows } from "@std/assert"
import { FormatError } from "../../../schema/errors/format_error.ts"
import type { Fragment } from "../../../src/fragment/fragment.ts"
import { realign } from "../../../src/fragment/read/realign_v7.ts"

const fragment = (tileCells: number, lastTileCells: number): Fragment =>
  ({ tileCells, lastTileCells, uri: "mem://a", version: 7 }) as Fragment

/** The writer: values go to buffer k, validity bytes to k + 1; a full buffer moves k by one instead of two. */
const mixed = (
  cells: ReadonlyArray<readonly [value: number, valid: number]>,
  size: number,
  capacity: number,
): Array<Uint8Array> => {
  const tiles = Math.ceil(cells.length / capacity)
  const buffers: Array<Array<number>> = Array.from({ length: 2 * tiles + 1 }, () => [])
  let k = 0
  for (const [value, valid] of cells) {
    if (buffers[k].length >= capacity * size) k++
    for (let i = 0; i < size; i++) buffers[k].push((value + i) & 0xff)
    buffers[k + 1].push(valid)
  }
  return buffers.slice(0, 2 * tiles).map((b) => Uint8Array.from(b))
}

const halves = (buffers: ReadonlyArray<Uint8Array>) => ({
  values: buffers.filter((_, i) => i % 2 === 0),
  validity: buffers.filter((_, i) => i % 2 === 1),
})

const cells = fc.array(fc.tuple(fc.nat(255), fc.nat(1)), { minLength: 1, maxLength: 60 })

describe("mixed values and validity", () => {
  it("are separated", () => {
    fc.assert(
      fc.property(cells, fc.integer({ min: 1, max: 9 }), fc.constantFrom(1, 2, 4, 8), (cells, capacity, size) => {
        const { values, validity } = halves(mixed(cells, size, capacity))
        const last = cells.length - (Math.ceil(cells.length / capacity) - 1) * capacity
        const tiles = realign(fragment(capacity, last), size, values, validity)
        const bytes = cells.flatMap(([value]) => Array.from({ length: size }, (_, i) => (value + i) & 0xff))
        assertEquals(tiles.flatMap((t) => [...t.values]), bytes)
        assertEquals(tiles.flatMap((t) => [...t.validity!]), cells.map(([, valid]) => valid))
        tiles.forEach((t, i) => assertEquals(t.validity!.length, i === tiles.length - 1 ? last : capacity))
      }),
      { seed: 3 },
    )
  })

  it("are unchanged if they are correct", () => {
    const values = [Uint8Array.of(1, 2, 3, 4), Uint8Array.of(5, 6)]
    const validity = [Uint8Array.of(1, 0), Uint8Array.of(1)]
    const tiles = realign(fragment(2, 1), 2, values, validity)
    assertEquals(tiles.map((t) => t.values), values)
    assertEquals(tiles.map((t) => t.validity), validity)
  })

  it("are rejected if bytes are missing, before memory is allocated", () => {
    const { values, validity } = halves(mixed([[1, 1], [2, 0], [3, 1], [4, 1], [5, 0]], 4, 2))
    for (const [capacity, last] of [[2, 2], [3, 1], [2 ** 40, 1], [2, 2 ** 40], [1, 2 ** 31]]) {
      assertThrows(() => realign(fragment(capacity, last), 4, values, validity), FormatError, "validity")
    }
  })
})
