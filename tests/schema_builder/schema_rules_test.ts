/** Invalid schemas are rejected when they are created, with the name of the field. */
import { describe, it } from "node:test"
import { assertEquals, assertThrows } from "@std/assert"
import { ArraySchema, Attr, Dim, Filter, SchemaError } from "../../mod.ts"

const x = Dim.int32([1, 100], { tile: 10 })
const a = Attr.float32()

/** Returns the field and the reason of a rejected schema. */
const refusal = (make: () => unknown): string => {
  const error = assertThrows(make, SchemaError)
  assertEquals((error as SchemaError)._tag, "SchemaError")
  return (error as SchemaError).message
}
const dense = (dims: ArraySchema.Dimensions, attrs: ArraySchema.Attributes = { a }) => () =>
  ArraySchema.dense({ dims, attrs })
const sparse = (dims: ArraySchema.Dimensions, attrs: ArraySchema.Attributes = { a }) => () =>
  ArraySchema.sparse({ dims, attrs })

describe("schemas refuse dimensions", () => {
  const cases: ReadonlyArray<readonly [string, () => unknown, string]> = [
    ["if there are no dimensions", dense({}), "dims: an array has at least one dimension"],
    ["of floats in dense arrays", dense({ lat: Dim.float64([0, 1]) }), "lat: a dense array has dimensions of integers"],
    ["of text in dense arrays", dense({ s: Dim.ascii() }), "s: a dense array has dimensions of integers"],
    ["of two datatypes in dense arrays", dense({ x, y: Dim.int64([0, 9]) }), "y: all dimensions of a dense array"],
    ["whose bounds do not fit", dense({ x: Dim.int8([0, 300]) }), "x: domain: 300 does not fit into int8"],
    ["whose bounds are not integers", dense({ x: Dim.int32([0, 1.5]) }), "x: domain: 1.5 is not an integer"],
    ["whose bounds are not dates", dense({ d: Dim.datetime("day", ["2024-02-30", "2025-01-01"]) }), "d: domain: "],
    ["that end before they start", dense({ x: Dim.int32([5, 1]) }), "x: the domain [5, 1] ends before it starts"],
    [
      "of all of a datatype",
      dense({ x: Dim.uint8([0, 255], { tile: 5 }) }),
      "x: the domain cannot be the full range of uint8",
    ],
    ["without an end", sparse({ x: Dim.float32([0, Infinity]) }), "x: the domain [0, Infinity] has a bound"],
    ["of NaN", sparse({ x: Dim.float64([NaN, 1]) }), "x: the domain [NaN, 1] has a bound"],
    ["with a tile extent of 0", dense({ x: Dim.int32([0, 9], { tile: 0 }) }), "x: invalid tile extent 0"],
    ["with a negative tile extent", sparse({ x: Dim.float32([0, 9], { tile: -1 }) }), "x: invalid tile extent -1"],
    [
      "with a tile extent above the length",
      dense({ x: Dim.int32([0, 9], { tile: 11 }) }),
      "x: the tile extent 11 exceeds",
    ],
    [
      "whose default tile extent is too large",
      dense({ x: Dim.int8([-100, 100]) }),
      "x: the default tile extent (201) exceeds",
    ],
    [
      "whose last tile exceeds the datatype",
      dense({ x: Dim.int64([0n, 2n ** 63n - 2n], { tile: 10 }) }),
      "x: the last tile ends at 9223372036854775809, out of the range of int64",
    ],
    [
      "with filters that do not support them",
      sparse({ x: Dim.float32([0, 1], { filters: [Filter.double_delta()] }) }),
      "x: filter 0, double_delta, does not support float32",
    ],
    [
      "that inherit such filters from the schema",
      () => ArraySchema.sparse({ dims: { x: Dim.float32([0, 1]) }, attrs: {}, coordsFilters: [Filter.double_delta()] }),
      "x: coordsFilters contain double_delta",
    ],
    [
      "of text with rle after another filter",
      () => ArraySchema.sparse({ dims: { s: Dim.ascii() }, attrs: {}, coordsFilters: [Filter.zstd(), Filter.rle()] }),
      "s (coordsFilters): rle must be the first filter",
    ],
  ]
  for (const [name, make, reason] of cases) it(name, () => assertEquals(refusal(make).slice(0, reason.length), reason))

  it("but accept long ones of sparse arrays without tile extent", () => {
    const { dims } = ArraySchema.sparse({ dims: { x: Dim.int8([-100, 100]) }, attrs: {} })
    assertEquals(dims.x.tile, null)
  })
})

