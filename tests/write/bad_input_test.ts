/**
 * Invalid input: every way to write rejects it with the field and the cell, and stores no part of the write.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import {
  ArraySchema,
  Attr,
  type Codecs,
  Dense,
  Dim,
  Filter,
  layerNative,
  RowError,
  Sparse,
  type StorageService,
  TileArray,
  WriteError,
} from "../../mod.ts"
import { Storage } from "../../platform/storage/service.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"

type Columns = Readonly<Record<string, unknown>>
type Way = (array: TileArray.TileArray, columns: Columns) => Effect.Effect<unknown, unknown, StorageService | Codecs>

/** The rejected input: the field, the cell, and a part of the reason. */
type Refusal = readonly [field: string, cell: number | undefined, reason: string]

const box = { x: [1, 4] } as never
const denseWays: Readonly<Record<string, Way>> = {
  "Dense.write": (array, columns) => Dense.write(array, box, columns as never),
  "Dense.write in global order": (array, columns) => Dense.write(array, box, columns as never, { order: "global" }),
  "Dense.writer": (array, columns) =>
    Effect.scoped(
      Effect.flatMap(
        Dense.writer(array, box),
        (writer) => Effect.zipRight(writer.write(columns as never), writer.commit),
      ),
    ),
  "Dense.sink": (array, columns) => Stream.run(Stream.make(columns as never), Dense.sink(array, box)),
}
const sparseWays: Readonly<Record<string, Way>> = {
  "Sparse.write": (array, columns) => Sparse.write(array, columns as never),
  "Sparse.write in global order": (array, columns) => Sparse.write(array, columns as never, { order: "global" }),
  "Sparse.writer": (array, columns) =>
    Effect.scoped(
      Effect.flatMap(Sparse.writer(array), (writer) => Effect.zipRight(writer.write(columns as never), writer.commit)),
    ),
  "Sparse.writer in global order": (array, columns) =>
    Effect.scoped(
      Effect.flatMap(Sparse.writer(array, { order: "global" }), (writer) =>
        Effect.zipRight(writer.write(columns as never), writer.commit)),
    ),
  "Sparse.sink": (array, columns) => Stream.run(Stream.make(columns as never), Sparse.sink(array)),
}

/** Tries every way to write columns into a new array. */
const refused = async (schema: ArraySchema.ArraySchema, columns: Columns, expected: Refusal, only?: string) => {
  const ways = schema.arrayType === "dense" ? denseWays : sparseWays
  for (const [name, way] of Object.entries(ways)) {
    if (only !== undefined && !name.includes(only)) continue
    const files = new Map<string, Uint8Array>()
    const storage = makeMemoryStorage(files)
    const program = Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", schema)
      const before = [...files.keys()]
      const error = yield* Effect.flip(way(array as unknown as TileArray.TileArray, columns))
      assert(error instanceof WriteError, `${name}: ${String(error)}`)
      assertEquals(
        [error.uri, error.field, error.cell],
        ["mem://a", expected[0], expected[1]],
        `${name}: ${error.message}`,
      )
      assertStringIncludes(error.message, expected[2], name)
      assertEquals([...files.keys()], before, name)
    })
    await Effect.runPromise(Effect.provide(program, Layer.merge(Layer.succeed(Storage, storage), layerNative)))
  }
}

const x = Dim.int32([1, 4], { tile: 2 })
const four = Int32Array.of(1, 2, 3, 4)
const dense = (a: Parameters<typeof Attr.fill>[0]) => ArraySchema.dense({ dims: { x }, attrs: { a } })
const words = (...offsets: ReadonlyArray<number>) => ({
  values: new TextEncoder().encode("abcd"),
  offsets: Uint32Array.from(offsets),
})

