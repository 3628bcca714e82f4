/** Group aggregates and distinct values, compared with a row-by-row implementation. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { describe, it } from "node:test"
import {
  Aggregate,
  ArraySchema,
  Attr,
  Cells,
  Dense,
  Dim,
  Filter,
  InvalidOption,
  layerNative,
  ResultTooLarge,
  SelectionError,
  Sparse,
  TileArray,
} from "../../../mod.ts"
import { makeMemoryStorage, StorageService } from "../../../platform/mod.ts"
import { packedCases } from "../../cli/packed_files.ts"
import { CellNumbers, NO_NUMBER } from "../../../src/kernel/match/number_cells.ts"
import { exactly } from "../../types/equal.ts"
import { run } from "../../support/run_query.ts"

const attrs = {
  small: Attr.int8({ filters: [Filter.zstd()] }),
  wide: Attr.uint64(),
  maybe: Attr.nullable(Attr.int16({ filters: [Filter.zstd()] })),
  float: Attr.float32(),
  text: Attr.utf8({ filters: [Filter.zstd()] }),
  note: Attr.nullable(Attr.ascii()),
  flag: Attr.bool(),
  when: Attr.datetime("day"),
  color: Attr.enumerated(Attr.nullable(Attr.uint8({ filters: [Filter.zstd()] })), "colors"),
  size: Attr.enumerated(Attr.int32(), "sizes"),
  pair: Attr.multiValue(Attr.int16(), 2),
}
const enumerations = { colors: ["red", "green", "blue"], sizes: Int16Array.of(300, -5, 20) }
const Points = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 9999], { tile: 100 }), place: Dim.ascii() },
  attrs,
  enumerations,
  capacity: 50,
})
const Grid = ArraySchema.dense({
  dims: { r: Dim.int32([0, 29], { tile: 8 }), c: Dim.int32([0, 19], { tile: 6 }) },
  attrs,
  enumerations,
})

/** Returns pseudo-random cells for a seed. */
const cellsOf = (count: number, seed: number) => {
  const pick = (i: number, n: number, salt: number) =>
    ((Math.imul(Math.imul(i + 1, 2654435761) ^ (seed * 97 + salt), 0x2c1b3c6d) >>> 9) & 0xffff) % n
  const of = <A>(make: (i: number) => A) => Array.from({ length: count }, (_, i) => make(i))
  const valid = (salt: number) => Uint8Array.from({ length: count }, (_, i) => pick(i, 5, salt) === 0 ? 0 : 1)
  return {
    small: Int8Array.from(of((i) => pick(i, 5, 1) - 2)),
    wide: BigUint64Array.from(of((i) => 2n ** 63n + BigInt(pick(i, 3, 2)))),
    maybe: { values: Int16Array.from(of((i) => pick(i, 4, 3))), validity: valid(3) },
    float: Float32Array.from(of((i) => [0, -0, NaN, 1.5, -3.25][pick(i, 5, 4)])),
    text: of((i) => ["", "a", "ä", "Z", "aa"][pick(i, 5, 5)]),
    note: of((i) => [null, "", "b", "a"][pick(i, 4, 6)]),
    flag: Uint8Array.from(of((i) => pick(i, 2, 7))),
    when: BigInt64Array.from(of((i) => BigInt(pick(i, 3, 8)) - 1n)),
    color: { values: Uint8Array.from(of((i) => pick(i, 3, 9))), validity: valid(9) },
    size: Int32Array.from(of((i) => pick(i, 3, 10))),
    pair: Int16Array.from({ length: 2 * count }, (_, i) => i),
  }
}

const points = (seed: number) =>
  Effect.gen(function* () {
    const made = yield* TileArray.create("mem://points", Points)
    for (const [count, step, at] of [[400, 3, 10], [150, 6, 20]] as const) {
      const x = Int32Array.from({ length: count }, (_, i) => i * step)
      const place = Array.from(x, (v) => ["Tonga", "Fiji", ""][v % 3 === 0 ? v % 2 : 2])
      yield* Sparse.write(made, { x, place, ...cellsOf(count, seed + at) }, { at })
    }
    yield* Sparse.delete(yield* TileArray.reopen(made), "small == 1", { at: 30 })
    return yield* TileArray.reopen(made)
  })

const grid = (seed: number) =>
  Effect.gen(function* () {
    const made = yield* TileArray.create("mem://grid", Grid)
    yield* Dense.write(made, { r: [0, 19], c: [2, 13] }, cellsOf(240, seed))
    yield* Dense.write(made, { r: [5, 9], c: [10, 19] }, cellsOf(50, seed + 1))
    return yield* TileArray.reopen(made)
  })

