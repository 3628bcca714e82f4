/** Cells that one fragment contains several times in an array that allows no duplicates. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { Aggregate, ArraySchema, Attr, Dim, Sparse, TileArray } from "../../../mod.ts"
import { openedOf } from "../../../src/array/open/handle.ts"
import { streamSparse } from "../../../src/query/request/sparse_request.ts"
import { inMemory } from "../../support/in_memory.ts"
import { withoutDuplicates } from "../../support/repeated_cells.ts"

const schemaOf = (cellOrder: "row-major" | "hilbert", capacity: number) =>
  ArraySchema.sparse({
    dims: { x: Dim.int32([0, 99], { tile: 10 }) },
    attrs: { v: Attr.int32() },
    allowsDuplicates: true,
    capacity,
    order: cellOrder,
  })

type Groups = Array<[number, Array<number>]>

/** Returns the values of each coordinate, in result order. */
const group = (x: ArrayLike<number>, v: ArrayLike<number>): Groups => {
  const groups = new Map<number, Array<number>>()
  for (let i = 0; i < x.length; i++) groups.set(x[i], [...groups.get(x[i]) ?? [], v[i]])
  return [...groups].sort((a, b) => a[0] - b[0])
}

describe("cells that a fragment contains several times", () => {
  for (const cellOrder of ["row-major", "hilbert"] as const) {
    for (const capacity of [2, 100]) {
      it(`are all returned if the fragment is the newest with the cell: ${cellOrder}, ${capacity} per tile`, () =>
        inMemory(Effect.gen(function* () {
          const schema = schemaOf(cellOrder, capacity)
          const array = yield* TileArray.create("mem://a", schema)
          yield* Sparse.write(array, { x: [5, 1, 5, 7, 5, 7], v: [1, 2, 3, 4, 5, 6] }, { at: 1 })
          const one = withoutDuplicates(yield* TileArray.open("mem://a"))
          yield* Sparse.write(array, { x: [5, 20, 20], v: [10, 11, 12] }, { at: 2 })
          const two = withoutDuplicates(yield* TileArray.open("mem://a"))
          const single: Groups = [[1, [2]], [5, [1, 3, 5]], [7, [4, 6]]]
          const both: Groups = [[1, [2]], [5, [10]], [7, [4, 6]], [20, [11, 12]]]
          for (const order of ["row", "col", "global", "unordered"] as const) {
            for (const [opened, expected] of [[one, single], [two, both]] as const) {
              const { x, v } = (yield* Sparse.read(opened, { order })).columns
              assertEquals(group(x.values as Int32Array, v.values as Int32Array), expected, order)
              const batches = yield* Stream.runCollect(streamSparse(openedOf(opened), { order, batch: 1 }))
              const [xs, vs] = (["x", "v"] as const).map((name) =>
                [...batches].flatMap(({ columns }) => [...columns[name].values as Int32Array])
              )
              assertEquals(group(xs, vs), expected, `batches, ${order}`)
              const { n } = yield* Sparse.aggregate(opened, { n: Aggregate.count() })
              assertEquals(n, xs.length)
            }
          }
          const region = yield* Sparse.read(two, { region: { x: [6, 8] }, where: "v > 4" })
          assertEquals(region.columns.v.values, Int32Array.of(6))
        })))
    }
  }
})
