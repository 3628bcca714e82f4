/** Schemas that can be decoded, but that no engine writes. */
import { describe, it } from "node:test"
import { assertEquals, assertStringIncludes } from "@std/assert"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import * as build from "../../support/build_array.ts"
import { answerOf, refusalOf } from "../../support/run_bytes.ts"

const x = build.dimension("x", "int32", 0, 99, 10)
const y = build.dimension("y", "int32", 0, 99, 10)
const dense = build.arraySchema({
  arrayType: "dense",
  dimensions: [x, y],
  attributes: [build.attribute("a", "int32")],
})
const sparse: ArraySchema = { ...dense, arrayType: "sparse" }
const fragment: build.FragmentParts = {
  time: 1,
  domain: build.rangesOf(dense.dimensions, [[0, 9], [0, 9]]),
  tileCount: 1,
  fields: { a: { fixed: [build.countingTile("int32", 100)] } },
}

const refused = async (stored: ArraySchema, reason: string): Promise<void> => {
  const fragments = stored.arrayType === "dense" ? [fragment] : []
  const base = stored.arrayType === "dense" ? dense : sparse
  const message = await refusalOf(build.buildArray("a", base, fragments, stored), "a", "FormatError", {
    order: "global",
  })
  assertStringIncludes(message, reason)
}

const withX = (schema: ArraySchema, dimension: Dimension): ArraySchema => ({ ...schema, dimensions: [dimension, y] })

describe("opening rejects schemas that no engine writes", () => {
  it("but accepts the valid schemas that they are made from", async () => {
    const { columns, shape } = await answerOf(build.buildArray("a", dense, [fragment]), "a")
    assertEquals(shape, [10, 10])
    assertEquals([...columns.a.values], Array.from({ length: 100 }, (_, i) => i))
  })

  for (const [type, low] of [["float32", 0.5], ["float64", NaN], ["char", 0], ["string_utf16", 0]] as const) {
    it(`a dense array of ${type} dimensions`, () =>
      refused(withX(dense, build.dimension("x", type, low, 99, 10)), "integers, dates or times"))
  }
  it("a dense array of string dimensions", () =>
    refused(withX(dense, build.stringDimension("x")), "integers, dates or times"))

  for (const schema of [dense, sparse]) {
    const kind = schema.arrayType
    it(`${kind}: a domain that ends before it starts`, () =>
      refused(withX(schema, build.dimension("x", "int32", 9, 0, 10)), "the domain [9, 0] is empty"))
    for (const extent of [0, -5]) {
      it(`${kind}: a tile extent of ${extent}`, () =>
        refused(withX(schema, build.dimension("x", "int32", 0, 99, extent)), `a tile extent of ${extent}`))
    }
    it(`${kind}: a 64-bit tile extent of 0`, () =>
      refused(
        withX(schema, build.dimension("x", "int64", -(2n ** 63n), 2n ** 63n - 1n, 0n)),
        "dimensions.0.tileExtent",
      ))
    for (const order of ["global", "unordered"] as const) {
      it(`${kind}: cells in ${order} order`, () => refused({ ...schema, cellOrder: order }, "cellOrder"))
      it(`${kind}: tiles in ${order} order`, () => refused({ ...schema, tileOrder: order }, "tileOrder"))
    }
    it(`${kind}: var-sized values with a fill that ends inside a value`, () =>
      refused({
        ...schema,
        attributes: [build.attribute("a", "int32", { cellValNum: VAR, fillValue: new Uint8Array(6) })],
      }, "attributes.0.fillValue"))
  }
  it("a dense array in Hilbert order", () => refused({ ...dense, cellOrder: "hilbert" }, "cellOrder"))
  it("sparse: a domain of NaN", () =>
    refused(withX(sparse, build.dimension("x", "float64", NaN, 1, 1)), "the domain [NaN, 1] is empty"))
  it("a sparse array of tiles without cells", () => refused({ ...sparse, capacity: 0 }, "tiles of no cells"))
})
