/** Boxes split into space tiles, compared with a split cell by cell. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals, assertThrows } from "@std/assert"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { defaultCellFill, VAR } from "../../../schema/array/cell_val_num.ts"
import type { Datatype } from "../../../schema/array/datatype.ts"
import { WriteError } from "../../../src/array/open/errors.ts"
import type { Box } from "../../../src/write/input/box.ts"
import { checkTileSize, splitDense } from "../../../src/write/dense/dense_tiler.ts"
import { checkColumns } from "../../../src/write/input/check_columns.ts"
import { gatherTile } from "../../../src/write/input/write_column.ts"
import * as build from "../../support/build_array.ts"

type Order = "row-major" | "col-major"
const order = fc.constantFrom<Order>("row-major", "col-major")

/** A dimension, and the written part of it. */
const axis = fc.record({
  type: fc.constantFrom<Datatype>("int32", "int64", "uint8", "datetime_day"),
  low: fc.integer({ min: 0, max: 9 }),
  length: fc.integer({ min: 1, max: 9 }),
  extent: fc.integer({ min: 1, max: 9 }),
  from: fc.nat(8),
  count: fc.integer({ min: 1, max: 9 }),
}).map(({ type, low, length, extent, from, count }) => {
  const start = type === "uint8" ? low : low - 5
  const first = start + from % length
  const scalar = (value: number) => type === "int64" || type === "datetime_day" ? BigInt(value) : value
  return {
    dimension: (name: string) =>
      build.dimension(
        name,
        type,
        scalar(start),
        scalar(start + length - 1),
        scalar(Math.min(extent, length)),
      ),
    start,
    extent: Math.min(extent, length),
    low: first,
    high: Math.min(start + length - 1, first + count - 1),
  }
})

/** Returns all points of a box; the last (row-major) or the first (col-major) dimension varies fastest. */
const points = (bounds: ReadonlyArray<readonly [number, number]>, order: Order): Array<Array<number>> => {
  let out: Array<Array<number>> = [[]]
  const along = bounds.map(([low, high]) => Array.from({ length: high - low + 1 }, (_, i) => low + i))
  if (order === "row-major") { for (const values of along) out = out.flatMap((p) => values.map((v) => [...p, v])) }
  else for (const values of along.reverse()) out = out.flatMap((p) => values.map((v) => [v, ...p]))
  return out
}

const attributes = [
  build.attribute("a", "int32"),
  build.attribute("rgb", "uint8", { cellValNum: 3, fillValue: Uint8Array.of(7, 8, 9) }),
  build.attribute("s", "string_utf8", { cellValNum: VAR, nullable: true, fillValue: Uint8Array.of(63, 33) }),
  build.attribute("w", "int16", { cellValNum: VAR }),
  build.attribute("n", "float64", { nullable: true }),
]

describe("dense boxes", () => {
  for (const version of [8, 22]) {
    it(`are split into tiles of format ${version} like single cells`, () => {
      fc.assert(
        fc.property(
          fc.array(axis, { minLength: 1, maxLength: 3 }),
          order,
          order,
          order,
          (axes, tileOrder, cellOrder, layout) => {
            const schema: ArraySchema = build.arraySchema({
              version,
              arrayType: "dense",
              dimensions: axes.map((a, d) => a.dimension(`d${d}`)),
              attributes,
              tileOrder,
              cellOrder,
            })
            const box: Box = axes.map(({ low, high }) => ({ low: BigInt(low), high: BigInt(high) }))
            const cells = points(axes.map(({ low, high }) => [low, high]), layout)
            const n = cells.length
            const { attributes: columns } = checkColumns(
              schema,
              {
                a: Int32Array.from(cells, (_, i) => i + 1),
                rgb: Uint8Array.from({ length: 3 * n }, (_, i) => i),
                s: cells.map((_, i) => i % 4 === 0 ? null : "x".repeat(i % 3) + i),
                w: cells.map((_, i) => Array.from({ length: i % 4 }, (_, k) => i + k)),
                n: cells.map((_, i) => i % 3 === 0 ? null : i / 2),
              },
              n,
            )
            const cellAt = new Map(cells.map((p, i) => [p.join(), i]))
            const tileBounds = axes.map((a): readonly [number, number] => [
              Math.floor((a.low - a.start) / a.extent),
              Math.floor((a.high - a.start) / a.extent),
            ])
            const tiles = points(tileBounds, tileOrder)
            const split = splitDense(schema, box, layout)
            assertEquals(split.tiles, tiles.length)
            assertEquals(split.cells, n)
            tiles.forEach((tile, t) => {
              const inTile = points(
                tile.map((k, d) => {
                  const from = axes[d].start + k * axes[d].extent
                  return [from, from + axes[d].extent - 1] as const
                }),
                cellOrder,
              ).map((p) => cellAt.get(p.join()))
              assertEquals(split.cellsPerTile, inTile.length)
              assertEquals(inTile.map((_, i) => split.cellOf(t, i)), inTile)
              const written = inTile.flatMap((cell, i) => cell === undefined ? [] : [i])
              assertEquals(
                [...split.written(t) ?? inTile.keys()],
                written,
              )
              for (const column of columns) {
                const { field } = column
                const fill = version === 8
                  ? defaultCellFill(field.type, field.cellValNum)!
                  : new Uint8Array(field.cellSize)
                const expected = inTile.map((cell) =>
                  cell === undefined
                    ? { values: fill, validity: field.nullable ? 0 : undefined }
                    : one(gatherTile(column, undefined, cell, cell + 1))
                )
                const made = { field, ...split.tile(t, column) }
                assertEquals(inTile.map((_, i) => one(gatherTile(made, undefined, i, i + 1))), expected)
              }
            })
          },
        ),
        { seed: 1, numRuns: 150 },
      )
    })
  }
})

describe("dense tiles that are too large", () => {
  it("are rejected before any is created", () => {
    const schema = build.arraySchema({
      arrayType: "dense",
      dimensions: ["x", "y"].map((name) => build.dimension(name, "int64", 0n, 10n ** 9n, 10n ** 6n)),
      attributes: [build.attribute("a", "int32")],
    })
    const error = assertThrows(() => checkTileSize(schema), WriteError, "1000000000000 cells")
    assertEquals(error.field, "a")
  })
})

const one = ({ values, validity }: { readonly values: Uint8Array; readonly validity: Uint8Array | undefined }) => ({
  values: Uint8Array.from(values),
  validity: validity?.[0],
})
