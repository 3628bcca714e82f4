/** What TypeScript refuses of schemas: `deno task check` is the test. */
import { describe, it } from "node:test"
import { assertThrows } from "@std/assert"
import { ArraySchema, Attr, Dim, Filter, SchemaError } from "../../mod.ts"

const x = Dim.int32([1, 100])

/** Declarations that are wrong by their types; what also is at run time is asserted below. */
const refused = {
  // @ts-expect-error bounds of int32 are numbers
  bigints: () => Dim.int32([1n, 2n]),
  // @ts-expect-error text is no bound of a float
  texts: () => Dim.float64(["a", "b"]),
  // @ts-expect-error utf8 is no datatype of a dimension
  utf8: () => Dim.utf8(),
  // @ts-expect-error no such unit
  unit: () => Attr.datetime("decade"),
  // @ts-expect-error an attribute is no dimension
  attribute: () => ArraySchema.dense({ dims: { x: Attr.int8() }, attrs: {} }),
  // @ts-expect-error a dimension is no attribute
  dimension: () => ArraySchema.dense({ dims: { x }, attrs: { y: x } }),
  // @ts-expect-error the Hilbert order is for sparse arrays
  hilbert: () => ArraySchema.dense({ dims: { x }, attrs: { a: Attr.int8() }, order: "hilbert" }),
  // @ts-expect-error dense arrays have every cell once
  duplicates: () => ArraySchema.dense({ dims: { x }, attrs: { a: Attr.int8() }, allowsDuplicates: true }),
  // @ts-expect-error a filter is made by its function
  filter: () => Attr.int8(Filter.zstd),
  // @ts-expect-error no such dimension
  current: () => ArraySchema.dense({ dims: { x }, attrs: { a: Attr.int8() }, currentDomain: { y: [1, 2] } }),
}

describe("schemas that are wrong by their types", () => {
  it("are refused at run time too", () => {
    for (const name of ["hilbert", "duplicates", "current"] as const) assertThrows(refused[name], SchemaError)
  })
})
