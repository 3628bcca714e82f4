import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Dim, layerDefault, Sparse, TileArray } from "../../../mod.ts"
import { makeCounters, StorageService, withCounters } from "../../../platform/mod.ts"

const CELLS = 20_000

const Depths = ArraySchema.sparse({
  dims: { x: Dim.int32([0, CELLS - 1], { tile: 1000 }) },
  attrs: { depth: Attr.float64(), rough: Attr.nullable(Attr.int32()), place: Attr.ascii() },
  capacity: 1000,
})

const x = Int32Array.from({ length: CELLS }, (_, i) => i)
/** Increases from tile to tile. */
const depth = Float64Array.from(x, (i) => i / 10)
/** The same values in each tile; null in the second half. */
const rough = {
  values: Int32Array.from(x, (i) => i % 1000),
  validity: Uint8Array.from(x, (i) => i < CELLS / 2 ? 1 : 0),
}
const place = Array.from(x, (i) => `place ${String(Math.floor(i / 1000)).padStart(2, "0")}`)

const run = Effect.scoped(Effect.gen(function* () {
  const uri = "mem://depths"
  const array = yield* TileArray.create(uri, Depths)
  yield* Sparse.write(array, { x, depth, rough, place })
  const opened = yield* TileArray.reopen(array)
  const read = (where: string, select: ReadonlyArray<"depth" | "x" | "rough" | "place"> = ["depth"]) =>
    Effect.gen(function* () {
      const trace = makeCounters()
      const { length } = yield* Effect.updateService(
        Sparse.read(opened, { where, select, order: "unordered" }),
        StorageService,
        (storage) => withCounters(storage, trace),
      )
      return { length, bytes: trace.bytesRead }
    })
  // load the metadata before bytes are counted
  for (const where of ["depth > 0", "rough == None", "x > 0", "place > ''"]) yield* read(where)
  const all = yield* read("depth >= 0")
  yield* Effect.forEach(
    [
      ["depth >= 1999.9", 1],
      ["depth < 100", 1000],
      ["depth > 5000", 0],
      ["depth in [50, 150.5]", 2],
      ["rough != None and depth < 1000", 10_000],
      ["rough == None and depth < 1000", 0],
      ["x < 10 or x > 19990", 19],
      ["place == 'place 07'", 1000],
      ["not (place != 'place 07')", 1000],
    ] as const,
    ([where, length]) =>
      Effect.gen(function* () {
        const result = yield* read(where)
        assertEquals([where, result.length], [where, length])
        assert(
          result.bytes < all.bytes * (length > 1000 ? 1.6 : 0.5),
          `${where} read ${result.bytes} of ${all.bytes} bytes`,
        )
        if (length === 0) assertEquals([where, result.bytes], [where, 0])
      }),
    { discard: true },
  )
  // statistics rule out no tile
  assertEquals((yield* read("rough == 5")).length, 10)
}))

/** Ten cells with the same depth. */
const tenCells = (value: number) => ({
  x: x.subarray(0, 10),
  depth: new Float64Array(10).fill(value),
  rough: { values: rough.values.subarray(0, 10), validity: rough.validity.subarray(0, 10) },
  place: place.slice(0, 10),
})

/** Older cells match the condition, but the newer cells that hide them do not. */
const hidden = Effect.gen(function* () {
  const array = yield* TileArray.create("mem://hidden", Depths)
  yield* Sparse.write(array, tenCells(500))
  yield* Sparse.write(array, tenCells(1))
  const opened = yield* TileArray.reopen(array)
  assertEquals((yield* Sparse.read(opened, { where: "depth > 100" })).length, 0)
  assertEquals((yield* Sparse.read(opened, { where: "depth < 100" })).length, 10)
})

describe("conditions", () => {
  it("skip tiles by statistics", () => Effect.runPromise(Effect.provide(run, layerDefault)))

  it("do not return older cells that newer cells hide", () => Effect.runPromise(Effect.provide(hidden, layerDefault)))
})
