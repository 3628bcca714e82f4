/** Differences of cells: random arrays against a naive comparison of two reads, and the rules one by one. */
import { assert, assertEquals } from "@std/assert"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Dense, Dim, Sparse, TileArray } from "../../mod.ts"
import { values } from "../../src/query/column/cell_values.ts"
import { rowReader } from "../../src/query/column/rows.ts"
import { cellDifferences } from "../../src/history/cell_diff.ts"
import { diffTimes, openStates } from "../../src/history/diff_states.ts"
import { inMemory } from "../support/in_memory.ts"

/** Returns a generator of whole numbers below a limit. */
const makeRandom = (seed: number) => {
  let state = seed >>> 0
  return (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor(state / 2 ** 32 * limit)
  }
}

type Row = Readonly<Record<string, unknown>>

const text = (value: unknown): string =>
  JSON.stringify(value, (_, v) => typeof v === "bigint" ? `${v}n` : Object.is(v, NaN) ? "NaN" : v)

/** Returns text for coordinates, which distinguish −0 from 0. */
const placeText = (value: Row): string =>
  text(Object.fromEntries(Object.entries(value).map(([k, v]) => [k, Object.is(v, -0) ? "-0" : v])))

const collect = <A, E, R>(stream: Stream.Stream<A, E, R>) =>
  Effect.map(Stream.runCollect(stream), (chunk) => Chunk.toReadonlyArray(chunk))

/** Streams differences in windows of few cells. */
const diffInWindows = (uri: string, from: number, to: number, minWindow: number) =>
  Effect.gen(function* () {
    const states = yield* openStates(yield* diffTimes(uri, { from, to }))
    return yield* collect(cellDifferences(states, undefined, (column, enumeration) =>
      rowReader(
        column,
        enumeration === undefined ? new Map() : new Map([[column.enumeration!, values(enumeration)]]),
        "date",
        false,
      ), minWindow))
  })

/** Reads all cells of a state in global order. */
const rowsAt = (uri: string, end: number, region?: Record<string, readonly [number, number]>) =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri, { end })
    const query = { order: "global", ...(region === undefined ? {} : { region }) } as const
    const names = array.schema.dimensions.map(({ name }) => name)
    const select = [...names, ...array.schema.attributes.map(({ name }) => name)]
    const result = array.schema.arrayType === "sparse"
      ? yield* Effect.flatMap(Sparse.read(array, query), Sparse.toRows)
      : yield* Effect.flatMap(Dense.read(array, { ...query, select }), Dense.toRows)
    return { rows: result as ReadonlyArray<Row>, names, duplicates: array.schema.allowsDuplicates }
  })

const coordinatesOf = (row: Row, names: ReadonlyArray<string>): Row =>
  Object.fromEntries(names.map((name) => [name, row[name]]))
const attributesOf = (row: Row, names: ReadonlyArray<string>): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

/** Compares two lists of rows with maps. `fill` has the values of attributes that the earlier rows do not have. */
const naiveDiff = (
  before: ReadonlyArray<Row>,
  after: ReadonlyArray<Row>,
  names: ReadonlyArray<string>,
  duplicates: boolean,
  fill: Row,
): ReadonlyArray<string> => {
  const filled = before.map((row) => ({
    ...row,
    ...Object.fromEntries(Object.entries(fill).filter(([k]) => !(k in row))),
  }))
  const byPlace = (rows: ReadonlyArray<Row>) => Map.groupBy(rows, (row) => placeText(coordinatesOf(row, names)))
  const [old, current] = [byPlace(filled), byPlace(after)]
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((place) => {
    const keyOf = (row: Row) => {
      const attributes = attributesOf(row, names)
      return text(Object.keys(attributes).sort().map((name) => [name, attributes[name]]))
    }
    const left = [...old.get(place) ?? []]
    const right = (current.get(place) ?? []).filter((row) => {
      const i = left.findIndex((other) => keyOf(other) === keyOf(row))
      if (i >= 0) left.splice(i, 1)
      return i < 0
    })
    const out: Array<string> = []
    const shown = (kind: string, a: Row | null, b: Row | null) => {
      const x = a === null ? null : attributesOf(a, names)
      const y = b === null ? null : attributesOf(b, names)
      const differing = (row: Row | null, other: Row | null) =>
        row === null
          ? null
          : Object.entries(row).filter(([name, v]) => other === null || text(v) !== text(other[name])).sort()
      return text([kind, JSON.parse(place), differing(x, y), differing(y, x)])
    }
    if (!duplicates) {
      while (left.length > 0 && right.length > 0) out.push(shown("changed", left.shift()!, right.shift()!))
    }
    for (const row of left) out.push(shown("removed", row, null))
    for (const row of right) out.push(shown("added", null, row))
    return out
  }).sort()
}

