/** Properties of enumerations that the tests of TileDB-Py verify, as cases of our own. */
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { ArraySchema, Attr, Cells, Dense, Dim, Sparse, TileArray } from "../../../mod.ts"
import type { Datatype } from "../../../schema/array/datatype.ts"
import { run } from "../../support/run_query.ts"

const dims = { d: Dim.int64([1, 5], { tile: 2 }) }

describe("enumerations in cases of the TileDB-Py tests", () => {
  const types: ReadonlyArray<Datatype> = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
  for (const type of [...types, "string_ascii", "string_utf8"] as ReadonlyArray<Datatype>) {
    it(`of ${type} are created empty, and extended later`, () =>
      run(Effect.gen(function* () {
        const schema = ArraySchema.dense({
          dims,
          attrs: { a: Attr.enumerated(Attr.int32(), "e") },
          enumerations: { e: { values: [], type } },
        })
        const uri = `mem://${type}`
        const made = yield* TileArray.create(uri, schema)
        const valuesOf = (array: TileArray.TileArray) =>
          Effect.map(
            TileArray.enumerations(array, ["e"]),
            ([e]) => [e.type, Cells.columnJson(Cells.enumerationColumn(e))],
          )
        assertEquals(yield* valuesOf(TileArray.undeclare(made)), [type, []])
        const text = type.startsWith("string")
        yield* TileArray.evolve(made, { extendEnumerations: { e: text ? ["a", "b", "c"] : [1, 2, 3] } })
        const expected = text ? ["a", "b", "c"] : type.endsWith("64") ? ["1", "2", "3"] : [1, 2, 3]
        assertEquals(yield* valuesOf(yield* TileArray.open(uri)), [type, expected])
      })))
  }

  it("are listed by the attributes that use them", () =>
    run(Effect.gen(function* () {
      const schema = ArraySchema.dense({
        dims,
        attrs: {
          one: Attr.enumerated(Attr.int32(), "numbers"),
          two: Attr.enumerated(Attr.int32(), "texts"),
          three: Attr.int32(),
        },
        enumerations: { numbers: [0, 10, 20], texts: ["a", "bb", "ccc"] },
      })
      const made = yield* TileArray.create("mem://three", schema)
      const codes = Int32Array.of(0, 2, 1, 1, 0)
      yield* Dense.write(made, {}, { one: codes, two: codes, three: codes })
      const array = yield* TileArray.open("mem://three")
      assertEquals(array.schema.attributes.map((a) => a.enumeration), ["numbers", "texts", ""])
      assertEquals((yield* TileArray.enumerations(array)).map((e) => e.name), ["numbers", "texts"])
      assertEquals(yield* TileArray.enumerations(array, ["nope"]), [])
      const { columns } = yield* Dense.read(array)
      const resolved = yield* Cells.resolveAll(array, columns)
      assertEquals([...resolved.one.values], [0, 20, 10, 10, 0])
      assertEquals(Cells.texts(resolved.two), ["a", "ccc", "bb", "bb", "a"])
      assertEquals([...resolved.three.values], [...codes])
    })))

  it("return nulls for null cells", () =>
    run(Effect.gen(function* () {
      const schema = ArraySchema.sparse({
        dims,
        attrs: { a: Attr.enumerated(Attr.nullable(Attr.int8()), "e") },
        enumerations: { e: ["alpha", "beta", "gamma"] },
      })
      const made = yield* TileArray.create("mem://nulls", schema)
      yield* Sparse.write(made, { d: [1, 2, 3, 4, 5], a: [1, 2, null, 0, 1] })
      const array = yield* TileArray.open("mem://nulls")
      const { columns } = yield* Sparse.read(array)
      const { a } = yield* Cells.resolveAll(array, columns)
      assertEquals(Cells.columnJson(a), ["beta", "gamma", null, "alpha", "beta"])
    })))
})
