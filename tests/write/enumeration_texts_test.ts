/** Columns of enumerated attributes with texts in the place of codes. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  ArraySchema,
  Attr,
  Cells,
  Dense,
  Dim,
  layerMemory,
  layerNative,
  Sparse,
  StorageService,
  TileArray,
  WriteError,
} from "../../mod.ts"

const attrs = {
  color: Attr.nullable(Attr.enumerated(Attr.uint8(), "colors")),
  size: Attr.enumerated(Attr.int64(), "sizes"),
}
const enumerations = { colors: ["red", "größe", "", "1"], sizes: ["small", "large"] }
const Rows = ArraySchema.dense({ dims: { x: Dim.int32([0, 5], { tile: 3 }) }, attrs, enumerations })
const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 5], { tile: 3 }) }, attrs, enumerations })

const color = ["größe", null, "", 0, "1", undefined]
const size = ["small", "large", 1n, 0n, 1, "small"]
const EXPECTED = { color: [1, null, 2, 0, 3, null], size: [0n, 1n, 1n, 0n, 1n, 0n] }

const codes = (column: { readonly values: ArrayLike<number>; readonly validity: Uint8Array }) =>
  Array.from(column.values, (code, i) => column.validity[i] === 1 ? code : null)

const inMemory = <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof layers>>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, layers))
const layers = Layer.merge(layerMemory, layerNative)

describe("texts in columns of enumerated attributes", () => {
  it("become codes in dense arrays", () =>
    inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Rows)
      yield* Dense.write(array, {}, { color: color as Array<string | null>, size })
      const read = yield* Dense.read(yield* TileArray.reopen(array))
      assertEquals({ color: codes(read.columns.color), size: [...read.columns.size] }, EXPECTED)
      const opened = yield* TileArray.open("mem://a")
      const resolved = yield* Cells.resolveAll(opened, (yield* Dense.read(opened)).columns)
      assertEquals(Cells.texts(resolved.color), ["größe", null, "", "red", "1", null])
    })))

  it("become codes in sparse arrays, in batches, and after an enumeration is extended", () =>
    inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Points)
      yield* Effect.scoped(Effect.gen(function* () {
        const writer = yield* Sparse.writer(array)
        for (let x = 0; x < 6; x++) {
          yield* writer.write({ x: [x], color: [color[x] as string | null], size: [size[x]] })
        }
        yield* writer.commit
      }))
      const read = yield* Sparse.read(yield* TileArray.reopen(array))
      assertEquals({ color: codes(read.columns.color), size: [...read.columns.size] }, EXPECTED)
      const write = (opened: typeof array) => Sparse.write(opened, { x: [0], color: ["blue"], size: ["small"] })
      assert((yield* Effect.flip(write(array))) instanceof WriteError)
      yield* TileArray.evolve("mem://a", { extendEnumerations: { colors: ["blue"] } })
      yield* write(yield* TileArray.reopen(array))
      const after = yield* Sparse.read(yield* TileArray.reopen(array))
      assertEquals(after.columns.color.values[0], 4)
    })))

  it("are rejected if they are not values, before anything is written", () =>
    inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Points)
      const storage = yield* StorageService
      const reject = (texts: ReadonlyArray<string | null>) =>
        Effect.flip(Sparse.write(array, { x: [1, 2], color: texts, size: [0, 0] }))
      for (
        const [texts, cell, message] of [
          [["red", "rde"], 1, 'color: cell 1: "rde" is not a value of the enumeration "colors"; did you mean "red"?'],
          [
            ["Größe", null],
            0,
            'color: cell 0: "Größe" is not a value of the enumeration "colors"; did you mean "größe"?',
          ],
          [
            [null, "turquoise"],
            1,
            'color: cell 1: "turquoise" is not a value of the enumeration "colors", which has "red", "größe", "", "1"',
          ],
        ] as const
      ) {
        const error = yield* reject(texts)
        assert(error instanceof WriteError, String(error))
        assertEquals([error.field, error.cell, error.reason], ["color", cell, "InvalidValue"])
        assertEquals(error.message, `mem://a: ${message}`)
      }
      assertEquals(yield* storage.list("mem://a/__fragments"), [])
    })))

  it("do not exist in enumerations of numbers: cells are codes", () =>
    inMemory(Effect.gen(function* () {
      const schema = ArraySchema.sparse({
        dims: { x: Dim.int32([0, 5]) },
        attrs: { width: Attr.enumerated(Attr.uint8(), "widths") },
        enumerations: { widths: Int32Array.of(36, 38, 40) },
      })
      const array = yield* TileArray.create("mem://a", schema)
      yield* Sparse.write(array, { x: [1, 2], width: [2, 0] })
      const error = yield* Effect.flip(Sparse.write(array, { x: [1, 2], width: [36, 38] }))
      assert(error instanceof WriteError)
      assertEquals([error.cell, error.reason], [0, "InvalidValue"])
    })))
})
