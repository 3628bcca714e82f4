/** Sparse reads of synthetic arrays, compared with filtering, deduplicating and sorting a list of cells. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { arrayOf, type Datatype } from "../../../schema/array/datatype.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import type { MbrColumn } from "../../../schema/fragment/rtree.ts"
import { type Scalar, scalarBytes } from "../../../schema/array/scalar.ts"
import type { Column } from "../../../src/query/column/column.ts"
import type { Order } from "../../../src/query/options/read_options.ts"
import * as build from "../../support/build_array.ts"
import { answerOf } from "../../support/run_bytes.ts"

/** Coordinates: numbers, or strings whose characters are bytes. */
type Coordinate = Scalar | string

const encodeText = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0))
const MIN = -(2n ** 63n)
const MAX = 2n ** 63n - 1n
const UMAX = 2n ** 64n - 1n

/** A kind of dimension, with coordinates from a small set so that some are equal. */
interface Kind {
  readonly dimension: (name: string) => Dimension
  readonly value: fc.Arbitrary<Coordinate>
  /** Returns the number of a coordinate's space tile, computed in the type's own precision. */
  readonly tileOf: (value: Coordinate) => bigint | number
}

const whole = (type: Datatype, low: bigint, high: bigint, extent: bigint, around: ReadonlyArray<bigint>): Kind => {
  const of = (v: bigint): Scalar => typeof low === "bigint" && arrayOf(type).BYTES_PER_ELEMENT === 8 ? v : Number(v)
  return {
    dimension: (name) => build.dimension(name, type, of(low), of(high), of(extent)),
    value: fc.tuple(fc.constantFrom(...around), fc.bigInt({ min: -3n, max: 3n })).map(([a, b]) => {
      const v = a + b
      return of(v < low ? low : v > high ? high : v)
    }),
    tileOf: (v) => (BigInt(v as Scalar) - low) / extent,
  }
}

const kinds: Readonly<Record<string, Kind>> = {
  int8: whole("int8", -100n, 100n, 7n, [0n, -100n, 50n]),
  uint16: whole("uint16", 0n, 65000n, 10n, [5n, 65000n]),
  int32: whole("int32", -(2n ** 31n), 2n ** 31n - 20n, 16n, [0n, -(2n ** 31n), 2n ** 30n]),
  int64: whole("int64", -50n, 2n ** 40n, 9n, [0n, 2n ** 40n]),
  "int64, the whole range": whole("int64", MIN, MAX, 5n, [MIN, 0n, MAX]),
  "uint64, the whole range": whole("uint64", 0n, UMAX, 5n, [0n, 2n ** 63n, UMAX]),
  "uint64, tiles past 2^62": whole("uint64", 0n, UMAX - 2n ** 63n, 2n ** 62n + 3n, [0n, 2n ** 62n, 2n ** 63n - 5n]),
  datetime_ms: whole("datetime_ms", -(10n ** 12n), 10n ** 12n, 86400000n, [0n, -86400000n]),
  float64: {
    dimension: (name) => build.dimension(name, "float64", -1e6, 1e6, 2.5),
    value: fc.constantFrom(0, -0, 1, -1, 0.1, 2.5, 2.4999999999999996, -2.5, 1e6, -1e6, 5e-324),
    tileOf: (v) => Math.floor(((v as number) + 1e6) / 2.5),
  },
  float32: {
    dimension: (name) => build.dimension(name, "float32", -100, 100, 0.5),
    value: fc.constantFrom(0, -0, 1, 0.1, 0.5, -0.5, 99.5, 100, -100, 1e-40).map(Math.fround),
    tileOf: (v) => Math.floor(Math.fround(Math.fround((v as number) + 100) / 0.5)),
  },
  string: {
    dimension: build.stringDimension,
    value: fc.constantFrom("", "a", "a\0", "aa", "aaaaaaaa", "aaaaaaaab", "aaaaaaaaa", "b", "z", "\x7f"),
    tileOf: () => 0n,
  },
}

