/** Gathering cells and copying boxes, compared byte by byte. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { gatherFixed, gatherVar, unitsOf, varStarts } from "../../../src/kernel/copy/gather.ts"
import { finish } from "../../../src/kernel/steps.ts"
import { copyBox, forLines } from "../../../src/kernel/copy/strided_copy.ts"

const noise = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => Math.imul(i + 1, 2654435761 + seed) >>> 13)

/** Returns `bytes` at an unaligned address. */
const shifted = (bytes: Uint8Array, by: number): Uint8Array => {
  const out = new Uint8Array(bytes.length + by)
  out.set(bytes, by)
  return out.subarray(by)
}

/** Generates selected cells: runs and single cells, from tiles that may be missing. */
const chosen = (tileCells: number) =>
  fc.array(fc.tuple(fc.nat(3), fc.nat(tileCells - 1), fc.nat(40)), { maxLength: 12 }).map((runs) => {
    const cells: Array<readonly [tile: number, position: number]> = []
    for (const [tile, first, length] of runs) {
      for (let p = first; p < Math.min(first + length + 1, tileCells); p++) cells.push([tile, p])
    }
    return cells
  })

describe("gathered cells", () => {
  it("of fixed size are copied from their tiles; cells without a tile are unchanged", () => {
    fc.assert(
      fc.property(chosen(50), fc.constantFrom(1, 2, 3, 4, 6, 8, 12, 16), fc.nat(3), (cells, size, by) => {
        const tiles = [noise(50 * size, 1), undefined, shifted(noise(50 * size, 2), by)]
        const out = new Uint8Array(cells.length * size).fill(7)
        const expected = out.slice()
        cells.forEach(([t, p], i) => {
          const tile = tiles[t]
          if (tile !== undefined) { for (let b = 0; b < size; b++) expected[i * size + b] = tile[p * size + b] }
        })
        finish(gatherFixed(
          unitsOf(out, size),
          tiles.map((t) => t === undefined ? undefined : unitsOf(t, size)),
          Uint32Array.from(cells, ([t]) => t),
          Uint32Array.from(cells, ([, p]) => p),
        ))
        assertEquals(out, expected)
      }),
      { seed: 1 },
    )
  })

  it("of variable size are copied from their tiles, or are the fill value", () => {
    const lengths = fc.array(fc.oneof(fc.nat(4), fc.constant(40)), { minLength: 20, maxLength: 20 })
    fc.assert(
      fc.property(chosen(20), lengths, fc.uint8Array({ maxLength: 5 }), (cells, lengths, fill) => {
        const offsets = new Uint32Array(21)
        lengths.forEach((l, i) => offsets[i + 1] = offsets[i] + l)
        const tiles = [{ bytes: noise(offsets[20], 3), offsets }, undefined]
        const tileOf = Uint32Array.from(cells, ([t]) => t)
        const positions = Uint32Array.from(cells, ([, p]) => p)
        const expected = cells.map(([t, p]) => {
          const tile = tiles[t]
          return tile === undefined ? fill : tile.bytes.slice(offsets[p], offsets[p + 1])
        })
        const starts = finish(varStarts(tiles, tileOf, positions, fill.length))
        assertEquals([...starts], [
          0,
          ...expected.map((_, i) => expected.slice(0, i + 1).flatMap((e) => [...e]).length),
        ])
        const out = new Uint8Array(starts[cells.length])
        finish(gatherVar(out, starts, tiles, tileOf, positions, fill))
        assertEquals([...out], expected.flatMap((e) => [...e]))
      }),
      { seed: 2 },
    )
  })
})

/** A box of up to five dimensions inside larger ones, in any order of its dimensions on either side. */
const boxes = fc.integer({ min: 1, max: 5 }).chain((dims) => {
  const side = fc.integer({ min: 1, max: dims < 4 ? 5 : 3 })
  const sides = fc.array(side, { minLength: dims, maxLength: dims })
  const order = fc.shuffledSubarray(Array.from({ length: dims }, (_, i) => i), { minLength: dims })
  return fc.record({ extents: sides, sourcePad: sides, targetPad: sides, sourceOrder: order, targetOrder: order })
}).map(({ extents, sourcePad, targetPad, sourceOrder, targetOrder }) => {
  const lay = (pads: ReadonlyArray<number>, order: ReadonlyArray<number>) => {
    const strides = new Array<number>(extents.length)
    let step = 1
    let first = 0
    for (const d of order) {
      strides[d] = step
      // the box starts inside the larger one if there is padding
      const pad = pads[d] === 1 ? 0 : pads[d]
      first += (pad >> 1) * step
      step *= extents[d] + pad
    }
    return { strides, first, size: step }
  }
  const source = lay(sourcePad, sourceOrder)
  const target = lay(targetPad, targetOrder)
  return {
    sourceSize: source.size,
    targetSize: target.size,
    box: {
      extents,
      source: source.first,
      sourceStrides: source.strides,
      target: target.first,
      targetStrides: target.strides,
    },
  }
})

describe("copied boxes", () => {
  it("contain every cell of the box once, and no other cell", () => {
    fc.assert(
      fc.property(boxes, fc.constantFrom(1, 2, 4, 8, 12), ({ box, sourceSize, targetSize }, size) => {
        const source = noise(sourceSize * size, 4)
        const out = new Uint8Array(targetSize * size).fill(1)
        const expected = out.slice()
        const moved = new Map<number, number>()
        const walk = (d: number, s: number, t: number): void => {
          if (d === box.extents.length) {
            moved.set(t, s)
            for (let b = 0; b < size; b++) expected[t * size + b] = source[s * size + b]
            return
          }
          for (let i = 0; i < box.extents[d]; i++) {
            walk(d + 1, s + i * box.sourceStrides[d], t + i * box.targetStrides[d])
          }
        }
        walk(0, box.source, box.target)
        copyBox(unitsOf(out, size), unitsOf(source, size), box)
        assertEquals(out, expected)

        const seen = new Map<number, number>()
        forLines(box, (s, t, length, sStride, tStride) => {
          for (let i = 0; i < length; i++) {
            assertEquals(seen.has(t + i * tStride), false)
            seen.set(t + i * tStride, s + i * sStride)
          }
        })
        assertEquals([...seen].sort((a, b) => a[0] - b[0]), [...moved].sort((a, b) => a[0] - b[0]))
      }),
      { seed: 3, numRuns: 200 },
    )
  })
})