describe("invalid dense cells", () => {
  const cases: ReadonlyArray<readonly [string, ArraySchema.ArraySchema, Columns, Refusal]> = [
    ["too few", dense(Attr.int32()), { a: Int32Array.of(1, 2, 3) }, ["a", undefined, "it has 3 cells"]],
    ["of another type", dense(Attr.int32()), { a: Float64Array.of(1, 2, 3, 4) }, ["a", undefined, "Float64Array"]],
    ["with offsets that fall", dense(Attr.utf8()), { a: words(0, 2, 1, 3, 4) }, ["a", 1, "offsets never fall"]],
    ["with offsets past the end", dense(Attr.utf8()), { a: words(0, 1, 2, 3, 9) }, ["a", 3, "there are 4 values"]],
    ["of an unknown field", dense(Attr.int32()), { a: four, b: four }, ["b", undefined, "no such field"]],
    ["with coordinates", dense(Attr.int32()), { a: four, x: four }, ["x", undefined, "omit the coordinates"]],
    ["without an attribute", dense(Attr.int32()), {}, ["a", undefined, "the column is missing"]],
    [
      "with nulls where none may be",
      dense(Attr.int32()),
      { a: { values: four, validity: Uint8Array.of(1, 1, 0, 1) } },
      ["a", 2, "the field is not nullable"],
    ],
    ["with a null in a list", dense(Attr.int32()), { a: [1, null, 3, 4] }, ["a", 1, "the field is not nullable"]],
    ["with a number that does not fit", dense(Attr.uint8()), { a: [1, 2, 256, 4] }, ["a", 2, "256"]],
    ["with a float that does not fit", dense(Attr.float32()), { a: [Infinity, "-Infinity", -4e38, 4] }, [
      "a",
      2,
      "-4e+38",
    ]],
    ["with a text of one", dense(Attr.float64()), { a: [1, 2, 3, "1e400"] }, ["a", 3, "does not fit into float64"]],
    ["with text that is not ASCII", dense(Attr.ascii()), { a: ["a", "b", "c", "ü"] }, ["a", 3, "not ASCII"]],
    [
      "with NaN where floats are scaled",
      dense(Attr.float64({ filters: [Filter.scale_float({ scale: 0.1 })] })),
      { a: Float64Array.of(1, 2, NaN, 4) },
      ["a", 2, "the filter scale_float cannot scale NaN to an integer"],
    ],
    [
      "with a code that the enumeration lacks",
      ArraySchema.dense({
        dims: { x },
        attrs: { a: Attr.enumerated(Attr.int8(), "e") },
        enumerations: { e: ["no", "yes"] },
      }),
      { a: Int8Array.of(0, 1, -1, 2) },
      ["a", 2, "-1 is not a code of the enumeration e, which has 2 values"],
    ],
  ]
  for (const [name, schema, columns, expected] of cases) {
    // batches may have any size: too few cells are reported at the end
    const of = name === "too few" ? "Dense.write" : undefined
    it(name, () => refused(schema, columns, expected, of === undefined ? undefined : "Dense.write in"))
  }

  it("columns that are not an object", async () => {
    for (const columns of [null, undefined, 5]) {
      await refused(dense(Attr.int32()), columns as never, ["", undefined, `the columns are ${columns}`])
      await refused(ArraySchema.sparse({ dims: { x }, attrs: {} }), columns as never, ["", undefined, "by the names"])
    }
  })

  it("boxes outside the domain", async () => {
    for (
      const [box, reason] of [[[0, 3], "not inside the domain"], [[3, 2], "before it starts"], [[1, 2, 3], "pair"]]
    ) {
      const program = Effect.gen(function* () {
        const array = yield* TileArray.create("mem://a", dense(Attr.int32()))
        for (
          const write of [
            Dense.write(array, { x: box } as never, { a: four }),
            Dense.writer(array, { x: box } as never),
          ]
        ) {
          const error = yield* Effect.flip(Effect.scoped(write as Effect.Effect<unknown, unknown, never>))
          assert(error instanceof WriteError, String(error))
          assertEquals([error.field, error.cell], ["x", undefined])
          assertStringIncludes(error.message, reason as string)
        }
      })
      const storage = Layer.succeed(Storage, makeMemoryStorage(new Map()))
      await Effect.runPromise(Effect.provide(program as never, Layer.merge(storage, layerNative)))
    }
  })
})

describe("values that a filter cannot encode", () => {
  const cases: ReadonlyArray<readonly [string, Parameters<typeof Attr.fill>[0], unknown, Refusal]> = [
    [
      "positive delta, going down",
      Attr.int32({ filters: [Filter.positive_delta()] }),
      Int32Array.of(1, 5, 9, 7),
      ["a", 3, "positive_delta cannot represent it"],
    ],
    [
      "double delta, past 64 bits",
      Attr.int64({ filters: [Filter.double_delta()] }),
      BigInt64Array.of(0n, (1n << 63n) - 1n, -(1n << 63n), 0n),
      ["a", 2, "double_delta cannot represent it"],
    ],
    [
      "delta after a filter with its own metadata",
      Attr.int64({ filters: [Filter.bit_width_reduction(), Filter.delta()] }),
      BigInt64Array.of(1n, 2n, 3n, 4n),
      ["a", undefined, "would be lost"],
    ],
    [
      "double delta after a filter with its own metadata",
      Attr.int64({ filters: [Filter.checksum_md5(), Filter.bit_width_reduction(), Filter.double_delta()] }),
      BigInt64Array.of(1n, 2n, 3n, 4n),
      ["a", undefined, "would be lost"],
    ],
    [
      "float scale, past the width",
      Attr.float64({ filters: [Filter.scale_float({ byteWidth: 1 })] }),
      Float64Array.of(1, 2, 3, 200),
      ["a", 3, "scale_float cannot represent it"],
    ],
  ]
  for (const [name, a, values, expected] of cases) {
    it(`${name}, in dense arrays`, () =>
      refused(
        ArraySchema.dense({ dims: { x: Dim.int32([1, 4], { tile: 4 }) }, attrs: { a } }),
        { a: values },
        expected,
      ))
    it(`${name}, in sparse arrays`, () =>
      refused(ArraySchema.sparse({ dims: { x }, attrs: { a } }), { x: four, a: values }, expected))
  }
})

