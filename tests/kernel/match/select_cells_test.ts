/** Cells in ranges, and concatenated var-sized cells, compared with plain lists. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { appendStarts, appendVar } from "../../../src/kernel/copy/append_var.ts"
import { permuteVar } from "../../../src/kernel/copy/gather.ts"
import {
  selectHalves,
  selectHalvesIn,
  selectNumbers,
  selectNumbersIn,
  selectOnes,
} from "../../../src/kernel/match/select_cells.ts"

/** Generates some numbers below 20 in ascending order, or undefined. */
const among = fc.option(fc.uniqueArray(fc.nat(19)).map((a) => Uint32Array.from(a).sort()), { nil: undefined })
const all = Array.from({ length: 20 }, (_, i) => i)

/** Kinds of cells, with values that are near each other. */
const number = fc.constantFrom(-Infinity, -1, -0, 0, 5e-324, 1, Infinity, NaN)
const near = fc.integer({ min: -20, max: 20 })
const word = fc.constantFrom(0n, 1n, 2n ** 31n, 2n ** 32n - 1n)
const unsigned = fc.tuple(word, word).map(([h, l]) => h << 32n | l)
const signed = unsigned.map((v) => BigInt.asIntN(64, v))

/** Ranges that ascend and are disjoint. */
const rangesOf = <A extends number | bigint>(value: fc.Arbitrary<A>): fc.Arbitrary<ReadonlyArray<readonly [A, A]>> =>
  fc.tuple(fc.uniqueArray(value.filter((v) => v === v), { maxLength: 12, selector: String }), fc.boolean()).map(
    ([bounds, points]) => {
      const sorted = bounds.sort((a, b) => a < b ? -1 : a > b ? 1 : 0)
      return points
        ? sorted.map((v) => [v, v] as const)
        : Array.from({ length: sorted.length >> 1 }, (_, i) => [sorted[2 * i], sorted[2 * i + 1]] as const)
    },
  )

/**
 * Compares `select` with a test of every cell. `select` receives the cells from number `first` on and the candidates (in
 * `out`), and writes the numbers of the matching cells to `out`.
 */
const check = <A extends number | bigint>(
  value: fc.Arbitrary<A>,
  ranges: fc.Arbitrary<ReadonlyArray<readonly [A, A]>>,
  select: (
    cells: ReadonlyArray<A>,
    ranges: ReadonlyArray<readonly [A, A]>,
    first: number,
    among: Uint32Array | undefined,
    out: Uint32Array,
  ) => number,
): void =>
  fc.assert(
    fc.property(fc.array(value, { minLength: 20, maxLength: 20 }), ranges, among, (cells, ranges, among) => {
      const out = new Uint32Array(20)
      if (among !== undefined) out.set(among)
      const candidates = among === undefined ? undefined : out.subarray(0, among.length)
      const first = among?.[0] ?? 0
      const count = select(cells.slice(first), ranges, first, candidates, out)
      assertEquals(
        [...out.subarray(0, count)],
        [...among ?? all].filter((i) => ranges.some(([low, high]) => low <= cells[i] && cells[i] <= high)),
      )
    }),
    { seed: 1, numRuns: 300 },
  )

describe("cells that are numbers", () => {
  it("are in a range from its low bound to its high one", () => {
    check(
      number,
      fc.tuple(number, number).map((r) => [r]),
      (cells, [[low, high]], first, among, out) =>
        selectNumbers(Float64Array.from(cells), low, high, first, among, out),
    )
  })

  it("are in ranges if they are in one of them", () => {
    const select = (make: (cells: ReadonlyArray<number>) => ArrayLike<number>) =>
    (
      cells: ReadonlyArray<number>,
      ranges: ReadonlyArray<readonly [number, number]>,
      first: number,
      among: Uint32Array | undefined,
      out: Uint32Array,
    ): number =>
      selectNumbersIn(make(cells), make(ranges.map((r) => r[0])), make(ranges.map((r) => r[1])), first, among, out)
    check(number, rangesOf(number.map((v) => v + 0)), select((cells) => Float64Array.from(cells)))
    check(near, rangesOf(near), select((cells) => Int8Array.from(cells)))
  })
})

describe("cells that are 64-bit integers", () => {
  const halves = (make: BigInt64ArrayConstructor | BigUint64ArrayConstructor) => (values: ReadonlyArray<bigint>) =>
    new Int32Array(make.from(values as Array<bigint>).buffer)
  const kinds = [[true, signed, halves(BigInt64Array)], [false, unsigned, halves(BigUint64Array)]] as const

  it("are in a range from its low bound to its high one", () => {
    for (const [isSigned, value, halvesOf] of kinds) {
      const ordered = fc.tuple(value, value).map(([a, b]) => [a < b ? [a, b] as const : [b, a] as const])
      check(
        value,
        ordered,
        (cells, [[low, high]], first, among, out) =>
          selectHalves(halvesOf(cells), isSigned, halvesOf([low]), halvesOf([high]), first, among, out),
      )
    }
  })

  it("are in ranges if they are in one of them", () => {
    for (const [isSigned, value, halvesOf] of kinds) {
      check(value, rangesOf(value), (cells, ranges, first, among, out) => {
        const [lows, highs] = [halvesOf(ranges.map((r) => r[0])), halvesOf(ranges.map((r) => r[1]))]
        return selectHalvesIn(halvesOf(cells), isSigned, lows, highs, first, among, out)
      })
    }
  })
})

describe("cells in a hundred thousand points", () => {
  const count = 100_000
  // testing every point for every cell would take minutes
  const seconds = 10
  const everyThird = Array.from({ length: count }, (_, i) => i).filter((i) => i % 3 === 0)

  it("take at most a search each", () => {
    const numbers = Int32Array.from({ length: count }, (_, i) => 5 * i)
    const large = BigInt64Array.from(numbers, (v) => BigInt(v) << 31n)
    const isPoint = (_: unknown, i: number): boolean => i % 3 === 0
    const points = numbers.filter(isPoint)
    const largePoints = new Int32Array(large.filter(isPoint).buffer)
    const out = new Uint32Array(count)
    const start = performance.now()
    assertEquals([...out.subarray(0, selectNumbersIn(numbers, points, points, 0, undefined, out))], everyThird)
    const selected = selectHalvesIn(new Int32Array(large.buffer), true, largePoints, largePoints, 0, undefined, out)
    assertEquals([...out.subarray(0, selected)], everyThird)
    assert(performance.now() - start < 1000 * seconds)
  })
})

describe("the ones of a mask", () => {
  it("are returned as positions, counted from `first`", () => {
    const out = new Uint32Array(5)
    assertEquals([selectOnes(Uint8Array.of(0, 1, 1, 0, 1), out, 7), ...out], [3, 8, 9, 11, 0, 0])
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

  it("of a tile are appended to the cells of other tiles", () => {
    // a tile may start with bytes that belong to no cell
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

  it("are copied in any order", () => {
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
