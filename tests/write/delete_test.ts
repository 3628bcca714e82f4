import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import {
  ArraySchema,
  Attr,
  Condition,
  Dim,
  layerDefault,
  SchemaError,
  Sparse,
  TileArray,
  WriteError,
} from "../../mod.ts"

const Things = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 99], { tile: 10 }) },
  attrs: {
    a: Attr.int32(),
    n: Attr.nullable(Attr.float64()),
    s: Attr.utf8(),
    color: Attr.enumerated(Attr.int8(), "colors"),
    wide: Attr.utf16(),
    letter: Attr.multiValue(Attr.char(), 1),
    zero: Attr.float32(),
  },
  enumerations: { colors: ["red", "green", "blue"] },
})

const x = Int32Array.from({ length: 20 }, (_, i) => i)
const cells = {
  x,
  a: Int32Array.from(x, (i) => i * i % 13),
  n: { values: Float64Array.from(x, (i) => i / 2), validity: Uint8Array.from(x, (i) => i % 3 === 0 ? 0 : 1) },
  s: Array.from(x, (i) => ["", "ä", "b", "cc"][i % 4]),
  color: Int8Array.from(x, (i) => i % 3),
  wide: Array.from(x, (i) => Uint16Array.of(i)),
  letter: Int8Array.from(x, (i) => 97 + i),
  zero: Float32Array.from(x, (i) => [0, -0, 1, NaN][i % 4]),
}

const withThings = <A, E>(
  use: (
    after: (where: Parameters<typeof Sparse.delete<typeof Things>>[1]) => Effect.Effect<
      { readonly written: boolean; readonly left: ReadonlyArray<number> },
      unknown,
      Effect.Effect.Context<ReturnType<typeof Sparse.delete>>
    >,
  ) => Effect.Effect<A, E, Effect.Effect.Context<ReturnType<typeof Sparse.delete>>>,
): Promise<A> =>
  Effect.runPromise(Effect.provide(
    use((where) =>
      Effect.gen(function* () {
        const uri = `mem://things/${Math.random()}`
        yield* Sparse.write(yield* TileArray.create(uri, Things, { at: 1 }), cells, { at: 5 })
        const { commit } = yield* Sparse.delete(yield* TileArray.open(uri, Things), where, { at: 10 })
        const before = yield* TileArray.open(uri, Things, { at: 9 })
        assertEquals((yield* Sparse.read(before)).length, 20)
        const { columns } = yield* Sparse.read(yield* TileArray.open(uri, Things))
        return { written: commit !== undefined, left: [...columns.x] }
      })
    ),
    layerDefault,
  ))

const but = (removed: (i: number) => boolean) => [...x].filter((i) => !removed(i))
const color = (i: number) => ["red", "green", "blue"][i % 3]

