/** The newest cell of each place, permuted columns, and cells in Hilbert order. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import type { Column } from "../../../src/query/column/column.ts"
import { coordinateWords } from "../../../src/fragment/cell_order.ts"
import { orderWords } from "../../../src/query/sparse/result/sort_keys.ts"
import { newestCells } from "../../../src/query/sparse/result/dedup.ts"
import { permute } from "../../../src/query/column/permute.ts"
import { sortCells } from "../../../src/kernel/sort/sort_cells.ts"
import * as build from "../../support/build_array.ts"

describe("the newest cells", () => {
  it("are unique: the latest timestamp wins, then the latest fragment, then the first cell", () => {
    const cells = fc.array(fc.tuple(fc.nat(4), fc.nat(2), fc.nat(2)), { maxLength: 80 })
    fc.assert(
      fc.property(cells, (cells) => {
        const words = [Uint32Array.from(cells, ([place]) => place)]
        const kept = newestCells(
          sortCells(words, cells.length),
          words,
          Float64Array.from(cells, ([, time]) => time),
          Uint32Array.from(cells, ([, , fragment]) => fragment),
        )
        const best = new Map<number, number>()
        cells.forEach(([place, time, fragment], i) => {
          const other = best.get(place)
          const [, t, f] = other === undefined ? [0, -1, -1] : cells[other]
          if (time > t || (time === t && fragment > f)) best.set(place, i)
        })
        assertEquals([...kept], [...best].sort((a, b) => a[0] - b[0]).map(([, i]) => i))
      }),
      { seed: 1, numRuns: 200 },
    )
  })
})

describe("permuted columns", () => {
  const order = fc.array(fc.nat(9), { maxLength: 30 }).map((o) => Uint32Array.from(o))
  const validity = Uint8Array.from({ length: 10 }, (_, i) => i % 3 === 0 ? 0 : 1)

  it("of fixed size contain the selected cells", () => {
    fc.assert(
      fc.property(order, fc.integer({ min: 1, max: 3 }), (order, cellValNum) => {
        const values = Int16Array.from({ length: 10 * cellValNum }, (_, i) => i * 7 - 30)
        const column: Column = { name: "c", type: "int16", cellValNum, length: 10, values, validity }
        const out = permute(column, order)
        assertEquals(out.length, order.length)
        assertEquals(
          [...out.values],
          [...order].flatMap((i) => [...values.subarray(i * cellValNum, (i + 1) * cellValNum)]),
        )
        assertEquals([...out.validity!], [...order].map((i) => validity[i]))
      }),
      { seed: 2 },
    )
  })

  it("of variable size contain the selected cells", () => {
    const lengths = fc.array(fc.nat(12), { minLength: 10, maxLength: 10 })
    fc.assert(
      fc.property(order, lengths, (order, lengths) => {
        const offsets = new Uint32Array(11)
        lengths.forEach((l, i) => offsets[i + 1] = offsets[i] + l)
        const values = Int32Array.from({ length: offsets[10] }, (_, i) => i * 1000 - 7)
        const column: Column = { name: "c", type: "int32", cellValNum: "var", length: 10, values, offsets }
        const out = permute(column, order)
        const cells = [...order].map((i) => [...values.subarray(offsets[i], offsets[i + 1])])
        assertEquals([...out.values], cells.flat())
        assertEquals(cells.map((_, i) => [...out.values.subarray(out.offsets![i], out.offsets![i + 1])]), cells)
        assertEquals(out.offsets!.length, order.length + 1)
      }),
      { seed: 3 },
    )
  })
})

describe("cells in Hilbert order", () => {
  const column = (name: string, values: Int32Array): Column => ({
    name,
    type: "int32",
    cellValNum: 1,
    length: values.length,
    values,
  })

  it("are adjacent in a grid", () => {
    // a domain of 2^31 − 1 cells has a bucket for each coordinate
    const domain = ["x", "y"].map((name) => build.dimension(name, "int32", 0, 2 ** 31 - 1, null))
    const schema = build.arraySchema({ arrayType: "sparse", dimensions: domain, attributes: [], cellOrder: "hilbert" })
    const grid = Array.from({ length: 64 }, (_, i) => [i >> 3, i & 7])
    const columns = [0, 1].map((d) => column(domain[d].name, Int32Array.from(grid, (c) => c[d])))
    const order = sortCells(orderWords(schema, "global", columns), 64)
    assertEquals([...grid[order[0]]], [0, 0])
    for (let k = 1; k < 64; k++) {
      const [a, b] = [grid[order[k - 1]], grid[order[k]]]
      assertEquals(Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]), 1)
    }
  })

  it("that share a bucket are sorted by coordinates", () => {
    // ten dimensions leave six bits for each: 64 buckets for 6400 coordinates
    const dimensions = Array.from({ length: 10 }, (_, d) => build.dimension(`d${d}`, "int32", 0, 6399, null))
    const schema = build.arraySchema({ arrayType: "sparse", dimensions, attributes: [], cellOrder: "hilbert" })
    const cells = fc.array(fc.array(fc.nat(90), { minLength: 10, maxLength: 10 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(cells, (cells) => {
        const columns = dimensions.map((d, i) => column(d.name, Int32Array.from(cells, (c) => c[i])))
        const naive = cells.map((_, i) => i).sort((a, b) => {
          const k = cells[a].findIndex((v, d) => v !== cells[b][d])
          return k < 0 ? a - b : cells[a][k] - cells[b][k]
        })
        assertEquals([...sortCells(orderWords(schema, "global", columns), cells.length)], naive)
      }),
      { seed: 4 },
    )
  })
})

describe("words of coordinates", () => {
  it("contain the ranks of strings", () => {
    const values = new TextEncoder().encode("aababa")
    const text: Column = {
      name: "s",
      type: "string_ascii",
      cellValNum: "var",
      length: 4,
      values,
      offsets: Uint32Array.of(0, 1, 3, 5, 6),
    }
    assertEquals(build.stringDimension("s").cellValNum, VAR)
    assertEquals(coordinateWords([text]).map((w) => [...w]), [[0, 2, 2, 0]])
  })
})
