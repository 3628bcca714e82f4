/** Footers with inconsistent values. */
import { describe, it } from "node:test"
import { assertEquals, assertStringIncludes } from "@std/assert"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import type { FragmentFooter } from "../../../schema/fragment/footer.ts"
import type { Scalar } from "../../../schema/array/scalar.ts"
import type { ReadOptions } from "../../../src/query/options/read_options.ts"
import * as build from "../../support/build_array.ts"
import { answerOf, refusalOf } from "../../support/run_bytes.ts"

const text = Array.from({ length: 100 }, (_, i) => new Uint8Array(i % 3).fill(97))
const strings = build.varTile(text)
const dense = build.arraySchema({
  arrayType: "dense",
  dimensions: [build.dimension("x", "int32", -20, 99, 10), build.dimension("y", "int32", 0, 99, 10)],
  attributes: [build.attribute("a", "int32"), build.attribute("s", "string_ascii", { cellValNum: VAR })],
})
const denseFragment: build.FragmentParts = {
  time: 1,
  domain: build.rangesOf(dense.dimensions, [[0, 9], [0, 9]]),
  tileCount: 1,
  fields: {
    a: { fixed: [build.countingTile("int32", 100)] },
    s: { fixed: [strings.fixed], var: [strings.var] },
  },
}

const sparse = build.arraySchema({
  arrayType: "sparse",
  dimensions: [build.dimension("x", "int64", 0n, 99n, 10n)],
  attributes: [build.attribute("a", "int32")],
  capacity: 5,
})
const sparseFragment: build.FragmentParts = {
  time: 1,
  domain: build.rangesOf(sparse.dimensions, [[0n, 7n]]),
  tileCount: 2,
  lastTileCells: 3,
  fields: {
    x: { fixed: [build.countingTile("int64", 5), build.countingTile("int64", 3, 5)] },
    a: { fixed: [build.countingTile("int32", 5), build.countingTile("int32", 3, 5)] },
  },
  mbrs: { count: 2, dimensions: [{ kind: "fixed", values: BigInt64Array.of(0n, 4n, 5n, 7n) }] },
}

/** Read options of a sparse array: with and without reading the coordinates. */
const reads: ReadonlyArray<ReadOptions> = [
  {},
  { order: "unordered", select: ["a"] },
  { region: { x: [2, 6] } },
  { order: "global" },
]

const forged = (change: Partial<FragmentFooter>): build.FragmentParts["forgeFooter"] => (footer) => ({
  ...footer,
  ...change,
})

describe("non-empty domains", () => {
  const wrong: Readonly<Record<string, ReadonlyArray<readonly [Scalar, Scalar]>>> = {
    "after the domain": [[200, 300], [0, 9]],
    "before the domain": [[-50, 9], [0, 9]],
    "the end is before the start": [[9, 0], [0, 9]],
    "as large as the type": [[-(2 ** 31), 2 ** 31 - 1], [0, 9]],
  }
  for (const [label, bounds] of Object.entries(wrong)) {
    for (const attribute of ["a", "s"]) {
      it(`are rejected if ${label}: ${attribute}`, async () => {
        const files = build.buildArray("a", dense, [{
          ...denseFragment,
          domain: build.rangesOf(dense.dimensions, bounds),
        }])
        assertStringIncludes(await refusalOf(files, "a", "FormatError", { select: [attribute] }), "nonEmptyDomain.0")
      })
    }
  }

  for (const bounds of [[-1n, 7n], [0n, 100n], [7n, 0n], [0n, 2n ** 63n - 1n]] as const) {
    it(`of sparse fragments are rejected if invalid: ${bounds}`, async () => {
      const domain = build.rangesOf(sparse.dimensions, [bounds])
      const files = build.buildArray("a", sparse, [{ ...sparseFragment, domain }])
      for (const options of reads) {
        assertStringIncludes(await refusalOf(files, "a", "FormatError", options), "nonEmptyDomain.0")
      }
    })
  }

  it("are rejected if they have more tiles than offsets", async () => {
    const domain = build.rangesOf(dense.dimensions, [[0, 99], [0, 99]])
    const message = await refusalOf(build.buildArray("a", dense, [{ ...denseFragment, domain }]), "a", "FormatError")
    assertStringIncludes(message, "1 offsets for 100 tiles")
  })

  it("may exceed the domain inside the last tile, as written by consolidation", async () => {
    const schema = build.arraySchema({ ...dense, dimensions: [build.dimension("x", "int32", 0, 14, 10)] })
    const domain = build.rangesOf(schema.dimensions, [[0, 19]])
    const a = { fixed: [build.countingTile("int32", 10), build.countingTile("int32", 10, 10)] }
    const files = build.buildArray("a", schema, [{ time: 1, domain, tileCount: 2, fields: { a } }])
    const { columns } = await answerOf(files, "a", { select: ["a"], region: { x: [8, 12] } })
    assertEquals([...columns.a.values], [8, 9, 10, 11, 12])
  })
})