describe("deletes by condition", () => {
  it("remove the cells that match, from then on", () =>
    withThings((after) =>
      Effect.gen(function* () {
        const cases: ReadonlyArray<[Parameters<typeof after>[0], (i: number) => boolean]> = [
          [Condition.gt("a", 5), (i) => cells.a[i] > 5],
          ["a in [1, 4] and s == 'b'", (i) => [1, 4].includes(cells.a[i]) && cells.s[i] === "b"],
          [Condition.eq("color", "red"), (i) => color(i) === "red"],
          ["color in ['red', 'pink']", (i) => color(i) === "red"],
          ["not (s != 'b' or x < 5)", (i) => cells.s[i] === "b" && i >= 5],
          ["x == None or a == 4", (i) => cells.a[i] === 4],
          ["s == ''", (i) => cells.s[i] === ""],
          ["s in ['']", (i) => cells.s[i] === ""],
          ["s in ['', 'b']", (i) => ["", "b"].includes(cells.s[i])],
          ["letter in ['a', 'bb', '']", (i) => i === 0],
          ["letter >= 'q'", (i) => i >= 16],
          ["zero in [0.0, 2]", (i) => i % 4 < 2],
          [Condition.notIn("zero", [0, NaN]), (i) => i % 4 >= 2],
          // a comparison with null matches
          ["n > 3", (i) => i / 2 > 3 || i % 3 === 0],
        ]
        for (const [where, removed] of cases) assertEquals(yield* after(where), { written: true, left: but(removed) })
      })
    ))

  it("write nothing if no cell can match", () =>
    withThings((after) =>
      Effect.gen(function* () {
        for (const where of ["color == 'pink'", "letter in ['bb', '']", "letter == ''"]) {
          assertEquals(yield* after(where), { written: false, left: [...x] })
        }
      })
    ))

  it("are rejected if engines could not read the array afterwards, or if the condition is invalid", () =>
    withThings((after) =>
      Effect.gen(function* () {
        for (
          const [where, reason] of [
            ["n == None", "test for null"],
            ["x >= 0 or n != None", "test for null"],
            ["not color == 'pink'", "every cell"],
            ["nope == 1", "it has a, n, s, color, wide, letter, zero, x"],
            ["wide == '7' or a > 3", "cannot look at string_utf16"],
            ["letter > 'bb'", "one character"],
          ] as const
        ) {
          const error = yield* Effect.flip(after(where))
          assert(error instanceof Error && error.message.includes(reason), String(error))
        }
        const grid = yield* TileArray.create(
          "mem://grid",
          ArraySchema.dense({ dims: { r: Dim.int32([0, 9], { tile: 5 }) }, attrs: { a: Attr.int32() } }),
        )
        const dense = yield* Effect.flip(Sparse.delete(TileArray.undeclare(grid), "a > 1"))
        assert(String(dense).includes("dense"), String(dense))
        const old = yield* TileArray.create("mem://old", Things2, { formatVersion: 15 })
        const early = yield* Effect.flip(Sparse.delete(old, "a > 1"))
        assert(String(early).includes("format version 16"), String(early))
      })
    ))

  it("are rejected if engines would delete cells that are older than an attribute", () =>
    withThings(() =>
      Effect.gen(function* () {
        const uri = "mem://evolved"
        yield* Sparse.write(yield* TileArray.create(uri, Things2, { at: 1 }), { x: [1, 2], a: [1, 2] }, { at: 2 })
        yield* TileArray.evolve(uri, { addAttributes: { b: Attr.int32() } }, { at: 3 })
        yield* Sparse.write(yield* TileArray.open(uri), { x: [3, 4], a: [3, 4], b: [3, 4] }, { at: 5 })
        const left = Effect.map(
          Effect.flatMap(TileArray.open(uri), Sparse.read),
          ({ columns }) => [...columns.x.values],
        )
        const remove = (where: string, at: number) =>
          Effect.flatMap(TileArray.open(uri), (array) => Sparse.delete(array, where, { at }))
        for (const where of ["b == 3", "a == 1 and b != 3", "a == 1 or b > 100"]) {
          for (const at of [4, 6]) {
            const error = yield* Effect.flip(remove(where, at))
            assert(error instanceof WriteError && error.field === "b", String(error))
            assert(error.message.includes("older than this attribute"), error.message)
          }
        }
        assertEquals(yield* left, [1, 2, 3, 4])
        yield* remove("a in [1, 3]", 6)
        assertEquals(yield* left, [2, 4])
        // nor can an attribute be dropped that a delete condition uses
        const error = yield* Effect.flip(TileArray.evolve(uri, { dropAttributes: ["a"] }, { at: 7 }))
        assert(error instanceof SchemaError && error.field === "a", String(error))
        assert(error.message.includes("a delete condition uses this attribute"), error.message)
        yield* TileArray.evolve(uri, { dropAttributes: ["b"], addAttributes: { c: Attr.int8() } }, { at: 7 })
        assertEquals(yield* left, [2, 4])
        yield* TileArray.evolve(uri, { dropAttributes: ["c"], addAttributes: { b: Attr.int32() } }, { at: 8 })
        // in a copy, all cells have the attribute
        yield* TileArray.copy(yield* TileArray.open(uri), "mem://copy")
        yield* Sparse.delete(yield* TileArray.open("mem://copy"), "b == 4")
        assertEquals([...(yield* Sparse.read(yield* TileArray.open("mem://copy"))).columns.x.values], [2])
      })
    ))
})

const Things2 = ArraySchema.sparse({ dims: { x: Dim.int32([0, 9], { tile: 5 }) }, attrs: { a: Attr.int32() } })
