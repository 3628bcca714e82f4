/**
 * Dense reads of synthetic arrays, cell by cell: overlapping fragments, fill values, nulls, var-sized cells, orders.
 */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { scalarBytes } from "../../../schema/array/scalar.ts"
import type { Column } from "../../../src/query/column/column.ts"
import type { Order } from "../../../src/query/options/read_options.ts"
import * as build from "../../support/build_array.ts"
import { answerOf } from "../../support/run_bytes.ts"

type Major = "row-major" | "col-major"
type Box = ReadonlyArray<readonly [low: number, high: number]>

interface Case {
  readonly low: ReadonlyArray<number>
  readonly extents: ReadonlyArray<number>
  readonly fragments: ReadonlyArray<Box>
  readonly ranges: ReadonlyArray<ReadonlyArray<readonly [number, number]>>
  readonly tileOrder: Major
  readonly cellOrder: Major
  readonly order: Exclude<Order, "unordered">
}

const SIDE = 9

const cases = (dims: number): fc.Arbitrary<Case> => {
  const range = fc.tuple(fc.nat(SIDE - 1), fc.nat(SIDE - 1)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
  const each = <A>(one: fc.Arbitrary<A>) => fc.array(one, { minLength: dims, maxLength: dims })
  const major = fc.constantFrom<Major>("row-major", "col-major")
  return fc.record({
    low: each(fc.integer({ min: -20, max: 20 })),
    extents: each(fc.integer({ min: 1, max: SIDE })),
    fragments: fc.array(each(range), { maxLength: 3 }),
    // as a user may write them: overlapping and unsorted
    ranges: each(fc.array(range, { minLength: 1, maxLength: 3 })),
    tileOrder: major,
    cellOrder: major,
    order: fc.constantFrom("row", "col", "global"),
  })
}

/**
 * Returns all coordinates of a box, from the values along each dimension. The last dimension varies fastest, in
 * column-major order the first.
 */
const product = (along: ReadonlyArray<ReadonlyArray<number>>, order: Major): Array<Array<number>> => {
  const dims = along.map((_, d) => d)
  if (order === "col-major") dims.reverse()
  let out: Array<Array<number>> = [[]]
  for (const d of dims) out = out.flatMap((c) => along[d].map((x) => [...c, x]))
  return order === "col-major" ? out.map((c) => c.reverse()) : out
}

const span = (low: number, high: number): Array<number> => Array.from({ length: high - low + 1 }, (_, i) => low + i)

interface Cell {
  readonly a: number
  readonly n: number | null
  readonly s: string
}

const FILL: Cell = { a: -(2 ** 31), n: null, s: "\0" }

const cellOf = (fragment: number, at: ReadonlyArray<number>): Cell => {
  const number = at.reduce((n, x) => n * 31 + x, fragment + 1)
  return { a: number, n: number % 3 === 0 ? null : number & 0x7fff, s: `${fragment}`.repeat(Math.abs(number) % 4) }
}

const fragmentOf = (it: Case, schema: ReturnType<typeof schemaOf>, number: number): build.FragmentParts => {
  const box = it.fragments[number]
  // coordinates are relative to the start of the domain
  const tiles = product(
    box.map(([low, high], d) => span(Math.floor(low / it.extents[d]), Math.floor(high / it.extents[d]))),
    it.tileOrder,
  ).map((tile) =>
    product(tile.map((t, d) => span(t * it.extents[d], (t + 1) * it.extents[d] - 1)), it.cellOrder).map((at) =>
      // cells of a tile outside the fragment's domain have arbitrary values
      at.every((x, d) => box[d][0] <= x && x <= box[d][1]) ? cellOf(number, at) : { a: 999, n: 999, s: "garbage" }
    )
  )
  const text = new TextEncoder()
  const strings = tiles.map((t) => build.varTile(t.map((c) => text.encode(c.s))))
  return {
    time: number + 1,
    domain: build.rangesOf(schema.dimensions, box.map(([l, h], d) => [l + it.low[d], h + it.low[d]] as const)),
    tileCount: tiles.length,
    fields: {
      a: { fixed: tiles.map((t) => build.join(...t.map((c) => scalarBytes("int32", c.a)))) },
      n: {
        fixed: tiles.map((t) => build.join(...t.map((c) => scalarBytes("int16", c.n ?? -5)))),
        validity: tiles.map((t) => Uint8Array.from(t, (c) => c.n === null ? 0 : 1)),
      },
      s: { fixed: strings.map((t) => t.fixed), var: strings.map((t) => t.var) },
    },
  }
}

const schemaOf = (it: Case) =>
  build.arraySchema({
    arrayType: "dense",
    tileOrder: it.tileOrder,
    cellOrder: it.cellOrder,
    dimensions: it.low.map((low, d) => build.dimension(`d${d}`, "int16", low, low + SIDE - 1, it.extents[d])),
    attributes: [
      build.attribute("a", "int32"),
      build.attribute("n", "int16", { nullable: true }),
      build.attribute("s", "string_ascii", { cellValNum: VAR }),
    ],
  })

const cellAt = (columns: Readonly<Record<string, Column>>, i: number): Cell => {
  const { values, offsets } = columns.s
  return {
    a: columns.a.values[i] as number,
    n: columns.n.validity![i] === 0 ? null : columns.n.values[i] as number,
    s: new TextDecoder().decode((values as Uint8Array).subarray(offsets![i], offsets![i + 1])),
  }
}

const check = async (it: Case): Promise<void> => {
  const schema = schemaOf(it)
  const files = build.buildArray("a", schema, it.fragments.map((_, i) => fragmentOf(it, schema, i)))
  const names = schema.dimensions.map((d) => d.name)
  const ranges = Object.fromEntries(it.ranges.map((list, d) => [
    names[d],
    list.map(([l, h]) => [l + it.low[d], h + it.low[d]] as const),
  ]))
  const { columns, shape } = await answerOf(files, "a", {
    region: ranges,
    order: it.order,
    select: ["a", "n", "s", ...names],
  })

  // a coordinate in several ranges is returned once
  const along = it.ranges.map((list) => span(0, SIDE - 1).filter((x) => list.some(([l, h]) => l <= x && x <= h)))
  assertEquals(shape, along.map((l) => l.length))
  const selected = product(along, it.order === "col" ? "col-major" : "row-major")
  if (it.order === "global") {
    const dims = (order: Major) => order === "col-major" ? names.map((_, d) => d).reverse() : names.map((_, d) => d)
    const keyOf = (at: ReadonlyArray<number>) => [
      ...dims(it.tileOrder).map((d) => Math.floor(at[d] / it.extents[d])),
      ...dims(it.cellOrder).map((d) => at[d]),
    ]
    selected.sort((a, b) => {
      const [x, y] = [keyOf(a), keyOf(b)]
      const k = x.findIndex((v, i) => v !== y[i])
      return k < 0 ? 0 : x[k] - y[k]
    })
  }
  const expected = selected.map((at) => {
    for (let f = it.fragments.length - 1; f >= 0; f--) {
      if (it.fragments[f].every(([l, h], d) => l <= at[d] && at[d] <= h)) return cellOf(f, at)
    }
    return FILL
  })
  assertEquals(selected.map((_, i) => cellAt(columns, i)), expected)
  assertEquals(
    selected.map((_, i) => names.map((name) => columns[name].values[i] as number)),
    selected.map((at) => at.map((x, d) => x + it.low[d])),
  )
}

describe("dense reads", () => {
  for (const [dims, runs] of [[1, 60], [2, 60], [3, 15]] as const) {
    it(`of ${dims} dimensions return the newest value of every cell`, async () => {
      await fc.assert(fc.asyncProperty(cases(dims), check), { seed: dims, numRuns: runs })
    })
  }

  it("of int64 domains find the tiles at both ends of the type", async () => {
    for (const start of [-(2n ** 63n), 2n ** 63n - 30n]) {
      const [low, high] = [-(2n ** 63n), 2n ** 63n - 1n]
      const schema = build.arraySchema({
        arrayType: "dense",
        dimensions: [build.dimension("x", "int64", low, high, 10n)],
        attributes: [build.attribute("a", "int32")],
      })
      const first = (start - low) / 10n
      const tiles = Number((start + 29n - low) / 10n - first) + 1
      const skipped = Number(start - (low + first * 10n))
      const a = { fixed: Array.from({ length: tiles }, (_, t) => build.countingTile("int32", 10, 10 * t)) }
      const domain = build.rangesOf(schema.dimensions, [[start, start + 29n]])
      const files = build.buildArray("a", schema, [{ time: 1, domain, tileCount: tiles, fields: { a } }])
      const { columns } = await answerOf(files, "a", { select: ["a", "x"] })
      assertEquals([...columns.a.values], Array.from({ length: 30 }, (_, i) => skipped + i))
      assertEquals([...columns.x.values], Array.from({ length: 30 }, (_, i) => start + BigInt(i)))
    }
  })
})