const compare = (a: Coordinate | bigint, b: Coordinate | bigint): number => a < b ? -1 : a > b ? 1 : 0

interface Cell {
  readonly at: ReadonlyArray<Coordinate>
  readonly value: number
  readonly text: string
}

/** Returns a fragment with tiles of up to `capacity` cells. */
const fragmentOf = (schema: ArraySchema, time: number, cells: ReadonlyArray<Cell>): build.FragmentParts => {
  const tiles: Array<ReadonlyArray<Cell>> = []
  for (let i = 0; i < cells.length; i += schema.capacity) tiles.push(cells.slice(i, i + schema.capacity))
  const fields: Record<string, build.FieldParts> = {}
  const mbrs: Array<MbrColumn> = []
  const domain = schema.dimensions.map((dimension, d) => {
    const isText = dimension.cellValNum === VAR
    const bytesOf = (v: Coordinate): Uint8Array =>
      isText ? encodeText(v as string) : scalarBytes(dimension.type, v as Scalar)
    const bounds = (of: ReadonlyArray<Cell>): readonly [Coordinate, Coordinate] => {
      const sorted = of.map((c) => c.at[d]).sort(compare)
      return [sorted[0], sorted[sorted.length - 1]]
    }
    const boxes = tiles.flatMap((t) => bounds(t).map(bytesOf))
    const bytes = build.join(...boxes)
    if (isText) {
      const offsets = new Uint32Array(boxes.length + 1)
      boxes.forEach((b, i) => offsets[i + 1] = offsets[i] + b.length)
      mbrs.push({ kind: "var", bytes, offsets })
      const parts = tiles.map((t) => build.varTile(t.map((c) => bytesOf(c.at[d]))))
      fields[dimension.name] = { fixed: parts.map((p) => p.fixed), var: parts.map((p) => p.var) }
    } else {
      mbrs.push({ kind: "fixed", values: new (arrayOf(dimension.type))(bytes.slice().buffer) })
      fields[dimension.name] = { fixed: tiles.map((t) => build.join(...t.map((c) => bytesOf(c.at[d])))) }
    }
    const [low, high] = bounds(cells).map(bytesOf)
    return { low, high }
  })
  fields.v = { fixed: tiles.map((t) => build.join(...t.map((c) => scalarBytes("int32", c.value)))) }
  const texts = tiles.map((t) => build.varTile(t.map((c) => encodeText(c.text))))
  fields.s = { fixed: texts.map((p) => p.fixed), var: texts.map((p) => p.var) }
  return {
    time,
    domain,
    tileCount: tiles.length,
    lastTileCells: tiles[tiles.length - 1].length,
    fields,
    mbrs: { count: tiles.length, dimensions: mbrs },
  }
}

const cellsOf = (columns: Readonly<Record<string, Column>>, dimensions: number): Array<Cell> => {
  const textAt = ({ values, offsets }: Column, i: number): string =>
    String.fromCharCode(...(values as Uint8Array).subarray(offsets![i], offsets![i + 1]))
  return Array.from({ length: columns.v.length }, (_, i) => ({
    at: Array.from({ length: dimensions }, (_, d): Coordinate => {
      const column = columns[`d${d}`]
      return column.offsets === undefined ? column.values[i] : textAt(column, i)
    }),
    value: columns.v.values[i] as number,
    text: textAt(columns.s, i),
  }))
}

/** Identifies a cell: −0 and 0 are different coordinates. */
const key = (cell: Cell): string => cell.at.map((c) => Object.is(c, -0) ? "−0" : `${c}`).join("|")

/** Identifies a position in an order: −0 and 0 are equal. */
const place = (cell: Cell): string => cell.at.map((c) => `${c}`).join("|")

type Ranges = ReadonlyArray<ReadonlyArray<readonly [Coordinate, Coordinate]> | undefined>