describe("one value among many that a filter cannot encode", () => {
  const Grid = ArraySchema.dense({
    dims: { x: Dim.int32([1, 6], { tile: 2 }), y: Dim.int32([1, 6], { tile: 3 }) },
    attrs: { a: Attr.float64({ filters: [Filter.scale_float({ byteWidth: 1 })] }) },
  })
  const bad = (cells: number, at: number) => Float64Array.from({ length: cells }, (_, i) => i === at ? 200 : i)
  const refusal = (
    write: (array: TileArray.TileArray<typeof Grid>) => Effect.Effect<unknown, unknown, StorageService | Codecs>,
  ) => {
    const storage = Layer.succeed(Storage, makeMemoryStorage(new Map()))
    const program = Effect.flatMap(TileArray.create("mem://a", Grid), (array) => Effect.flip(write(array)))
    return Effect.runPromise(Effect.provide(program, Layer.merge(storage, layerNative)))
  }

  it("the error names its position among the cells of the box, in every order", async () => {
    for (const order of ["row", "col", "global"] as const) {
      for (const at of [0, 5, 13, 19]) {
        const error = await refusal((array) =>
          Dense.write(array, { x: [2, 6], y: [2, 5] }, { a: bad(20, at) }, { order })
        )
        assert(error instanceof WriteError)
        assertEquals([error.field, error.cell], ["a", at], `${order} ${at}`)
      }
    }
  })

  it("the error names its position among the cells of all batches", async () => {
    for (const order of ["row", "global"] as const) {
      for (const batch of [1, 7, 20]) {
        const error = await refusal((array) =>
          Effect.scoped(Effect.gen(function* () {
            const writer = yield* Dense.writer(array, { x: [2, 6], y: [2, 5] }, { order })
            const a = bad(20, 17)
            for (let from = 0; from < 20; from += batch) yield* writer.write({ a: a.subarray(from, from + batch) })
            return yield* writer.commit
          }))
        )
        assert(error instanceof WriteError, String(error))
        assertEquals([error.field, error.cell], ["a", 17], `${order} ${batch}`)
      }
    }
  })

  it("the error names its row", async () => {
    const Cell = Schema.Struct({ x: Schema.Number, y: Schema.Number, a: Schema.Number })
    const rows = Array.from(
      { length: 12 },
      (_, i) => ({ x: 6 - Math.floor(i / 6), y: 1 + i % 6, a: i === 7 ? 200 : i }),
    )
    const error = await refusal((array) => Dense.writeRows(array, rows, Cell))
    assert(error instanceof RowError, String(error))
    assertEquals([error.row, error.detail.slice(0, 3)], [7, "a: "])
  })
})

describe("invalid sparse cells", () => {
  const Points = ArraySchema.sparse({
    dims: { x: Dim.float64([0, 10], { tile: 5 }), s: Dim.ascii() },
    attrs: { a: Attr.nullable(Attr.uint8()) },
  })
  const good = { x: Float64Array.of(1, 2, 3), s: ["a", "b", "c"], a: [1, null, 3] }
  const cases: ReadonlyArray<readonly [string, Columns, Refusal]> = [
    ["outside the domain", { ...good, x: Float64Array.of(1, 11, 3) }, ["x", 1, "domain"]],
    ["at NaN", { ...good, x: Float64Array.of(1, 2, NaN) }, ["x", 2, "NaN"]],
    ["at null", { ...good, x: [1, 2, null] }, ["x", 2, "not nullable"]],
    ["at a string that is not ASCII", { ...good, s: ["a", "é", "c"] }, ["s", 1, "not ASCII"]],
    ["with too few coordinates", { ...good, s: ["a", "b"] }, ["s", undefined, "it has 2 cells, but x has 3"]],
    ["without a dimension", { x: good.x, a: good.a }, ["s", undefined, "the column is missing"]],
    ["without an attribute", { x: good.x, s: good.s }, ["a", undefined, "the column is missing"]],
    ["of an unknown field", { ...good, b: good.a }, ["b", undefined, "no such field"]],
    ["of another type", { ...good, x: Float32Array.of(1, 2, 3) }, ["x", undefined, "Float32Array"]],
    [
      "with invalid validity",
      { ...good, a: { values: Uint8Array.of(1, 2, 3), validity: Uint8Array.of(1, 3, 1) } },
      [
        "a",
        1,
        "validity is 0 or 1",
      ],
    ],
  ]
  for (const [name, columns, expected] of cases) it(name, () => refused(Points, columns, expected))

  it("with equal coordinates", () =>
    refused(Points, { x: Float64Array.of(1, 2, 2), s: ["a", "b", "b"], a: [1, 2, 3] }, ["", 2, ""]))

  it("out of order", () => refused(Points, { ...good, x: Float64Array.of(1, 7, 3) }, ["", 2, "order"], "global"))

  it("outside the current domain", () =>
    refused(
      ArraySchema.sparse({ dims: { x: Dim.int32([0, 99]) }, attrs: {}, currentDomain: { x: [0, 9] } }),
      { x: Int32Array.of(9, 10) },
      ["x", 1, "current domain"],
    ))
})
