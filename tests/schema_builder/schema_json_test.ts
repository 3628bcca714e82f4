/** Schemas as JSON, of arrays, and of columns. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readdirSync } from "node:fs"
import { ArraySchema, Attr, Dense, Dim, Filter, SchemaError, Sparse, TileArray } from "../../mod.ts"
import { loadEnumerations } from "../../src/array/enumeration/enumerations.ts"
import { openArray } from "../../src/array/open/open.ts"
import { onEachStorage } from "../support/change_array.ts"
import { packedArrays } from "../support/packed_arrays.ts"
import { runOver } from "../support/run_bytes.ts"

const again = (schema: ArraySchema.ArraySchema): ArraySchema.ArraySchema =>
  ArraySchema.fromJson(JSON.parse(JSON.stringify(ArraySchema.toJson(schema))))

const filters = [Filter.byteshuffle(), Filter.zstd({ level: 5 })]
const whole = ArraySchema.sparse({
  dims: {
    when: Dim.datetime("ms", [0n, 1_000_000n], { tile: 10n, filters: [Filter.double_delta()] }),
    "2": Dim.float64([-0.5, 1e300]),
    "1": Dim.ascii({ filters: [Filter.rle()] }),
    long: Dim.uint64([0n, 2n ** 64n - 3n]),
  },
  attrs: {
    scaled: Attr.float32({
      filters: [Filter.scale_float({ scale: 0.5, offset: -1, byteWidth: 2 }), Filter.delta({ reinterpret: "int8" })],
    }),
    odd: Attr.fill(Attr.float64(), -0),
    nan: Attr.fill(Attr.float64(), Uint8Array.of(1, 0, 0, 0, 0, 0, 0xf8, 0x7f)),
    note: Attr.fill(Attr.nullable(Attr.utf8({ filters })), "é", { valid: true }),
    bytes: Attr.fill(Attr.ascii(), Uint8Array.of(0xff, 1)),
    many: Attr.fill(Attr.multiValue(Attr.int64(), 2), [1n, 2n ** 60n]),
    list: Attr.fill(Attr.nullable(Attr.varSized(Attr.uint16())), [1, 2, 3]),
    blob: Attr.blob(),
    code: Attr.enumerated(Attr.uint8({ filters: [Filter.rle()] }), "colors"),
    rank: Attr.enumerated(Attr.int32(), "ranks"),
  },
  order: "hilbert",
  tileOrder: "col-major",
  capacity: 7,
  allowsDuplicates: true,
  coordsFilters: [],
  offsetsFilters: filters,
  validityFilters: [Filter.bzip2({ level: 9 })],
  enumerations: {
    colors: { values: ["red", "", "a\0b"], ordered: true },
    ranks: Float64Array.of(1.5, -0, NaN),
    none: [],
  },
  currentDomain: { "1": ["a", "z"], "2": [0, 1], when: [5n, 500n] },
})

describe("schemas as JSON", () => {
  it("are equal after a round trip", () => {
    assertEquals(again(whole), whole)
    Schema.decodeUnknownSync(ArraySchema.SchemaJson, { onExcessProperty: "error" })(ArraySchema.toJson(whole))
    const picture = ArraySchema.dense({
      dims: { y: Dim.int32([1, 20], { tile: 4 }), x: Dim.int32([1, 90], { tile: 30 }) },
      attrs: { rgb: Attr.uint8({ filters: [Filter.webp({ format: "rgb", quality: 80, lossless: true })] }) },
      labels: {
        latitude: { dim: "y", type: "float64", order: "increasing" },
        name: {
          dim: "x",
          type: "string_ascii",
          order: "decreasing",
          filters: [Filter.dictionary(), Filter.zstd({ level: 9 })],
        },
      },
    })
    assertEquals(again(picture), picture)
    const ordered = ArraySchema.dense({
      dims: { i: Dim.int32([1, 20]) },
      attrs: { a: Attr.ordered(Attr.float64(), "decreasing") },
    })
    assertEquals(again(ordered), ordered)
  })

  it("omit defaults", () => {
    const json = {
      arrayType: "dense",
      dims: [{ name: "x", type: "int32", domain: [1, 5] }],
      attrs: [{ name: "a", type: "int8" }],
    }
    assertEquals(
      ArraySchema.fromJson(json),
      ArraySchema.dense({ dims: { x: Dim.int32([1, 5]) }, attrs: { a: Attr.int8() } }) as ArraySchema.ArraySchema,
    )
    const filter = (json: unknown) =>
      ArraySchema.fromJson({
        arrayType: "dense",
        dims: [{ name: "x", type: "int32", domain: [1, 5] }],
        attrs: [{ name: "a", type: "int32", filters: json }],
      }).attrs.a.filters
    assertEquals(filter([{ type: "gzip" }, { type: "delta" }]).filters, [Filter.gzip(), Filter.delta()])
    assertEquals(filter({ maxChunkSize: 5, filters: [] }), { maxChunkSize: 5, filters: [] })
  })

  it("are rejected with the location of the error", () => {
    const good = ArraySchema.toJson(whole)
    const dense = {
      arrayType: "dense",
      dims: [{ name: "x", type: "int32", domain: [1, 5] }],
      attrs: [{ name: "a", type: "int8" }],
    }
    for (
      const [json, field, why] of [
        [null, "", "Expected"],
        [{ ...good, arrayType: "square" }, "arrayType", "square"],
        [{ ...good, more: 1 }, "more", "is unexpected"],
        [{ ...good, capacity: "many" }, "capacity", "many"],
        [{ ...dense, dims: [{ name: "x", type: "int33", domain: [1, 5] }] }, "dims.0.type", "int33"],
        [{ ...dense, dims: [{ name: "x", type: "int32", domain: [1, 5.5] }] }, "x", "5.5 is not an integer"],
        [{ ...dense, dims: [{ name: "x", type: "int32" }] }, "x", "a domain must be a pair"],
        [{ ...dense, dims: [dense.dims[0], dense.dims[0]] }, "x", "two dimensions have this name"],
        [{ ...dense, attrs: [{ name: "x", type: "int8" }] }, "x", "may not have the same name"],
        [{ ...dense, attrs: [{ name: "a", type: "int8", fill: 300 }] }, "a", "300 does not fit into int8"],
        [{ ...dense, attrs: [{ name: "a", type: "int8", fill: [1, 2] }] }, "a", "2 bytes are not a cell of 1"],
        [{ ...dense, attrs: [{ name: "a", type: "int8", filters: [{ type: "zip" }] }] }, "a.filters.0", "zip"],
        [
          { ...dense, attrs: [{ name: "a", type: "int8", filters: [{ type: "gzip", level: "x" }] }] },
          "a.filters.0",
          "x",
        ],
        [{ ...dense, attrs: [{ name: "a", type: "int8", enumeration: "e" }] }, "a", 'unknown enumeration "e"'],
        [
          { ...dense, enumerations: [{ name: "e", type: "int32", values: [1, 1] }] },
          "enumeration e",
          "duplicate value",
        ],
        [
          { ...dense, enumerations: [{ name: "e", type: "int32", values: [null] }] },
          "enumeration e",
          "null is not a value",
        ],
        [{ ...dense, currentDomain: { y: [1, 2] } }, "y", "an unknown dimension"],
        [{ ...dense, currentDomain: { x: [0, 2] } }, "x", "exceeds the domain"],
        [
          { arrayType: "sparse", dims: [{ name: "x", type: "bool", domain: [0, 1] }], attrs: [] },
          "x",
          "dimensions are of numbers, dates, times or string_ascii, not of bool",
        ],
        [{ ...dense, labels: [{ name: "l", dim: "y", type: "int8", order: "increasing" }] }, "l", "unknown dimension"],
      ] as const
    ) {
      const error = assertThrows(() => ArraySchema.fromJson(json), SchemaError)
      assert(error.field.startsWith(field), `${error.field}: ${error.detail}`)
      assertStringIncludes(error.message, why)
    }
  })

  it("of all arrays that engines made are equal after a round trip", async () => {
    let count = 0
    for (const pack of readdirSync(new URL("../golden/data", import.meta.url)).map((file) => file.split(".")[0])) {
      for (const { files, path, key } of packedArrays(pack)) {
        const opened = await runOver(
          files,
          Effect.flatMap(
            openArray(`mem://${path}`, key === undefined ? {} : { key }),
            (array) =>
              Effect.map(
                loadEnumerations(array),
                (enumerations) => ArraySchema.fromStructure(array.schema, enumerations),
              ),
          ),
        )
        assert("value" in opened, path)
        const schema = opened.value
        try {
          ArraySchema.check(schema)
        } catch {
          continue
        }
        const json = again(schema)
        assertEquals(ArraySchema.toJson(json), ArraySchema.toJson(schema), path)
        // file names of enumerations are new, and sizes of pictures follow from the tiles
        const structure = (all: ArraySchema.ArraySchema) =>
          ArraySchema.toStructure({ ...all, enumerations: {} }, { version: 22 })
        assertEquals(structure(json), structure(schema), path)
        count++
      }
    }
    assert(count > 100, `${count} arrays`)
  })
})

describe("schemas of arrays", () => {
  onEachStorage("make an array like another one", (root) =>
    Effect.gen(function* () {
      yield* TileArray.create(`${root}/a`, whole)
      const schema = yield* Effect.flatMap(TileArray.open(`${root}/a`), ArraySchema.of)
      yield* TileArray.create(`${root}/b`, schema)
      const other = yield* Effect.flatMap(TileArray.open(`${root}/b`), ArraySchema.of)
      assertEquals(ArraySchema.toJson(other), ArraySchema.toJson(whole))
      assertEquals(ArraySchema.toJson(again(schema)), ArraySchema.toJson(whole))
    }))
})

describe("schemas of columns", () => {
  onEachStorage("store them: dense", (root) =>
    Effect.gen(function* () {
      const columns = {
        a: Float32Array.of(1, 2, 3, 4, 5, 6),
        b: ["x", "", null, "y", "z", "ö"],
        c: [1n, 2n, 3n, 4n, 5n, 6n],
        d: [true, false, true, true, null, false],
        e: [new Date(0), new Date(1), new Date(2), new Date(3), new Date(4), new Date(5)],
        f: [1, 2.5, NaN, 4, 5, 6],
      }
      const schema = ArraySchema.fromColumns(columns, {
        shape: { y: 2, x: 3 },
        tile: { x: 2 },
        filters: [Filter.zstd()],
      })
      const types = Object.values(schema.attrs).map(({ type, nullable }) => nullable ? `${type}?` : type)
      assertEquals(types, ["float32", "string_utf8?", "int64", "bool?", "datetime_ms", "float64"])
      assertEquals([schema.dims.y.domain, schema.dims.y.tile, schema.dims.x.tile], [[0, 1], 2, 2])
      const array = yield* TileArray.create(`${root}/a`, schema)
      yield* Dense.write(array, {}, columns)
      const read = (yield* Dense.read(yield* TileArray.reopen(array))).columns
      assertEquals([read.a, read.c, read.f], [columns.a, BigInt64Array.from(columns.c), Float64Array.from(columns.f)])
      assertEquals(read.b.validity, Uint8Array.of(1, 1, 0, 1, 1, 1))
    }))

  onEachStorage("store them: sparse", (root) =>
    Effect.gen(function* () {
      const columns = {
        x: Int16Array.of(5, -3, 7),
        name: ["c", "a", "b"],
        t: [new Date(50), new Date(10), new Date(20)],
        v: Uint8Array.of(1, 2, 3),
      }
      const schema = ArraySchema.fromColumns(columns, { dims: ["x", "name", "t"], domain: { x: [-10, 10] } })
      assertEquals([schema.dims.x.domain, schema.dims.name.domain, schema.dims.t.domain], [[-10, 10], null, [10n, 50n]])
      const array = yield* TileArray.create(`${root}/a`, schema)
      yield* Sparse.write(array, columns)
      const read = (yield* Sparse.read(yield* TileArray.reopen(array))).columns
      assertEquals([read.x, read.v], [Int16Array.of(-3, 5, 7), Uint8Array.of(2, 1, 3)])
    }))

  it("are rejected with the name of the column", () => {
    const make = ArraySchema.fromColumns as (columns: unknown, options: unknown) => unknown
    for (
      const [columns, options, why] of [
        [{ a: [1, "x"] }, { shape: { x: 2 } }, "a: the values have several types: 1 and x"],
        [{ a: [null, null] }, { shape: { x: 2 } }, "a: the datatype is unknown"],
        [{ a: new Uint8ClampedArray(2) }, { shape: { x: 2 } }, "a: Uint8ClampedArray"],
        [{ a: "text" }, { shape: { x: 4 } }, "a: a column is a typed array or a list"],
        [{ a: [1, 2] }, { shape: { x: 3 } }, "a: it has 2 cells, the shape has 3"],
        [{ a: [1, 2], b: [1] }, { dims: ["a"] }, 'b: it has 1 cells, "a" has 2'],
        [{ a: [1, 2] }, { dims: ["x"] }, "x: no such column"],
        [{ a: [1, null] }, { dims: ["a"] }, "a: coordinates must not be null"],
        [{ a: [true] }, { dims: ["a"] }, "a: coordinates cannot be booleans"],
        [{ a: [1, NaN] }, { dims: ["a"] }, "a: a coordinate is NaN"],
        [{ a: new Int8Array() }, { dims: ["a"] }, "a: the domain is unknown"],
        [{ a: [1] }, { shape: { x: 0 } }, "it has 1 cells, the shape has 0"],
        [{ a: [1] }, {}, "dims (for a sparse array) or shape (for a dense one) is required"],
      ] as const
    ) assertStringIncludes(assertThrows(() => make(columns, options), SchemaError).message, why)
  })
})
