/** Streams of large arrays: the first batch is small, and no byte is read twice. */
import { mkdtempSync, rmSync } from "node:fs"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { after, describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { ArraySchema, Attr, Dense, Dim, Sparse, TileArray } from "../../../mod.ts"
import { counted, run } from "../../support/run_query.ts"

const MIB = 2 ** 20
const folder = mkdtempSync("first-batch-")
after(() => rmSync(folder, { recursive: true }))

/** Returns the size of the first batch, of the largest batch, and the sum of all sizes, in bytes. */
const sizes = <B, E, R>(batches: Stream.Stream<B, E, R>, bytesOf: (batch: B) => number) =>
  Effect.map(Stream.runCollect(Stream.map(batches, bytesOf)), (all) => ({
    first: Chunk.unsafeHead(all),
    largest: Math.max(...all),
    sum: Chunk.reduce(all, 0, (a, b) => a + b),
  }))

describe("the first batch", () => {
  const cells = 3 * MIB
  const numbers = Int32Array.from({ length: cells }, (_, i) => i)

  it("of a sparse array is small if cells are not sorted", async () => {
    const uri = `${folder}/sparse`
    const read = await run(Effect.gen(function* () {
      const schema = ArraySchema.sparse({
        dims: { x: Dim.int32([0, cells - 1], { tile: 4096 }) },
        attrs: { a: Attr.int32() },
        capacity: 4096,
      })
      const array = yield* TileArray.create(uri, schema)
      yield* Sparse.write(array, { x: numbers, a: numbers }, { order: "global" })
      const opened = yield* TileArray.open(uri)
      return yield* counted(sizes(Sparse.stream(opened), ({ length }) => 8 * length))
    }))
    const { first, largest, sum } = read.answer
    assertEquals(sum, 8 * cells)
    assert(first <= 8 * MIB, `the first batch has ${first} bytes`)
    assert(largest > first, `no batch is larger than ${first} bytes`)
    assert(read.bytes < 1.1 * sum, `${read.bytes} bytes are read`)
  })

  for (const order of ["row", "col", "unordered"] as const) {
    it(`of a dense array is small if whole tiles are selected (${order})`, async () => {
      const uri = `${folder}/${order}`
      const read = await run(Effect.gen(function* () {
        const schema = ArraySchema.dense({
          dims: { x: Dim.int32([0, 3071], { tile: 128 }), y: Dim.int32([0, 1023], { tile: 128 }) },
          attrs: { a: Attr.int32() },
        })
        const array = yield* TileArray.create(uri, schema)
        yield* Dense.write(array, {}, { a: numbers })
        const opened = yield* TileArray.open(uri)
        const batches = Dense.stream(opened, { order })
        return yield* counted(sizes(batches, ({ shape }) => 4 * shape[0] * shape[1]))
      }))
      const { first, sum } = read.answer
      assertEquals(sum, 4 * cells)
      assert(first <= 8 * MIB, `the first batch has ${first} bytes`)
      assert(read.bytes < 1.1 * sum, `${read.bytes} bytes are read`)
    })
  }
})
