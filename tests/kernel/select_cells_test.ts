/** Cells in one range, and var-sized cells behind each other, against plain lists. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { appendStarts, appendVar } from "../../src/kernel/append_var.ts"
import { permuteVar } from "../../src/kernel/gather.ts"
import { selectHalves, selectNumbers, selectOnes } from "../../src/kernel/select_cells.ts"

/** Some of the numbers below 20, ascending; or none given. */
const among = fc.option(fc.uniqueArray(fc.nat(19)).map((a) => Uint32Array.from(a).sort()), { nil: undefined })
const all = Array.from({ length: 20 }, (_, i) => i)

describe("cells in a range", () => {
  it("of numbers are those between its bounds", () => {
    const value = fc.constantFrom(-Infinity, -1, -0, 0, 5e-324, 1, Infinity, NaN)
    fc.assert(
      fc.property(fc.array(value, { minLength: 20, maxLength: 20 }), value, value, among, (cells, low, high, among) => {
        const out = new Uint32Array(20)
        if (among !== undefined) out.set(among)
        const candidates = among === undefined ? undefined : out.subarray(0, among.length)
        const count = selectNumbers(Float64Array.from(cells), low, high, candidates, out)
        assertEquals([...out.subarray(0, count)], [...among ?? all].filter((i) => low <= cells[i] && cells[i] <= high))
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  it("of 64-bit integers are those between its bounds", () => {
    const word = fc.constantFrom(0n, 1n, 2n ** 31n, 2n ** 32n - 1n)
    for (const signed of [true, false]) {
      const value = fc.tuple(word, word).map(([h, l]) => signed ? BigInt.asIntN(64, h << 32n | l) : h << 32n | l)
      const halves = (values: ReadonlyArray<bigint>) =>
        new Int32Array((signed ? BigInt64Array : BigUint64Array).from(values as Array<bigint>).buffer)
      fc.assert(
        fc.property(
          fc.array(value, { minLength: 20, maxLength: 20 }),
          value,
          value,
          among,
          (cells, low, high, among) => {
            const out = new Uint32Array(20)
            const count = selectHalves(halves(cells), signed, halves([low]), halves([high]), among, out)
            assertEquals(
              [...out.subarray(0, count)],
              [...among ?? all].filter((i) => low <= cells[i] && cells[i] <= high),
            )
          },
        ),
        { seed: 2, numRuns: 300 },
      )
    }
  })

  it("of a mask are its ones", () => {
    const out = new Uint32Array(5)
    assertEquals([selectOnes(Uint8Array.of(0, 1, 1, 0, 1), out), ...out], [3, 1, 2, 4, 0, 0])
  })
})

describe("var-sized cells", () => {
  const lengths = fc.array(fc.oneof(fc.nat(4), fc.constant(40)), { minLength: 20, maxLength: 20 })
  const tileOf = (lengths: ReadonlyArray<number>, skip: number) => {
    const offsets = new Uint32Array(21).fill(skip)
    lengths.forEach((l, i) => offsets[i + 1] = offsets[i] + l)
    const bytes = Uint8Array.from({ length: offsets[20] }, (_, i) => (i * 37) % 251)
    return { offsets, bytes, cellAt: (p: number) => [...bytes.subarray(offsets[p], offsets[p + 1])] }
  }

  it("of a tile come behind those of others", () => {
    // a tile may start behind bytes that no cell has
    fc.assert(
      fc.property(lengths, fc.nat(3), among, (lengths, skip, positions) => {
        const { offsets, bytes, cellAt } = tileOf(lengths, skip)
        const cells = [...positions ?? all].map(cellAt)
        const starts = new Uint32Array(3 + cells.length)
        starts[2] = 7
        const end = appendStarts(starts, 2, 7, offsets, positions)
        assertEquals([...starts.subarray(2)], [7, ...cells.map((_, k) => 7 + cells.slice(0, k + 1).flat().length)])
        assertEquals(end, starts[2 + cells.length])
        const out = new Uint8Array(end)
        appendVar(out, 7, bytes, offsets, positions)
        assertEquals([...out], [0, 0, 0, 0, 0, 0, 0, ...cells.flat()])
      }),
      { seed: 3, numRuns: 200 },
    )
  })

  it("in any order", () => {
    fc.assert(
      fc.property(lengths, fc.array(fc.nat(19)), (lengths, order) => {
        const { offsets, bytes, cellAt } = tileOf(lengths, 0)
        const expected = order.flatMap(cellAt)
        const out = new Uint8Array(expected.length)
        permuteVar(out, bytes, offsets, 1, Uint32Array.from(order))
        assertEquals([...out], expected)
      }),
      { seed: 4 },
    )
  })
})
