/** Streams in Hilbert order, whose batches are not rectangles. */
import { assert, assertEquals } from "@std/assert"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Cells, Dim, ResultTooLarge, Sparse, TileArray } from "../../../mod.ts"
import { inMemory } from "../../support/in_memory.ts"

const attrs = { a: Attr.int32(), s: Attr.utf8() }
const shapes = {
  plane: ArraySchema.sparse({
    order: "hilbert",
    capacity: 8,
    dims: { x: Dim.int32([0, 30]), y: Dim.float64([-1, 1]) },
    attrs,
  }),
  names: ArraySchema.sparse({
    order: "hilbert",
    capacity: 8,
    allowsDuplicates: true,
    dims: { x: Dim.int64([-9, 21]), y: Dim.ascii() },
    attrs,
  }),
}

/** The distinct places of one write. */
const places = FastCheck.uniqueArray(FastCheck.nat(200), { minLength: 1, maxLength: 60 })

describe("streams along the Hilbert curve", () => {
  for (const name of ["plane", "names"] as const) {
    it(`return the cells of a read in the same order, with little memory (${name})`, () =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.array(places, { minLength: 1, maxLength: 6 }),
          FastCheck.constantFrom(undefined, "a > 60", "x < 9 or a == 3"),
          FastCheck.boolean(),
          FastCheck.integer({ min: 15, max: 17 }),
          (writes, where, some, power) =>
            inMemory(Effect.gen(function* () {
              const made = (yield* TileArray.create("mem://curve", shapes[name])) as unknown as TileArray.TileArray
              for (const [w, writtenPlaces] of writes.entries()) {
                const xs = writtenPlaces.map((place) => place % 31 - (name === "names" ? 9 : 0))
                const ys = writtenPlaces.map((place) => Math.floor(place / 31))
                yield* Sparse.write(made, {
                  x: xs,
                  y: name === "names" ? ys.map((y) => "v".repeat(y) + y) : ys.map((y) => y / 7),
                  a: writtenPlaces.map((_, i) => w * 20 + i),
                  s: writtenPlaces.map((place) => `${w} ${place}`),
                })
              }
              const array = yield* TileArray.open("mem://curve")
              const ranges = some ? { x: [2, 15] } as const : {}
              const query = { order: "global", region: ranges, ...(where === undefined ? {} : { where }) } as const
              const whole = yield* Sparse.read(array, query)
              const memory = 2 ** power
              const batches = yield* Stream.runCollect(Sparse.stream(array, { ...query, memory }))
              for (const field of ["x", "y", "a", "s"]) {
                const cells = Chunk.toReadonlyArray(batches).flatMap(({ columns }) => Cells.values(columns[field]))
                const expected = Cells.values(whole.columns[field])
                // cells with equal coordinates have no defined order
                assertEquals(
                  name === "names" && (field === "a" || field === "s") ? cells.toSorted() : cells,
                  name === "names" && (field === "a" || field === "s") ? expected.toSorted() : expected,
                )
              }
            })),
        ),
        { numRuns: 60 },
      ))
  }

  it("are split inside the tiles of many fragments, and report the required memory if that is not enough", () =>
    inMemory(Effect.gen(function* () {
      const Wide = ArraySchema.sparse({
        order: "hilbert",
        dims: { x: Dim.int32([0, 9999]), y: Dim.int32([0, 9999]) },
        attrs: { a: Attr.float64() },
      })
      const made = yield* TileArray.create("mem://wide", Wide)
      const cells = Array.from({ length: 2000 }, (_, i) => i)
      // twenty fragments of one tile, each over the whole plane
      for (let f = 0; f < 20; f++) {
        yield* Sparse.write(made, {
          x: Int32Array.from(cells, (i) => (i * 4999 + f * 7) % 10_000),
          y: Int32Array.from(cells, (i) => (i * 3331 + f * 11) % 10_000),
          a: Float64Array.from(cells, (i) => f + i / 10_000),
        })
      }
      const array = yield* TileArray.reopen(made)
      const whole = yield* Sparse.read(array, { order: "global" })
      const batches = Chunk.toReadonlyArray(
        yield* Stream.runCollect(Sparse.stream(array, { order: "global", memory: 2 ** 21 })),
      )
      assert(batches.length > 4, `${batches.length} batches`)
      assert(batches.every(({ length }) => length * 16 < 2 ** 19))
      assertEquals(Float64Array.from(batches.flatMap(({ columns }) => [...columns.a])), whole.columns.a)
      const error = yield* Effect.flip(Stream.runDrain(Sparse.stream(array, { order: "global", memory: 2 ** 12 })))
      assert(error instanceof ResultTooLarge)
      assert(error.needed > 2 ** 12, error.message)
      const first = yield* Stream.runHead(Sparse.stream(array, { order: "global", memory: error.needed }))
      assert(first._tag === "Some")
    })))
})