describe("schemas refuse attributes", () => {
  const cases: ReadonlyArray<readonly [string, () => unknown, string]> = [
    [
      "if there are no attributes, in dense arrays",
      dense({ x }, {}),
      "attrs: a dense array has at least one attribute",
    ],
    ["with the name of a dimension", dense({ x }, { x: a }), "x: an attribute and a dimension may not have the same"],
    ["with names of the engine", dense({ x }, { __a: a }), "__a: names that start with __"],
    [
      "of any in cells of one size",
      dense({ x }, { a: Attr.multiValue(Attr.any(), 2) }),
      "a: cells of any are var-sized",
    ],
    ["with no values in a cell", dense({ x }, { a: Attr.multiValue(a, 0) }), "a: cellValNum: 0 is not a valid number"],
    ["with fill values that do not fit", dense({ x }, { a: Attr.fill(Attr.uint8(), 256) }), "a: fill value: 256 does"],
    [
      "with half a fill value",
      dense({ x }, { a: Attr.fill(a, Uint8Array.of(1)) }),
      "a: fill value: 1 bytes are not a cell",
    ],
    ["with an empty fill value", dense({ x }, { a: Attr.fill(Attr.utf8(), "") }), "a: fill value: 0 bytes"],
    [
      "whose fill value is valid though they have no nulls",
      dense({ x }, { a: Attr.fill(a, 1, { valid: true }) }),
      "a: only the fill value of a nullable attribute",
    ],
    [
      "with rle after another filter on text",
      dense({ x }, { s: Attr.utf8({ filters: [Filter.zstd(), Filter.rle()] }) }),
      "s: rle must be",
    ],
    [
      "with filters that do not support each other's output",
      dense({ x }, { a: Attr.int32({ filters: [Filter.delta({ reinterpret: "float32" })] }) }),
      "a: filter 0, delta, does not support int32: floats are not supported",
    ],
    [
      "with bit width reduction of floats",
      dense({ x }, { a: Attr.float32({ filters: [Filter.byteshuffle(), Filter.bit_width_reduction()] }) }),
      "a: filter 1, bit_width_reduction, does not support float32 (the output of filter 0, byteshuffle)",
    ],
    [
      "with scales of small values",
      dense({ x }, { a: Attr.int16({ filters: [Filter.scale_float()] }) }),
      "a: filter 0, scale_float",
    ],
    [
      "with pictures of incomplete pixels",
      dense({ x, y: x }, { a: Attr.uint8({ filters: [Filter.webp({ format: "rgb" })] }) }),
      "a: webp: 10 columns per tile are not a multiple of the pixel size 3",
    ],
    [
      "with pictures in one dimension",
      dense({ x }, { a: Attr.uint8({ filters: [Filter.webp({ format: "rgb" })] }) }),
      "a: webp: pictures",
    ],
    [
      "with pictures in sparse arrays",
      sparse({ x }, { a: Attr.uint8({ filters: [Filter.webp({ format: "rgb" })] }) }),
      "a: webp: only",
    ],
    [
      "that are ordered and sparse",
      sparse({ x }, { a: Attr.ordered(a, "increasing") }),
      "a: ordered attributes belong to",
    ],
    [
      "that are ordered and nullable",
      dense({ x }, { a: Attr.ordered(Attr.nullable(a), "increasing") }),
      "a: an ordered attribute is not nullable",
    ],
    [
      "with unknown enumerations",
      dense({ x }, { a: Attr.enumerated(a, "e") }),
      "a: unknown enumeration",
    ],
    [
      "of floats with enumerations",
      () => ArraySchema.dense({ dims: { x }, attrs: { a: Attr.enumerated(a, "e") }, enumerations: { e: ["p"] } }),
      "a: codes of an enumeration are integers, not float32",
    ],
    [
      "too narrow for their enumeration",
      () =>
        ArraySchema.dense({
          dims: { x },
          attrs: { a: Attr.enumerated(Attr.int8(), "e") },
          enumerations: { e: Int32Array.from({ length: 127 }, (_, i) => i) },
        }),
      'a: int8 is too narrow for the 127 values of "e"',
    ],
  ]
  for (const [name, make, reason] of cases) it(name, () => assertEquals(refusal(make).slice(0, reason.length), reason))
})

