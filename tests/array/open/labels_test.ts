/** Dimension labels: their schemas, and the arrays that store them. */
import { describe, it } from "node:test"
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert"
import * as Effect from "effect/Effect"
import { readdirSync } from "node:fs"
import { ArraySchema, Attr, Dense, Dim, Filter, SchemaError, TileArray } from "../../../mod.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { labelSchema } from "../../../src/array/create/label_array.ts"
import { openArray } from "../../../src/array/open/open.ts"
import { onEachStorage } from "../../support/change_array.ts"
import { packedArrays } from "../../support/packed_arrays.ts"
import { runOver } from "../../support/run_bytes.ts"

const dims = { y: Dim.int32([1, 4], { tile: 2 }), x: Dim.int32([0, 9], { tile: 5 }) }
const attrs = { a: Attr.int32() }
const Labelled = ArraySchema.dense({
  dims,
  attrs,
  labels: {
    lat: { dim: "y", type: "float64", order: "decreasing", filters: [Filter.byteshuffle(), Filter.zstd({ level: 3 })] },
    name: { dim: "x", type: "string_ascii", order: "increasing" },
  },
})

describe("dimension labels", () => {
  onEachStorage("are stored in arrays that are created with the array", (root) =>
    Effect.gen(function* () {
      const key = Uint8Array.from({ length: 32 }, (_, i) => i)
      for (const [name, options] of [["a", {}], ["b", { key, formatVersion: 18 }]] as const) {
        const uri = `${root}/${name}`
        const open = { ...("key" in options ? { key } : {}) }
        const array = yield* TileArray.create(uri, Labelled, options)
        assertEquals(array.schema.dimensionLabels.map((l) => [l.name, l.dimension, l.uri]), [
          ["lat", 0, "__labels/l0"],
          ["name", 1, "__labels/l1"],
        ])
        const label = yield* TileArray.open(`${uri}/__labels/l0`, open)
        assertEquals(label.schema.attributes.map((a) => [a.name, a.type, a.order, a.filters.filters]), [[
          "label",
          "float64",
          "decreasing",
          [Filter.byteshuffle(), Filter.zstd({ level: 3 })],
        ]])
        yield* Dense.write(label, {}, { label: Float64Array.of(9, 7, 5, 3) })
        const { columns } = yield* Dense.read(yield* TileArray.reopen(label))
        assertEquals(columns.label.values, Float64Array.of(9, 7, 5, 3))
        const reopened = yield* TileArray.open(uri, open)
        assertEquals(ArraySchema.fromStructure(reopened.schema).dimensionLabels, Labelled.dimensionLabels)
      }
    }))

  onEachStorage("leave no files if the array cannot be created", (root) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(TileArray.create(`${root}/a`, Labelled, { formatVersion: 17 }))
      assertStringIncludes(error.message, "format version 18")
      const storage = yield* Storage
      assertEquals(yield* storage.list(`${root}/a`), [])
    }))

  it("are rejected where engines reject them", () => {
    const make = (labels: unknown, more = {}) => () =>
      ArraySchema.dense({
        dims,
        attrs,
        ...more,
        labels: labels as { l: { dim: "y"; type: "int8"; order: "increasing" } },
      })
    const label = { dim: "y", type: "float64", order: "increasing" }
    for (
      const [labels, why] of [
        [{ l: { ...label, dim: "z" } }, "l: the label names an unknown dimension z"],
        [{ x: label }, "x: a dimension label may not have the name of a dimension"],
        [{ a: label }, "a: a dimension label may not have the name of a dimension, an attribute"],
        [{ "": label }, "a dimension label requires a name"],
        [{ l: { ...label, type: "string_utf8" } }, "l: labels cannot be string_utf8"],
        [{ l: { ...label, order: "unordered" } }, "l: labels must be increasing or decreasing"],
        [{ l: { ...label, filters: [Filter.double_delta()] } }, "l: filter 0, double_delta, does not support float64"],
      ] as const
    ) assertStringIncludes(assertThrows(make(labels), SchemaError).message, why)
    const float = () =>
      ArraySchema.sparse({
        dims: { f: Dim.float64([0, 1]) },
        attrs,
        labels: { l: { dim: "f", type: "int8", order: "increasing" } },
      })
    assertStringIncludes(
      assertThrows(float, SchemaError).message,
      "l: labels require a dimension of integers, dates or times",
    )
  })

  it("have the schemas that engines create", async () => {
    let count = 0
    for (const pack of readdirSync(new URL("../../golden/data", import.meta.url)).map((file) => file.split(".")[0])) {
      for (const { files, path, key } of packedArrays(pack)) {
        if (key !== undefined || !path.endsWith("dimension_labels/array")) continue
        const load = (at: string) =>
          Effect.runPromise(Effect.promise(() => runOver(files, openArray(`mem://${at}`)))).then((result) => {
            if (!("value" in result)) throw new Error(`${at}: ${JSON.stringify(result)}`)
            return result.value.schema
          })
        const schema = await load(path)
        for (const label of schema.dimensionLabels) {
          const theirs = await load(`${path}/${label.uri}`)
          const ours = ArraySchema.toStructure(labelSchema(ArraySchema.fromStructure(schema), label), {
            version: schema.version,
          })
          // one label array was created with its own filters
          const { filters } = theirs.attributes[0]
          assertEquals({ ...ours, attributes: [{ ...ours.attributes[0], filters }] }, theirs, `${path} ${label.name}`)
          count++
        }
      }
    }
    assertEquals(count, 15)
  })
})
