/** Dimension labels: written, read and selected through their array; includes cases of TileDB-Py's tests. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { Aggregate, ArraySchema, Attr, Cells, Dense, Dim, InvalidOption, Sparse, TileArray } from "../../../mod.ts"
import { inMemory } from "../../support/in_memory.ts"

const letters = Array.from({ length: 10 }, (_, c) => String.fromCharCode(97 + c).repeat(10 - c))

describe("labels of a dense array", () => {
  for (const kind of ["int64", "string_ascii"] as const) {
    it(`of ${kind} are read as written, and select cells`, () =>
      inMemory(Effect.gen(function* () {
        const Line = ArraySchema.dense({
          dims: { d1: Dim.int64([1, 10], { tile: 3 }) },
          attrs: { a1: Attr.int64() },
          labels: { l1: { dim: "d1", type: kind, order: "increasing" } },
        })
        const values = kind === "int64" ? Array.from({ length: 10 }, (_, i) => 2 * i - 9) : letters
        const made = yield* TileArray.create("mem://line", Line)
        yield* Dense.write(made, {}, { a1: Array.from({ length: 10 }, (_, i) => i + 1), l1: values })
        const array = yield* TileArray.reopen(made)
        const cellsIn = (low: number | string, high: number | string) =>
          Effect.gen(function* () {
            const ranges = { l1: [low, high] } as never
            const { columns } = yield* Dense.read(array, { region: ranges })
            const label = yield* TileArray.readLabel(array, "l1", { region: ranges })
            assertEquals(Array.from(label.coordinates.values, Number), Array.from(columns.a1, Number))
            return [Array.from(columns.a1, Number), Cells.values(label.labels)] as const
          })
        const shown = values.map((value) => typeof value === "number" ? BigInt(value) : value)
        for (let i = 0; i < 10; i++) {
          assertEquals(yield* cellsIn(values[i], values[i]), [[i + 1], [shown[i]]])
          assertEquals(
            yield* cellsIn(values[i], values[9]),
            [Array.from({ length: 10 - i }, (_, k) => i + k + 1), shown.slice(i)],
          )
        }
        const own = yield* TileArray.open("mem://line/__labels/l0")
        assertEquals(Cells.values((yield* Dense.read(own)).columns.label), shown)
        // a range between two labels selects no cells
        const none = kind === "int64" ? { l1: [-8n, -8n] } as const : { l1: ["aaab", "b"] } as const
        assertEquals((yield* Dense.read(array, { region: none as never })).shape, [0])
        const points = kind === "int64" ? [7n, -9n, 7n, 100n] : ["i" + "i", "a".repeat(10), "?"]
        assertEquals(
          Array.from((yield* Dense.read(array, { region: { l1: { points } } as never })).columns.a1, Number),
          [1, 9],
        )
      })))
  }

  it("of several dimensions are combined, may increase or decrease, and exclude other ranges of their dimension", () =>
    inMemory(Effect.gen(function* () {
      const Plane = ArraySchema.dense({
        dims: { x: Dim.int64([1, 8], { tile: 3 }), y: Dim.int64([1, 8], { tile: 8 }) },
        attrs: { value: Attr.int64() },
        labels: {
          x1: { dim: "x", type: "float64", order: "increasing" },
          x2: { dim: "x", type: "int64", order: "decreasing" },
          y1: { dim: "y", type: "string_ascii", order: "increasing" },
        },
      })
      const made = yield* TileArray.create("mem://plane", Plane)
      yield* Dense.write(made, {}, {
        value: Array.from({ length: 64 }, (_, i) => i + 1),
        x1: Array.from({ length: 8 }, (_, i) => i / 3.5 - 1),
        x2: Array.from({ length: 8 }, (_, i) => 8 - i),
        y1: Array.from({ length: 8 }, (_, i) => String.fromCharCode(97 + i).repeat(i + 1)),
      })
      const array = yield* TileArray.reopen(made)
      const read = (ranges: Parameters<typeof Dense.read<typeof Plane>>[1]) =>
        Effect.map(Dense.read(array, ranges), ({ shape, columns }) => [shape, Array.from(columns.value, Number)])
      assertEquals(yield* read({ region: { x1: [-1, -0.7], y1: ["b", "ccc"] } }), [[2, 2], [2, 3, 10, 11]])
      assertEquals(yield* read({ region: { x2: [1n, 2n], y: [8n, 8n] } }), [[2, 1], [56, 64]])
      assertEquals(yield* read({ region: { x2: [null, 1n], y1: ["ggggggg", null] } }), [[1, 2], [63, 64]])
      assertEquals(yield* read({ region: { x1: [[-1, -1], [1, 1]], y: 1n } }), [[2, 1], [1, 57]])
      // selected cells that do not match a condition have the fill value, as without labels
      assertEquals(
        yield* read({ region: { x1: [-1, -0.7], y: [1n, 2n] }, where: "value >= 9", order: "col" }),
        [[2, 2], [-(2 ** 63), 9, -(2 ** 63), 10]],
      )
      const batches = yield* Stream.runCollect(Dense.stream(array, { region: { x2: [3n, 6n], y: 1n }, memory: 4096 }))
      assertEquals(Chunk.toReadonlyArray(batches).flatMap(({ columns }) => Array.from(columns.value, Number)), [
        17,
        25,
        33,
        41,
      ])
      assertEquals(
        yield* Dense.aggregate(array, { sum: Aggregate.sum("value"), count: Aggregate.count() }, {
          region: { x2: [7n, 8n], y1: ["a", "bb"] },
        }),
        { sum: 22n, count: 4 },
      )
      assertEquals((yield* Dense.explain(array, { region: { x2: 8n } })).cells, 8)
      for (
        const [ranges, why] of [
          [{ x1: [0, 1], x2: [1n, 2n] }, "to the same dimension"],
          [{ x1: [0, 1], x: [1n, 2n] }, "to the same dimension"],
          [{ x1: [1, 0] }, "its low bound is above its high bound"],
          [{ x1: [NaN, 0] }, "NaN is not a bound"],
          [{ x3: [0, 1] }, 'there is no such dimension; the array has "x", "y", and the labels "x1", "x2", "y1"'],
          [{ x1: { points: [0, null] } }, "null is not a point"],
          [{ x1: { points: 5 } }, "points is a list of values"],
        ] as const
      ) {
        const error = yield* Effect.flip(Dense.read(array, { region: ranges as never }))
        assertStringIncludes(error.message, why)
      }
      // a label may be undefined, like a dimension
      const column = yield* Dense.read(array, { region: { x1: undefined, x: [1n, 2n], y1: undefined } as never })
      assertEquals(column.shape[0], 2)
      for (const options of [null, [], { where: "x > 1" }]) {
        const wrong = yield* Effect.flip(TileArray.readLabel(array, "x1", options as never))
        assert(wrong instanceof InvalidOption, String(wrong))
      }
      const error = yield* Effect.flip(TileArray.readLabel(array, "z" as "x1"))
      assertStringIncludes(error.message, 'the array has no such label; it has "x1", "x2", "y1"')
    })))

  it("are read at the timestamp of the array", () =>
    inMemory(Effect.gen(function* () {
      const Line = ArraySchema.dense({
        dims: { x: Dim.int32([0, 3], { tile: 2 }) },
        attrs: { a: Attr.int32() },
        labels: { l: { dim: "x", type: "int32", order: "increasing" } },
      })
      const made = yield* TileArray.create("mem://times", Line)
      const read = (at: number) =>
        Effect.gen(function* () {
          const array = yield* TileArray.open("mem://times", Line, { at })
          return Array.from((yield* Dense.read(array, { region: { l: [5, 9] } })).columns.a)
        })
      yield* Dense.write(made, {}, { a: [0, 1, 2, 3], l: [1, 5, 9, 10] }, { at: 1000 })
      yield* TileArray.writeLabels(made, { x: [2, 3] }, { l: [11, 12] }, { at: 2000 })
      assertEquals(yield* read(1000), [1, 2])
      assertEquals(yield* read(2000), [1])
      const error = yield* Effect.flip(read(500))
      assertStringIncludes(error.message, "l: the label has no values, since they were never written")
      const array = yield* TileArray.open("mem://times", Line, { at: 2000 })
      const { labels, coordinates } = yield* TileArray.readLabel(array, "l", { region: { x: [1, 2] } })
      assertEquals([labels.values, coordinates.values], [Int32Array.of(5, 11), Int32Array.of(1, 2)])
      assertEquals((yield* TileArray.readLabel(array, "l")).labels.values, Int32Array.of(1, 5, 11, 12))
    })))
})

describe("labels of a sparse array", () => {
  it("are written with cells without gaps or separately, and select cells", () =>
    inMemory(Effect.gen(function* () {
      const Samples = ArraySchema.sparse({
        dims: { index: Dim.int64([1, 10]), name: Dim.ascii() },
        attrs: { value: Attr.int64() },
        labels: { l1: { dim: "index", type: "string_ascii", order: "increasing" } },
      })
      const made = yield* TileArray.create("mem://samples", Samples)
      const index = Array.from({ length: 10 }, (_, i) => i + 1)
      const cells = { index, name: letters, value: index.map((i) => 10 + i) }
      yield* Sparse.write(made, { ...cells, l1: letters })
      const array = yield* TileArray.reopen(made)
      const { columns } = yield* Sparse.read(array, { region: { l1: ["d", "g"] }, select: ["value"] })
      assertEquals(columns.value, BigInt64Array.of(14n, 15n, 16n))
      assertEquals((yield* Sparse.read(array, { region: { l1: "x" } })).length, 0)
      assertEquals(Cells.texts((yield* TileArray.readLabel(array, "l1")).labels), letters)
      assertEquals(
        yield* Sparse.aggregate(array, { n: Aggregate.count() }, { region: { l1: [null, "c"] } }),
        { n: 2 },
      )
      const gap = yield* Effect.flip(
        Sparse.write(made, { index: [1, 3], name: ["a", "b"], value: [1, 2], l1: ["a", "b"] }),
      )
      assertStringIncludes(gap.message, 'l1: cell 1: the coordinate of "index" does not follow the previous one')
      yield* TileArray.writeLabels(made, { index: [1n, 2n] }, { l1: ["A", "B"] })
      assertEquals(
        Cells.texts((yield* TileArray.readLabel(yield* TileArray.reopen(made), "l1")).labels).slice(0, 3),
        ["A", "B", letters[2]],
      )
    })))
})

describe("written labels", () => {
  const Line = ArraySchema.dense({
    dims: { x: Dim.uint8([0, 9], { tile: 4 }) },
    attrs: { a: Attr.uint8() },
    labels: {
      up: { dim: "x", type: "float32", order: "increasing" },
      down: { dim: "x", type: "string_ascii", order: "decreasing" },
    },
  })

  it("have the order of the schema; otherwise the write fails and stores no cell or label", () =>
    inMemory(Effect.gen(function* () {
      const made = yield* TileArray.create("mem://line", Line)
      const a = [1, 2, 3]
      for (
        const [labels, why] of [
          [{ up: [1, 3, 2] }, "up: cell 2: it is less than the cell before"],
          [{ up: [1, 2, 3], down: ["c", "b", "bb"] }, "down: cell 2: it is greater than the cell before"],
          [{ up: [1, 2] }, "up: it has 2 cells, but 3 are to be written"],
          [{ down: [1, 2, 3] }, "down: cell 0"],
        ] as const
      ) {
        const error = yield* Effect.flip(Dense.write(made, { x: [2, 4] }, { a, ...labels }))
        assertStringIncludes(error.message, why)
        assertEquals((yield* TileArray.fragments(yield* TileArray.reopen(made))).length, 0)
        const own = yield* TileArray.open("mem://line/__labels/l0")
        assertEquals((yield* TileArray.fragments(own)).length, 0)
      }
      const other = yield* Effect.flip(TileArray.writeLabels(made, {}, { a } as never))
      assertStringIncludes(other.message, 'a: the array has no such label; it has "up", "down"')
      const outside = yield* Effect.flip(TileArray.writeLabels(made, { x: [8, 10] }, { up: [1, 2, 3] }))
      assertStringIncludes(outside.message, "x: [8, 10] is not inside the domain [0, 9]")
    })))

  /** Returns a text that decreases as the number increases. */
  const descendingText = (value: number): string => "z".repeat(20 - value)

  it("are selected by any ranges", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.array(FastCheck.integer({ min: -5, max: 5 }), { minLength: 10, maxLength: 10 }),
        FastCheck.array(FastCheck.tuple(FastCheck.integer({ min: -6, max: 6 }), FastCheck.nat(4)), { maxLength: 3 }),
        FastCheck.boolean(),
        (values, pairs, parts) =>
          inMemory(Effect.gen(function* () {
            const made = yield* TileArray.create("mem://line", Line)
            const up = [...values].sort((a, b) => a - b)
            const down = up.map(descendingText)
            if (parts) {
              yield* TileArray.writeLabels(made, { x: [5, 9] }, { up: up.slice(5), down: down.slice(5) })
              yield* TileArray.writeLabels(made, { x: [0, 4] }, { up: up.slice(0, 5), down: down.slice(0, 5) })
              yield* Dense.write(made, {}, { a: up.map((_, i) => i) })
            } else yield* Dense.write(made, {}, { a: up.map((_, i) => i), up, down })
            const array = yield* TileArray.reopen(made)
            const ranges = pairs.map(([low, length]) => [low, low + length] as const)
            const expected = up.flatMap((value, i) =>
              ranges.some(([low, high]) => low <= value && value <= high) ? [i] : []
            )
            const byUp = yield* Dense.read(array, { region: { up: ranges } })
            assertEquals(Array.from(byUp.columns.a), expected)
            const texts = ranges.map(([low, high]) => [descendingText(high), descendingText(low)] as const)
            const byDown = yield* Dense.read(array, { region: { down: texts } })
            assertEquals(Array.from(byDown.columns.a), expected)
          })),
      ),
      { numRuns: 40 },
    ))
})
