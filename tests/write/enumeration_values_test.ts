/** Cells of enumerated attributes, written by value. */
import { assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Cells, Dense, Dim, Sparse, TileArray } from "../../mod.ts"
import { inMemory } from "../support/in_memory.ts"

const enumerations = {
  colors: ["red", "green", "blue", ""],
  sizes: { type: "float64", values: [1.5, -2, 10] },
  counts: { type: "int64", values: [7n, 2n ** 60n] },
  flags: { type: "bool", values: [0, 1] },
} as const

const attrs = {
  color: Attr.enumerated(Attr.uint8(), "colors"),
  size: Attr.enumerated(Attr.int16({ nullable: true }), "sizes"),
  count: Attr.enumerated(Attr.int64(), "counts"),
  flag: Attr.enumerated(Attr.uint32({ nullable: true }), "flags"),
  plain: Attr.int32(),
}

const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 99]) }, attrs, enumerations })
const Line = ArraySchema.dense({ dims: { x: Dim.int32([0, 3], { tile: 2 }) }, attrs, enumerations })

const byValue = {
  color: ["blue", "", "red", "green"],
  size: { byValue: [10, null, -2, 1.5] },
  count: { byValue: [7n, 2n ** 60n, 7, 7n] },
  flag: { byValue: [true, null, false, 1] },
  plain: [1, 2, 3, 4],
} as const

const codes = {
  color: [2, 3, 0, 1],
  size: [2, null, 1, 0],
  count: [0n, 1n, 0n, 0n],
  flag: [1, null, 0, 1],
}

type AnyColumns = Readonly<Record<string, Parameters<typeof Cells.values>[0]>>

const codesIn = (columns: AnyColumns) =>
  Object.fromEntries(Object.keys(codes).map((name) => [name, Cells.values(columns[name])]))

describe("cells of enumerated attributes", () => {
  it("are written by value into sparse arrays", async () => {
    const { columns } = await inMemory(Effect.gen(function* () {
      const points = yield* TileArray.create("mem://points", Points)
      yield* Sparse.write(points, { x: [1, 2, 3, 4], ...byValue })
      return yield* Sparse.read(yield* TileArray.open("mem://points"))
    }))
    assertEquals(codesIn(columns), codes)
  })

  it("are written by value into dense arrays, and in batches", async () => {
    const [whole, batches] = await inMemory(Effect.gen(function* () {
      const line = yield* TileArray.create("mem://line", Line)
      yield* Dense.write(line, {}, byValue)
      const whole = yield* Dense.read(yield* TileArray.open("mem://line"))
      const half = (from: number) => ({
        color: byValue.color.slice(from, from + 2),
        size: { byValue: byValue.size.byValue.slice(from, from + 2) },
        count: { byValue: byValue.count.byValue.slice(from, from + 2) },
        flag: { byValue: byValue.flag.byValue.slice(from, from + 2) },
        plain: [5, 6],
      })
      yield* Stream.run(Stream.make(half(0), half(2)), Dense.sink(line, {}))
      return [whole, yield* Dense.read(yield* TileArray.open("mem://line"))] as const
    }))
    assertEquals(codesIn(whole.columns), codes)
    assertEquals(codesIn(batches.columns), codes)
  })

  it("may be codes and texts in one list", async () => {
    const { columns } = await inMemory(Effect.gen(function* () {
      const points = yield* TileArray.create("mem://points", Points)
      yield* Sparse.write(points, { x: [1, 2, 3, 4], ...byValue, color: ["blue", 3, 0, "green"] as never })
      return yield* Sparse.read(yield* TileArray.open("mem://points"))
    }))
    assertEquals(codesIn(columns), codes)
  })

  it("include values that were added later", async () => {
    const colors = await inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://points", Points)
      yield* TileArray.evolve("mem://points", { extendEnumerations: { colors: ["pink"] } })
      const points = yield* TileArray.open("mem://points")
      const cells = { x: [1], size: [null], count: { byValue: [7] }, flag: [null], plain: [1] }
      yield* Sparse.write(points, { ...cells, color: ["pink"] })
      const { columns } = yield* Sparse.read(yield* TileArray.reopen(points))
      return Cells.values(columns.color)
    }))
    assertEquals(colors, [4])
  })

  it("are rejected with the cell and similar values", async () => {
    const refused = (name: string, input: unknown) =>
      inMemory(Effect.gen(function* () {
        const points = yield* TileArray.create("mem://points", Points)
        const columns = { x: [1, 2, 3, 4], ...byValue, [name]: input }
        const { message } = yield* Effect.flip(Sparse.write(points, columns as never))
        const { length } = yield* Sparse.read(yield* TileArray.open("mem://points"))
        assertEquals(length, 0)
        return message
      }))
    assertMatch(
      await refused("color", ["blue", "gren", "red", "red"]),
      /color: cell 1: "gren" is not a value of the enumeration "colors"; did you mean "red" or "green"\?/,
    )
    assertMatch(
      await refused("color", ["blue", "ultramarine", "red", "red"]),
      /cell 1: "ultramarine" is not a value of the enumeration "colors"; add it with TileArray.evolve/,
    )
    assertMatch(await refused("size", { byValue: [1.5, 1.5, 3, 1.5] }), /size: cell 2: 3 is not a value/)
    assertMatch(await refused("count", { byValue: [8n, 7n, 7n, 7n] }), /count: cell 0: 8 is not a value/)
    assertMatch(await refused("count", { byValue: [null, 7n, 7n, 7n] }), /count: cell 0: .*null/)
    assertMatch(await refused("color", { byValue: "red" }), /byValue is a list with one value per cell/)
    assertMatch(await refused("color", { byValue: ["red"] }), /it has 1 cells, but x has 4/)
    assertMatch(await refused("plain", { byValue: [1, 2, 3, 4] }), /byValue is for attributes with an enumeration/)
    assertMatch(await refused("x", { byValue: [1, 2, 3, 4] }), /byValue is for attributes with an enumeration/)
  })
})