const shownDifference = ({ kind, coordinates, before, after }: TileArray.CellDifference): string => {
  const entries = (row: Row | null) => row === null ? null : Object.entries(row).sort()
  return text([kind, JSON.parse(placeText(coordinates)), entries(before), entries(after)])
}

/** Whether the items of a list appear in another one in the same order. */
const isSubsequence = (part: ReadonlyArray<string>, all: ReadonlyArray<string>): boolean => {
  let at = 0
  for (const item of all) if (at < part.length && part[at] === item) at++
  return at === part.length
}

const pad = (n: number): string => "abcdefghij"[n % 10] + (n > 9 ? "z" : "")

const dimensions = {
  ints: { x: Dim.int32([0, 19], { tile: 5 }), y: Dim.int64([0n, 9n], { tile: 3n }) },
  float: { x: Dim.float64([-10, 10], { tile: 4 }), y: Dim.uint8([0, 9], { tile: 4 }) },
  text: { x: Dim.ascii(), y: Dim.int16([-5, 9], { tile: 5 }) },
  date: { x: Dim.datetime("day", ["2024-01-01", "2024-12-31"], { tile: 7 }) },
} as const
type Kind = keyof typeof dimensions

const coordinate = (kind: Kind, random: (limit: number) => number): Record<string, unknown> => {
  switch (kind) {
    case "ints":
      return { x: random(20), y: BigInt(random(10)) }
    case "float":
      return { x: [0, -0, 1.5, -3.25, 9][random(5)], y: random(4) }
    case "text":
      return { x: pad(random(14)), y: random(6) - 3 }
    case "date":
      return { x: new Date(Date.UTC(2024, 0, 1 + random(60))) }
  }
}

const cellOf = (random: (limit: number) => number): Record<string, unknown> => ({
  n: random(3),
  f: [NaN, 0, -0, 1.5][random(4)],
  s: [null, "", "one", "two"][random(4)],
  e: ["low", "high"][random(2)],
})

/** Writes a random array at the times 110, 120, …, with deletes, an evolution and a consolidation. */
const writeRandom = (uri: string, seed: number) =>
  Effect.gen(function* () {
    const random = makeRandom(seed)
    for (let i = 0; i < 10; i++) random(2)
    const kind = (Object.keys(dimensions) as Array<Kind>)[random(4)]
    const duplicates = random(3) === 0
    const cellOrder = (["row-major", "col-major", "hilbert"] as const)[random(3)]
    const schema = ArraySchema.sparse({
      dims: dimensions[kind],
      attrs: {
        n: Attr.int32(),
        f: Attr.float64(),
        s: Attr.utf8({ nullable: true }),
        e: Attr.enumerated(Attr.uint8(), "levels"),
      },
      enumerations: { levels: ["low", "high"] },
      allowsDuplicates: duplicates,
      capacity: 1 + random(6),
      order: cellOrder,
      tileOrder: (["row-major", "col-major"] as const)[random(2)],
    } as never)
    yield* TileArray.create(uri, schema as never, { at: 101 })
    let evolved = false
    for (let time = 110; time <= 160; time += 10) {
      const array = yield* TileArray.open(uri)
      const act = random(10)
      if (act === 0 && !evolved) {
        yield* TileArray.evolve(uri, { addAttributes: { added: Attr.int16({ nullable: true }) } }, { at: time })
        evolved = true
      } else if (act === 1) yield* Sparse.delete(array, "n == 1", { at: time })
      else if (act === 2) yield* TileArray.consolidate(uri)
      else {
        const places = new Map<string, Record<string, unknown>>()
        for (let i = random(25) + 1; i > 0; i--) {
          const place = coordinate(kind, random)
          places.set(
            duplicates ? String(i) : Object.values(place).map((v) => Object.is(v, -0) ? "-0" : String(v)).join(),
            place,
          )
        }
        const cells = [...places.values()].map((place) => ({
          ...place,
          ...cellOf(random),
          ...(evolved ? { added: [null, 1, 2][random(3)] } : {}),
        }))
        const columns = Object.fromEntries(
          Object.keys(cells[0]).map((name) => {
            const list = cells.map((cell) => (cell as Record<string, unknown>)[name])
            return [name, name === "e" ? { byValue: list } : list]
          }),
        )
        yield* Sparse.write(array, columns as never, { at: time })
      }
    }
    return { kind, duplicates, cellOrder, evolved }
  })