describe("counts in footers of sparse fragments", () => {
  it("are accepted if the tiles confirm them", async () => {
    for (const options of reads) {
      const { length, columns } = await answerOf(build.buildArray("a", sparse, [sparseFragment]), "a", options)
      assertEquals(length, options.region === undefined ? 8 : 5)
      assertEquals(columns.a.length, length)
    }
  })

  for (const options of reads) {
    const how = JSON.stringify(options)
    for (const lastTileCells of [0, 6, 2 ** 31, 2 ** 52]) {
      it(`are rejected for a last tile of ${lastTileCells} cells, ${how}`, async () => {
        const files = build.buildArray("a", sparse, [{ ...sparseFragment, lastTileCells }])
        assertStringIncludes(await refusalOf(files, "a", "FormatError", options), "lastTileCells")
      })
    }
    for (const sparseTileCount of [1, 3, 10 ** 6, 2 ** 33, 2 ** 52]) {
      it(`are rejected for ${sparseTileCount} tiles, ${how}`, async () => {
        const files = build.buildArray("a", sparse, [{ ...sparseFragment, forgeFooter: forged({ sparseTileCount }) }])
        await refusalOf(files, "a", "FormatError", options)
      })
    }
    for (const capacity of [6, 10 ** 6, 2 ** 27]) {
      it(`are rejected for tiles of ${capacity} cells, ${how}`, async () => {
        const files = build.buildArray("a", sparse, [sparseFragment], { ...sparse, capacity })
        await refusalOf(files, "a", "FormatError", options)
      })
    }
    for (const capacity of [2 ** 33, 2 ** 52]) {
      it(`are rejected for tiles of ${capacity} cells, above the limit, ${how}`, async () => {
        const files = build.buildArray("a", sparse, [sparseFragment], { ...sparse, capacity })
        assertStringIncludes(await refusalOf(files, "a", "FormatError", options), "tileCells")
      })
    }
  }
})

describe("footers", () => {
  it("are rejected if the version differs from the fragment's name", async () => {
    const files = build.buildArray("a", sparse, [sparseFragment])
    const renamed = new Map([...files].map(([name, bytes]) => [name.replaceAll("1_22", "1_21"), bytes]))
    assertStringIncludes(await refusalOf(renamed, "a", "FormatError"), "format version 22 in a fragment named")
  })

  it("are rejected if the fragment's schema has other dimensions than the array", async () => {
    const files = build.buildArray("a", sparse, [sparseFragment])
    const later = build.arraySchema({ ...sparse, dimensions: [build.stringDimension("x")] })
    for (const [name, bytes] of build.buildArray("a", later, [])) {
      files.set(name.replace("__0_0_00", "__5_5_aa"), bytes)
    }
    assertStringIncludes(await refusalOf(files, "a", "FormatError"), "other dimensions")
  })

  const columns: Readonly<Record<string, (column: Float64Array) => Float64Array>> = {
    "none": () => new Float64Array(0),
    "too many": () => new Float64Array(5),
    "descending": (c) => c.map((_, i) => c.length - i),
    "after the end of the file": (c) => c.map(() => 1e15),
    "in the middle of the first tile": (c) => c.map(() => 5),
  }
  for (const [label, forge] of Object.entries(columns)) {
    for (const attribute of ["a", "s"]) {
      it(`are rejected for tile offsets of ${attribute}: ${label}`, async () => {
        const forgeColumn: build.FragmentParts["forgeColumn"] = (part, field, column) =>
          field === attribute && part !== "varSizes" ? forge(column) : column
        const files = build.buildArray("a", dense, [{ ...denseFragment, forgeColumn }])
        await refusalOf(files, "a", "FormatError", { select: [attribute] })
      })
    }
  }

  for (const size of [0, 1, strings.var.byteLength + 1, 2 ** 31]) {
    it(`are rejected for a var tile of ${size} bytes`, async () => {
      const forgeColumn: build.FragmentParts["forgeColumn"] = (part, field, column) =>
        part === "varSizes" && field === "s" ? Float64Array.of(size) : column
      const files = build.buildArray("a", dense, [{ ...denseFragment, forgeColumn }])
      await refusalOf(files, "a", "FormatError", { select: ["s"] })
    })
  }
  it("are rejected for a var tile above the size limit", async () => {
    const forgeColumn: build.FragmentParts["forgeColumn"] = (part, field, column) =>
      part === "varSizes" && field === "s" ? Float64Array.of(2 ** 40) : column
    const files = build.buildArray("a", dense, [{ ...denseFragment, forgeColumn }])
    await refusalOf(files, "a", "ResultTooLarge", { select: ["s"] })
  })
})