interface Case {
  readonly kinds: ReadonlyArray<Kind>
  readonly fragments: ReadonlyArray<ReadonlyArray<Cell>>
  readonly ranges: Ranges
  readonly capacity: number
  readonly duplicates: boolean
  readonly tileOrder: "row-major" | "col-major"
  readonly cellOrder: "row-major" | "col-major"
  readonly order: Order
}

const cases = (names: ReadonlyArray<string>): fc.Arbitrary<Case> => {
  const dimensions = names.map((n) => kinds[n])
  const cell = fc.record({
    at: fc.tuple(...dimensions.map((k) => k.value)),
    value: fc.nat(1000),
    text: fc.constantFrom("", "x", "yy", "long ".repeat(9)),
  })
  const range = (k: Kind) =>
    fc.tuple(k.value, k.value).map(([a, b]) => compare(a, b) <= 0 ? [a, b] as const : [b, a] as const)
  const major = fc.constantFrom("row-major" as const, "col-major" as const)
  return fc.record({
    kinds: fc.constant(dimensions),
    fragments: fc.array(fc.array(cell, { minLength: 1, maxLength: 14 }), { maxLength: 3 }),
    ranges: fc.tuple(
      ...dimensions.map((k) => fc.option(fc.array(range(k), { minLength: 1, maxLength: 3 }), { nil: undefined })),
    ),
    capacity: fc.integer({ min: 1, max: 6 }),
    duplicates: fc.boolean(),
    tileOrder: major,
    cellOrder: major,
    order: fc.constantFrom<Order>("row", "col", "global", "unordered"),
  })
}

/** Returns the expected result: the newest cell of each place inside the ranges, sorted. */
const expectedOf = (it: Case, fragments: ReadonlyArray<ReadonlyArray<Cell>>): Array<Cell> => {
  const inside = (cell: Cell): boolean =>
    it.ranges.every((ranges, d) =>
      ranges === undefined || ranges.some(([l, h]) => compare(l, cell.at[d]) <= 0 && compare(cell.at[d], h) <= 0)
    )
  let cells = fragments.flat()
  if (!it.duplicates) cells = [...new Map(cells.map((c) => [key(c), c])).values()]
  return inOrder(it, it.order, cells.filter(inside))
}

/** Sorts cells into an order. */
const inOrder = (it: Case, order: Order, cells: ReadonlyArray<Cell>): Array<Cell> => {
  const dims = it.kinds.map((_, d) => d)
  const along = (order: "row-major" | "col-major") => order === "col-major" ? [...dims].reverse() : dims
  const keysOf = (cell: Cell): ReadonlyArray<Coordinate> =>
    order === "global"
      ? [
        ...along(it.tileOrder).map((d) => it.kinds[d].tileOf(cell.at[d])),
        ...along(it.cellOrder).map((d) => cell.at[d]),
      ]
      : along(order === "col" ? "col-major" : "row-major").map((d) => cell.at[d])
  return cells.map((cell) => ({ cell, keys: keysOf(cell) })).sort((a, b) => {
    for (let k = 0; k < a.keys.length; k++) {
      const c = compare(a.keys[k], b.keys[k])
      if (c !== 0) return c
    }
    return 0
  }).map(({ cell }) => cell)
}

/** Returns cells as text. Cells at the same position are sorted because their order is undefined. */
const shown = (cells: ReadonlyArray<Cell>, sorted: boolean): Array<string> => {
  const lines = cells.map((c) => `${key(c)} = ${c.value} ${c.text}`)
  if (sorted) return lines.sort()
  for (let i = 0; i < cells.length;) {
    let end = i + 1
    while (end < cells.length && place(cells[end]) === place(cells[i])) end++
    lines.splice(i, end - i, ...lines.slice(i, end).sort())
    i = end
  }
  return lines
}