describe("differences of cells", () => {
  for (let seed = 1; seed <= 30; seed++) {
    it(`equal those of a naive comparison, seed ${seed}`, () =>
      inMemory(Effect.gen(function* () {
        const made = yield* writeRandom("mem://a", seed)
        const random = makeRandom(seed * 7919)
        for (let round = 0; round < 3; round++) {
          const from = 105 + 10 * random(6)
          const to = from + 10 * (1 + random(6))
          const [before, after] = [yield* rowsAt("mem://a", from), yield* rowsAt("mem://a", to)]
          const label = text({ ...made, seed, from, to })
          const expected = naiveDiff(before.rows, after.rows, after.names, made.duplicates, {
            ...(made.evolved && after.rows.some((row) => "added" in row) ? { added: null } : {}),
          })
          for (const size of [1, 2, 7, 8192]) {
            const differences = yield* diffInWindows("mem://a", from, to, size)
            assertEquals(differences.map(shownDifference).sort(), expected, label)
            // the order is global: a part of each state's own order
            // in which −0 equals 0
            const place = (row: Row) => text(coordinatesOf(row, after.names))
            const old = differences.filter(({ kind }) => kind !== "added").map(({ coordinates }) => text(coordinates))
            const current = differences.filter(({ kind }) => kind !== "removed").map(({ coordinates }) =>
              text(coordinates)
            )
            assert(isSubsequence(old, before.rows.map(place)), label)
            assert(isSubsequence(current, after.rows.map(place)), label)
          }
          const streamed = yield* collect(TileArray.diffCells("mem://a", { from, to }))
          assertEquals(streamed.map(shownDifference).sort(), expected, label)
        }
      })))
  }
})

describe("differences of dense cells", () => {
  const Grid = (order: "row-major" | "col-major") =>
    ArraySchema.dense({
      dims: { x: Dim.int32([0, 11], { tile: 5 }), y: Dim.int32([-4, 6], { tile: 3 }) },
      attrs: { n: Attr.int32(), f: Attr.float32(), s: Attr.utf8({ nullable: true }) },
      tileOrder: order,
      order,
    })

  for (let seed = 1; seed <= 12; seed++) {
    it(`equal those of a naive comparison, seed ${seed}`, () =>
      inMemory(Effect.gen(function* () {
        const random = makeRandom(seed)
        const array = yield* TileArray.create("mem://a", Grid(seed % 2 === 0 ? "row-major" : "col-major"), { at: 101 })
        for (let time = 110; time <= 150; time += 10) {
          const x = [random(6), 6 + random(6)] as const
          const y = [random(4) - 4, random(7)] as const
          const cells = (x[1] - x[0] + 1) * (y[1] - y[0] + 1)
          const list = <A>(one: () => A): Array<A> => Array.from({ length: cells }, one)
          yield* Dense.write(array, { x, y }, {
            n: list(() => random(3)),
            f: list(() => [NaN, 0, -0, 2.5][random(4)]),
            s: list(() => [null, "", "a"][random(3)]),
          }, { at: time })
        }
        const region = { x: [0, 11], y: [-4, 6] } as const
        for (let round = 0; round < 3; round++) {
          const from = 105 + 10 * random(5)
          const to = from + 10 * (1 + random(5))
          const [before, after] = [yield* rowsAt("mem://a", from, region), yield* rowsAt("mem://a", to, region)]
          const expected = naiveDiff(before.rows, after.rows, after.names, false, {})
          for (const size of [1, 10, 8192]) {
            const differences = yield* diffInWindows("mem://a", from, to, size)
            assertEquals(differences.map(shownDifference).sort(), expected)
            const place = (row: Row) => text(coordinatesOf(row, after.names))
            assert(isSubsequence(differences.map(({ coordinates }) => text(coordinates)), after.rows.map(place)))
          }
        }
      })))
  }

  it("reads only the boxes of changed fragments of a large domain", async () => {
    const Line = ArraySchema.dense({
      dims: { x: Dim.int64([0n, 10n ** 15n], { tile: 10n }) },
      attrs: { n: Attr.int8() },
    })
    const differences = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Line, { at: 100 })
      for (const [i, x] of [0n, 10n ** 9n, 10n ** 15n - 5n].entries()) {
        yield* Dense.write(array, { x: [x, x + 1n] }, { n: [1, 2] }, { at: 110 + i })
      }
      return yield* collect(TileArray.diffCells(array, { from: 110, to: 120 }))
    }))
    assertEquals(differences.map(({ coordinates }) => coordinates.x), [
      10n ** 9n,
      10n ** 9n + 1n,
      10n ** 15n - 5n,
      10n ** 15n - 4n,
    ])
    assertEquals([differences[0].kind, differences[0].before, differences[0].after], ["changed", { n: -128 }, { n: 1 }])
  })
})

