/** Schemas that TypeScript rejects: `deno task check` is the test. */
import { describe, it } from "node:test"
import { assertThrows } from "@std/assert"
import { ArraySchema, Attr, Dim, Filter, SchemaError } from "../../mod.ts"
import { exactly } from "./equal.ts"

const x = Dim.int32([1, 100])

/** Declarations with type errors; those that also fail at run time are tested below. */
const refused = {
  // @ts-expect-error bounds of int32 are numbers
  bigints: () => Dim.int32([1n, 2n]),
  // @ts-expect-error text is not a bound of a float
  texts: () => Dim.float64(["a", "b"]),
  // @ts-expect-error utf8 is not a datatype of a dimension
  utf8: () => Dim.utf8(),
  // @ts-expect-error no such unit
  unit: () => Attr.datetime("decade"),
  // @ts-expect-error an attribute is not a dimension
  attribute: () => ArraySchema.dense({ dims: { x: Attr.int8() }, attrs: {} }),
  // @ts-expect-error a dimension is not an attribute
  dimension: () => ArraySchema.dense({ dims: { x }, attrs: { y: x } }),
  // @ts-expect-error the Hilbert order is for sparse arrays
  hilbert: () => ArraySchema.dense({ dims: { x }, attrs: { a: Attr.int8() }, order: "hilbert" }),
  // @ts-expect-error dense arrays do not support duplicates
  duplicates: () => ArraySchema.dense({ dims: { x }, attrs: { a: Attr.int8() }, allowsDuplicates: true }),
  // @ts-expect-error a filter is made by its function
  filter: () => Attr.int8({ filters: [Filter.zstd] }),
  // @ts-expect-error no such dimension
  current: () => ArraySchema.dense({ dims: { x }, attrs: { a: Attr.int8() }, currentDomain: { y: [1, 2] } }),
  labels: () =>
    // @ts-expect-error no such dimension
    ArraySchema.dense({ dims: { x }, attrs: {}, labels: { l: { dim: "y", type: "int8", order: "increasing" } } }),
  // @ts-expect-error no such column
  columns: () => ArraySchema.fromColumns({ a: Int8Array.of(1) }, { dims: ["b"] }),
}

describe("schemas that are wrong by their types", () => {
  it("are refused at run time too", () => {
    for (const name of ["hilbert", "duplicates", "current", "labels", "columns"] as const) {
      assertThrows(refused[name], SchemaError)
    }
  })
})

describe("schemas of columns", () => {
  const columns = { a: Float32Array.of(1), b: ["x", null], c: [1n], d: [new Date(0)], e: [true], f: [0.5] }

  it("know their fields", () => {
    const { attrs, dims } = ArraySchema.fromColumns({ ...columns, b: ["x"] }, { shape: { y: 1, x: 1 } })
    exactly<Attr.Attribute<"float32", false, 1>>()(attrs.a)
    exactly<Attr.Attribute<"string_utf8", false, "var">>()(attrs.b)
    exactly<Attr.Attribute<"int64", false, 1>>()(attrs.c)
    exactly<Attr.Attribute<"datetime_ms", false, 1>>()(attrs.d)
    exactly<Attr.Attribute<"bool", false, 1>>()(attrs.e)
    exactly<Attr.Attribute<"float64", false, 1>>()(attrs.f)
    exactly<Dim.Dimension<"int32">>()(dims.y)
  })

  it("know which are coordinates, and which may be null", () => {
    const { attrs, dims } = ArraySchema.fromColumns({ x: Int16Array.of(1, 2), name: ["a", "b"], b: columns.b }, {
      dims: ["x", "name"],
    })
    exactly<Dim.Dimension<"int16">>()(dims.x)
    exactly<Dim.Dimension<"string_ascii">>()(dims.name)
    exactly<{ readonly b: Attr.Attribute<"string_utf8", true, "var"> }>()(attrs)
  })
})