const schemaOf = (it: Case): ArraySchema =>
  build.arraySchema({
    arrayType: "sparse",
    dimensions: it.kinds.map((k, d) => k.dimension(`d${d}`)),
    attributes: [build.attribute("v", "int32"), build.attribute("s", "string_ascii", { cellValNum: VAR })],
    capacity: it.capacity,
    allowsDuplicates: it.duplicates,
    tileOrder: it.tileOrder,
    cellOrder: it.cellOrder,
  })

const check = async (it: Case): Promise<void> => {
  const schema = schemaOf(it)
  // cells of a fragment are in global order, and distinct if the array allows no duplicates
  const fragments = it.fragments.map((cells) =>
    inOrder(it, "global", it.duplicates ? cells : [...new Map(cells.map((c) => [key(c), c])).values()])
  )
  const files = build.buildArray("a", schema, fragments.map((cells, i) => fragmentOf(schema, i + 1, cells)))
  const ranges = Object.fromEntries(it.ranges.flatMap((r, d) => r === undefined ? [] : [[`d${d}`, [...r]]]))
  const unordered = it.order === "unordered"
  const expected = shown(expectedOf(it, fragments), unordered)
  for (const inFlight of [1, 4]) {
    const { columns } = await answerOf(files, "a", { region: ranges, order: it.order }, {}, inFlight)
    assertEquals(shown(cellsOf(columns, it.kinds.length), unordered), expected)
  }
}

describe("sparse reads", () => {
  const lists: ReadonlyArray<ReadonlyArray<string>> = [
    ...Object.keys(kinds).map((name) => [name]),
    ["int32", "int32"],
    ["int8", "uint64, the whole range"],
    ["string", "int64"],
    ["float32", "string"],
    ["datetime_ms", "float64", "int8"],
    ["string", "uint16", "int64, the whole range", "string"],
  ]
  for (const names of lists) {
    it(`over ${names.join(" × ")} return the newest cells in the ranges, in order`, async () => {
      await fc.assert(fc.asyncProperty(cases(names), check), { seed: names.length, numRuns: 30 })
    })
  }
})

describe("cells at −0 and at 0", () => {
  const plane = (at: ReadonlyArray<readonly [x: number, y: number]>, order: Order, ranges: Ranges = [undefined]) => {
    const it: Case = {
      kinds: [kinds.float64, kinds.float32],
      // one fragment per cell
      fragments: at.map((c, value) => [{ at: c, value, text: "" }]),
      ranges: [...ranges, undefined],
      capacity: 4,
      duplicates: false,
      tileOrder: "row-major",
      cellOrder: "row-major",
      order,
    }
    const schema = schemaOf(it)
    const files = build.buildArray("a", schema, it.fragments.map((cells, i) => fragmentOf(schema, i + 1, cells)))
    return answerOf(files, "a", {
      region: Object.fromEntries(ranges.flatMap((r, d) => r === undefined ? [] : [[`d${d}`, [...r]]])),
      order,
    }).then(({ columns }) => [...columns.v.values])
  }

  it("are different cells that are deduplicated separately, and sort equally", async () => {
    // as in the engine: the second dimension decides between −0 and 0 of the first
    const at = [[0, 0.5], [-0, 2], [0, -0.5], [-0, 0.5], [0, 0.5], [-0, 2]] as const
    for (const order of ["row", "global", "unordered"] as const) {
      assertEquals(await plane(at, order), [2, 3, 4, 5], order)
    }
    assertEquals(await plane(at, "col"), [2, 3, 4, 5])
    assertEquals(await plane([[1, 0], [1, -0], [-1, -0], [1, 0]], "col"), [2, 1, 3])
  })

  it("are both inside a range that starts or ends at either", async () => {
    for (const range of [[0, 0], [-0, -0], [0, 1], [-0, 1], [-1, 0], [-1, -0]] as const) {
      assertEquals(await plane([[0, 1], [-0, 1], [5, 1]], "row", [[range]]), [1, 0], range.join())
    }
  })
})