describe("schemas refuse options", () => {
  const made = (options: object) => () => ArraySchema.sparse({ dims: { x }, attrs: { a }, ...options })
  const cases: ReadonlyArray<readonly [string, () => unknown, string]> = [
    ["a capacity of 0", made({ capacity: 0 }), "capacity: invalid capacity 0"],
    ["a fractional capacity", made({ capacity: 1.5 }), "capacity: invalid capacity 1.5"],
    ["invalid cell orders", made({ order: "unordered" }), "order: invalid cell order unordered"],
    ["tiles in Hilbert order", made({ tileOrder: "hilbert" }), "tileOrder: invalid tile order hilbert"],
    [
      "cells of dense arrays in Hilbert order",
      () => ArraySchema.dense({ dims: { x }, attrs: { a }, order: "hilbert" as "row-major" }),
      "order: the Hilbert order is for sparse arrays",
    ],
    [
      "the Hilbert order of many dimensions",
      () =>
        ArraySchema.sparse({
          dims: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`d${i}`, x])),
          attrs: {},
          order: "hilbert",
        }),
      "order: the Hilbert order supports at most 16 dimensions, not 17",
    ],
    [
      "duplicates in dense arrays",
      () => ArraySchema.dense({ dims: { x }, attrs: { a }, allowsDuplicates: true } as never),
      "allowsDuplicates: dense arrays do not support duplicates",
    ],
    [
      "duplicate values in an enumeration",
      made({ enumerations: { e: ["p", "p"] } }),
      'enumeration e: duplicate value "p"',
    ],
    ["enumerations without a name", made({ enumerations: { "": ["p"] } }), "enumeration : an enumeration needs a name"],
    [
      "enumerations that are too large",
      made({ enumerations: { e: ["p".repeat(11 * 2 ** 20)] } }),
      "enumeration e: the size is 11534344 bytes",
    ],
    [
      "a current domain outside the domain",
      made({ currentDomain: { x: [0, 9] } }),
      "x: the current domain [0, 9] exceeds",
    ],
    ["a current domain of other dimensions", made({ currentDomain: { y: [0, 9] } }), "y: the current domain names"],
    [
      "a current domain without text",
      () => ArraySchema.sparse({ dims: { x, s: Dim.ascii() }, attrs: {}, currentDomain: { x: [1, 9] } }),
      "s: the current domain requires a range",
    ],
    [
      "enumerations whose file has no name",
      () => ArraySchema.toStructure(ArraySchema.dense({ dims: { x }, attrs: { a }, enumerations: { e: ["p"] } })),
      "enumeration e: the file name is missing",
    ],
  ]
  for (const [name, make, reason] of cases) it(name, () => assertEquals(refusal(make).slice(0, reason.length), reason))
})

describe("schemas", () => {
  it("accept sparse arrays of coordinates alone", () => {
    assertEquals(ArraySchema.sparse({ dims: { x }, attrs: {} }).attributeNames, [])
  })

  it("keep fill values of every form", () => {
    const fills = (attribute: Attr.Attribute) => [...attribute.fillValue]
    assertEquals(fills(Attr.fill(Attr.int16(), -2)), [254, 255])
    assertEquals(fills(Attr.fill(Attr.multiValue(Attr.uint8(), 3), 7)), [7, 7, 7])
    assertEquals(fills(Attr.fill(Attr.multiValue(Attr.uint8(), 3), [1, 2, 3])), [1, 2, 3])
    assertEquals(fills(Attr.fill(Attr.utf8(), "né")), [110, 195, 169])
    assertEquals(fills(Attr.fill(Attr.datetime("day"), new Date("1970-01-03"))), [2, 0, 0, 0, 0, 0, 0, 0])
    assertEquals(Attr.fill(Attr.nullable(Attr.uint8()), 9, { valid: true }).fillValueValidity, 1)
  })

  it("encode the values of enumerations like their file", () => {
    const schema = ArraySchema.dense({
      dims: { x },
      attrs: { a: Attr.enumerated(Attr.uint8(), "names"), b: Attr.enumerated(Attr.int16(), "sizes") },
      enumerations: { names: ["ab", "", "c"], sizes: { values: Float32Array.of(0.5, 2), ordered: true } },
    })
    const files = ArraySchema.enumerationsOf(schema, { enumerationFile: (name) => `__${name}_0` })
    assertEquals(files[0], {
      version: 0,
      name: "names",
      fileName: "__names_0",
      type: "string_utf8",
      cellValNum: 0xffffffff,
      ordered: false,
      data: Uint8Array.of(97, 98, 99),
      offsets: Float64Array.of(0, 2, 2),
    })
    assertEquals([files[1].type, files[1].ordered, files[1].data.length, files[1].offsets], ["float32", true, 8, null])
  })

  it("do not change if their input is modified", () => {
    const dims = { x }
    const schema = ArraySchema.dense({ dims, attrs: { a } })
    ;(dims as Record<string, unknown>).y = x
    assertEquals(schema.dimensionNames, ["x"])
    assertEquals(Object.keys(schema.dims), ["x"])
  })
})