describe("a comparison of cells", () => {
  const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 1_000_000]) }, attrs: { n: Attr.int32() } })
  const many = (from: number, to: number, n: number) => {
    const x = Int32Array.from({ length: to - from }, (_, i) => from + i)
    return { x, n: new Int32Array(x.length).fill(n) }
  }

  it("streams more cells than a window has, in a small budget", async () => {
    const [counts, peak] = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Points, { at: 100 })
      yield* Sparse.write(array, many(0, 60_000, 1), { at: 110 })
      yield* Sparse.write(array, many(30_000, 90_000, 2), { at: 120 })
      const counts = { added: 0, removed: 0, changed: 0 }
      let peak = 0
      yield* Stream.runForEachChunk(
        TileArray.diffCells(array, { from: 110, to: 120, memory: "4MiB" }),
        (chunk) =>
          Effect.sync(() => {
            peak = Math.max(peak, chunk.length)
            for (const { kind } of chunk) counts[kind]++
          }),
      )
      return [counts, peak]
    }))
    assertEquals(counts, { added: 30_000, removed: 0, changed: 30_000 })
    assert(peak <= 2 * 8192)
  })

  it("reads no cells if no fragment differs", async () => {
    const differences = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Points, { at: 100 })
      yield* Sparse.write(array, many(0, 10, 1), { at: 110 })
      yield* TileArray.putMetadata(array, { title: "a" }, { at: 120 })
      return [
        ...(yield* collect(TileArray.diffCells(array, { from: 110, to: 130 }))),
        ...(yield* collect(TileArray.diffCells(array, { from: 50, to: 105 }))),
      ]
    }))
    assertEquals(differences, [])
  })

  it("does not depend on consolidation and vacuum", async () => {
    const [plain, consolidated, vacuumed] = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Points, { at: 100 })
      yield* Sparse.write(array, many(0, 10, 1), { at: 110 })
      yield* Sparse.write(array, many(5, 15, 2), { at: 120 })
      yield* Sparse.delete(yield* TileArray.open("mem://a"), "x == 3", { at: 130 })
      const all = collect(TileArray.diffCells(array, { from: 110, to: 140 }))
      const plain = yield* all
      yield* TileArray.consolidate("mem://a")
      const consolidated = yield* all
      yield* TileArray.vacuum("mem://a", { age: 0 })
      return [plain, consolidated, yield* all]
    }))
    assertEquals(plain.map(({ kind }) => kind).sort(), [
      ...new Array(5).fill("added"),
      ...new Array(5).fill("changed"),
      "removed",
    ])
    assertEquals(consolidated, plain)
    assertEquals(vacuumed, plain)
  })

  it("compares duplicates as multisets", async () => {
    const Bag = ArraySchema.sparse({
      dims: { x: Dim.int32([0, 9]) },
      attrs: { n: Attr.int32() },
      allowsDuplicates: true,
    })
    const differences = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Bag, { at: 100 })
      yield* Sparse.write(array, { x: [1, 1, 1], n: [5, 5, 6] }, { at: 110 })
      yield* Sparse.write(array, { x: [1, 1], n: [5, 7] }, { at: 120 })
      yield* Sparse.delete(yield* TileArray.open("mem://a"), "n == 6", { at: 130 })
      return yield* collect(TileArray.diffCells(array, { from: 110, to: 140 }))
    }))
    assertEquals(differences.map(({ kind, before, after }) => [kind, before?.n ?? after?.n]), [
      ["removed", 6],
      ["added", 5],
      ["added", 7],
    ])
  })

  it("fails with typed errors", async () => {
    const tags = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Points, { at: 100 })
      yield* Sparse.write(array, many(0, 50_000, 1), { at: 110 })
      const inputs = [
        TileArray.diffCells(array, { from: 120, to: 110 }),
        TileArray.diffCells(array, {} as never),
        TileArray.diffCells(array, null as never),
        TileArray.diffCells(array, { from: 1, unknown: 2 } as never),
        TileArray.diffCells(array, { from: "tag:none" }),
        TileArray.diffCells("mem://none", { from: 1 }),
        TileArray.diffCells(array, { from: 100, to: 110, memory: 1000 }),
      ]
      return yield* Effect.forEach(
        inputs,
        (input) => Effect.map(Effect.flip(Stream.runDrain(input)), ({ _tag }) => _tag),
      )
    }))
    assertEquals(tags, [...new Array(5).fill("InvalidOption"), "ArrayNotFound", "ResultTooLarge"])
  })
})