type Value = number | bigint | string | null

/** Keys of enumerated fields are ordered by the values of the enumeration. Nulls are last. */
const orders: Readonly<Record<string, ReadonlyArray<Value>>> = { color: enumerations.colors, size: [300, -5, 20] }
const compareKeys = (name: string, a: Value, b: Value): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const order = orders[name]
  if (order !== undefined) return order.indexOf(a) - order.indexOf(b)
  if (typeof a === "string") {
    const [x, y] = [a, b as string].map((text) =>
      Array.from(new TextEncoder().encode(text), (v) => String.fromCharCode(v)).join("")
    )
    return x < y ? -1 : x > y ? 1 : 0
  }
  if (a !== a || b !== b) return Number(a !== a) - Number(b !== b)
  return a < (b as number) ? -1 : a > (b as number) ? 1 : 0
}

const aggregates = {
  n: Aggregate.count(),
  sum: Aggregate.sum("maybe"),
  low: Aggregate.min("text"),
  high: Aggregate.max("wide"),
  mean: Aggregate.mean("small"),
  nulls: Aggregate.nullCount("note"),
}

/** Computes the same aggregates from rows. */
const naive = (rows: ReadonlyArray<Readonly<Record<string, Value>>>, by: ReadonlyArray<string>) => {
  const groups = new Map<string, Array<Readonly<Record<string, Value>>>>()
  for (const row of rows) {
    const key = by.map((name) => `${typeof row[name]}:${String(Object.is(row[name], -0) ? 0 : row[name])}`).join("|")
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  const firstOf = (values: ReadonlyArray<Value>, sign: number): Value =>
    values.length === 0 ? null : values.reduce((a, b) => compareKeys("", b, a) * sign < 0 ? b : a)
  return [...groups.values()].map((group) => ({
    ...Object.fromEntries(by.map((name) => [name, Object.is(group[0][name], -0) ? 0 : group[0][name]])),
    n: group.length,
    sum: group.reduce((sum, { maybe }) => sum + BigInt(maybe ?? 0), 0n),
    low: firstOf(group.map(({ text }) => text), 1),
    high: firstOf(group.map(({ wide }) => wide), -1),
    mean: group.reduce((sum, { small }) => sum + Number(small), 0) / group.length,
    nulls: group.filter(({ note }) => note === null).length,
  })).sort((a: Record<string, Value>, b: Record<string, Value>) =>
    by.reduce((c, name) => c === 0 ? compareKeys(name, a[name], b[name]) : c, 0)
  )
}

/** Returns the cells of a read as rows. */
const rowsOf = (array: TileArray.AnyTileArray, fields: Readonly<Record<string, Cells.Column>>) =>
  Effect.map(Cells.resolveAll(array, fields), (columns) => {
    const lists = Object.entries(columns).map(([name, column]) => [name, Cells.values(column)] as const)
    return Array.from(
      { length: lists[0][1].length },
      (_, i) => Object.fromEntries(lists.map(([name, values]) => [name, values[i]])) as Record<string, Value>,
    )
  })

const names = ["small", "wide", "maybe", "float", "text", "note", "flag", "when", "color", "size"] as const
const keys = fc.uniqueArray(fc.constantFrom(...names, "x" as const, "place" as const), { minLength: 1, maxLength: 3 })

describe("aggregates by groups", () => {
  it("match aggregates of each group's cells in sparse arrays", () =>
    run(Effect.gen(function* () {
      const array = yield* points(7)
      const memory = 300_000
      for (
        const options of [{}, { where: "small >= 0" }, { region: { x: [100, 900] } }, { where: "small > 100" }] as const
      ) {
        const { fields } = yield* Sparse.read(array, options)
        const rows = yield* rowsOf(array, fields)
        for (const by of fc.sample(keys, { numRuns: 20, seed: 5 })) {
          const groups = yield* Sparse.aggregate(array, aggregates, { ...options, by, memory })
          assertEquals(groups as ReadonlyArray<unknown>, naive(rows, by), by.join())
        }
      }
    })))

  it("match aggregates of each group's written cells in dense arrays", () =>
    run(Effect.gen(function* () {
      const array = yield* grid(3)
      const dims = fc.sample(
        fc.uniqueArray(fc.constantFrom(...names, "r" as const, "c" as const), { minLength: 1, maxLength: 3 }),
        { numRuns: 20, seed: 6 },
      )
      for (
        const options of [{}, { where: "small >= 0" }, { region: { r: [0, 29], c: [0, 19] } }, {
          region: { r: [3, 12], c: [4, 11] },
          where: "flag == 1",
        }] as const
      ) {
        const { fields } = yield* Dense.read(array, { region: options.region, select: [...names, "r", "c"] })
        const rows = (yield* rowsOf(array, fields)).filter(({ r, c, small, flag }) => {
          const [row, column] = [Number(r), Number(c)]
          const written = (row <= 19 && column >= 2 && column <= 13) || (row >= 5 && row <= 9 && column >= 10)
          return written &&
            (options.where === undefined || (options.where.startsWith("flag") ? flag === 1 : Number(small) >= 0))
        })
        for (const by of dims) {
          const groups = yield* Dense.aggregate(array, aggregates, { ...options, by, memory: 60_000 })
          assertEquals(groups as ReadonlyArray<unknown>, naive(rows, by), by.join())
        }
      }
    })))

  it("have the types of the schema", () =>
    run(Effect.gen(function* () {
      const array = yield* points(1)
      const [first] = yield* Sparse.aggregate(array, { n: Aggregate.count(), low: Aggregate.min("maybe") }, {
        by: ["place", "when", "note", "color"],
      })
      exactly<string>()(first.place)
      exactly<bigint>()(first.when)
      exactly<string | null>()(first.note)
      exactly<number | bigint | string | null>()(first.color)
      exactly<number>()(first.n)
      exactly<number | null>()(first.low)
      const all = yield* Sparse.aggregate(array, { n: Aggregate.count() })
      exactly<number>()(all.n)
      exactly<ReadonlyArray<number | null>>()(yield* Sparse.distinct(array, "maybe"))
      // @ts-expect-error no such field
      yield* Effect.flip(Sparse.aggregate(array, { n: Aggregate.count() }, { by: ["plaec"] }))
      // @ts-expect-error no such field
      yield* Effect.flip(Sparse.distinct(array, "plaec"))
      const untyped = yield* Sparse.aggregate(TileArray.undeclare(array), { n: Aggregate.count() }, { by: ["flag"] })
      exactly<number | bigint | string | null>()(untyped[0].flag)
      assertEquals(untyped.map(({ flag }) => flag), [0, 1])
    })))

  it("are rejected for too many groups and for invalid keys", () =>
    run(Effect.gen(function* () {
      const array = TileArray.undeclare(yield* points(1))
      const n = { n: Aggregate.count() }
      const many = yield* Effect.flip(Sparse.aggregate(array, n, { by: ["x"], maxGroups: 50 }))
      assert(many instanceof ResultTooLarge, String(many))
      assertEquals([many.needed, many.limit], [51, 50])
      assertStringIncludes(many.message, "x: there are more than 50 groups")
      assert(
        (yield* Effect.flip(Sparse.aggregate(array, n, { by: ["text", "x"], maxGroups: 300 }))) instanceof
          ResultTooLarge,
      )
      assertEquals((yield* Sparse.aggregate(array, n, { by: ["flag"], maxGroups: 2 })).length, 2)
      for (
        const [options, field, reason] of [
          [{ by: ["nope"] }, "nope", "there is no such attribute or dimension"],
          [{ by: ["pair"] }, "pair", "several values cannot be group keys"],
          [{ by: ["x", "x"] }, "x", "named twice"],
          [{ by: ["n"] }, "n", "there is no such"],
        ] as const
      ) {
        const error = yield* Effect.flip(Sparse.aggregate(array, n, options as never))
        assert(error instanceof SelectionError, String(error))
        assertEquals(error.field, field)
        assertStringIncludes(error.message, reason)
      }
      for (
        const [options, option, reason] of [
          [{ by: "flag" }, "by", "it is a list of names"],
          [{ by: ["x"], maxGroups: 0 }, "maxGroups", "0 is not a number of groups"],
        ] as const
      ) {
        const error = yield* Effect.flip(Sparse.aggregate(array, n, options as never))
        assert(error instanceof InvalidOption, String(error))
        assertEquals(error.option, option)
        assertStringIncludes(error.message, reason)
      }
      const twice = yield* Effect.flip(Sparse.aggregate(array, { flag: Aggregate.count() }, { by: ["flag"] }))
      assertStringIncludes(twice.message, "an aggregate has the same name")
    })))
})

describe("distinct values", () => {
  it("match the values of a read, sorted", () =>
    run(Effect.gen(function* () {
      const array = yield* points(2)
      const { fields } = yield* Sparse.read(array, { where: "small < 2" })
      const rows = yield* rowsOf(array, fields)
      for (const name of [...names, "x", "place"] as const) {
        const values = yield* Sparse.distinct(array, name, { where: "small < 2", memory: 300_000 })
        const expected = naive(rows, [name]).map((row) => (row as unknown as Record<string, Value>)[name])
        assertEquals(values as ReadonlyArray<Value>, expected)
      }
      const few = [...new Set((yield* Sparse.read(array, { region: { x: [0, 40] }, select: ["x"] })).columns.x)]
      const options = { region: { x: [0, 40] } } as const
      assertEquals(yield* Sparse.distinct(array, "x", { ...options, maxValues: few.length }), few)
      assert((yield* Effect.flip(Sparse.distinct(array, "x", { maxValues: 2 }))) instanceof ResultTooLarge)
      const many = yield* Effect.flip(Sparse.distinct(array, "x", { maxValues: 2 }))
      assertStringIncludes(many.message, "x: there are more than 2 values")
      const none = yield* Effect.flip(Sparse.distinct(array, "x", { maxValues: 0 }))
      assert(none instanceof InvalidOption && none.option === "maxValues", String(none))
      assertStringIncludes(none.message, "0 is not a number of values")
      const dense = yield* grid(2)
      assertEquals(yield* Dense.distinct(dense, "c"), Array.from({ length: 18 }, (_, i) => i + 2))
      assertEquals(yield* Dense.distinct(dense, "color", { where: "color != None" }), ["red", "green", "blue"])
      assertEquals(yield* Dense.distinct(dense, "r", { where: "small > 100" }), [])
    })))

  it("are enumeration values, and null for codes without a value", async () => {
    const { folder, files } = packedCases("v22").find(({ folder }) => folder === "v22/enumerations")!
    const memory = makeMemoryStorage()
    for (const [path, bytes] of files) Effect.runSync(memory.write(`mem://${path}`, bytes))
    const program = Effect.gen(function* () {
      const array = yield* TileArray.open(`mem://${folder}/array`)
      const { fields } = yield* Dense.read(array)
      const columns = yield* Cells.resolveAll(array, fields)
      let missing = 0
      for (const [name, { enumeration, cellValNum }] of Object.entries(fields)) {
        if (cellValNum !== 1) continue
        const values = yield* Dense.distinct(array, name)
        const expected = new Set(Cells.values(columns[name]).map(String))
        assertEquals(new Set(values.map(String)), expected, name)
        assertEquals(values.length, expected.size)
        if (enumeration !== undefined && values.includes(null)) missing++
      }
      assert(missing > 0, "no code without a value")
    })
    const layer = Layer.merge(Layer.succeed(StorageService, memory), layerNative)
    await Effect.runPromise(Effect.provide(program, layer))
  })
})

describe("numbers of cells", () => {
  it("are equal for equal cells and differ for different cells", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.uint8Array({ maxLength: 3 }), { maxLength: 300 }), { maxLength: 3 }),
        (batches) => {
          const numbers = new CellNumbers()
          const expected = new Map<string, number>()
          for (const cells of batches) {
            const offsets = new Uint32Array(cells.length + 1)
            cells.forEach((cell, i) => offsets[i + 1] = offsets[i] + cell.length)
            const mask = Uint8Array.from(cells, (_, i) => i % 7 === 3 ? 0 : 1)
            const out = new Uint32Array(cells.length)
            const bytes = Uint8Array.from(cells.flatMap((cell) => [...cell]))
            assertEquals(numbers.add(bytes, { offsets, unit: 1 }, mask, out, 1e6, 1e6), true)
            cells.forEach((cell, i) => {
              const key = cell.join()
              if (mask[i] === 0) return assertEquals(out[i], NO_NUMBER)
              if (!expected.has(key)) expected.set(key, expected.size)
              assertEquals(out[i], expected.get(key))
            })
          }
          assertEquals(numbers.count, expected.size)
        },
      ),
    )
    const few = new CellNumbers()
    assertEquals(
      few.add(Uint8Array.of(1, 2, 3), { offsets: undefined, size: 1 }, undefined, new Uint32Array(3), 2, 9),
      false,
    )
    assertEquals(few.count, 3)
  })
})
