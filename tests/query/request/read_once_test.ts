/** Files of an array are read once for any number of batches and queries. */
import { mkdtempSync, rmSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { after, describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { ArraySchema, Attr, Dim, Sparse, TileArray } from "../../../mod.ts"
import { makeCounters, StorageService, withCounters } from "../../../platform/mod.ts"
import { run, type Services } from "../../support/run_query.ts"

const folder = mkdtempSync("read-once-")
after(() => rmSync(folder, { recursive: true }))

/** Runs an effect and counts the reads of files whose path contains `name`. */
const readsIn = <A, E>(name: string, effect: Effect.Effect<A, E, Services>) => {
  const files: Array<string> = []
  return Effect.map(
    Effect.updateService(
      effect,
      StorageService,
      (storage) =>
        withCounters(storage, makeCounters(), ({ uri, operation }) => {
          if (operation !== "list" && uri.includes(name)) files.push(uri)
        }),
    ),
    (answer) => ({ answer, files: files.length }),
  )
}

const quakes = Effect.gen(function* () {
  const uri = `${folder}/quakes`
  const array = yield* TileArray.create(
    uri,
    ArraySchema.sparse({
      dims: { x: Dim.int32([0, 9999], { tile: 100 }) },
      attrs: { place: Attr.enumerated(Attr.int32(), "places"), depth: Attr.float64() },
      enumerations: { places: ["Crete", "Niigata", "Tōhoku"] },
      capacity: 100,
    }),
    { at: 1 },
  )
  const x = Int32Array.from({ length: 5000 }, (_, i) => 2 * i)
  const columns = { x, place: x.map((x) => x % 3), depth: Float64Array.from(x, (x) => x / 2) }
  yield* Sparse.write(array, columns, { at: 10 })
  yield* Sparse.delete(array, 'place == "Crete"', { at: 20 })
  yield* Sparse.delete(array, "depth > 4000", { at: 30 })
  return yield* TileArray.open(uri)
})

describe("files of an array", () => {
  it("with delete conditions are read once for all batches", () =>
    run(Effect.gen(function* () {
      const { answer, files } = yield* readsIn(
        "__commits/",
        Stream.runCollect(Stream.map(Sparse.stream(yield* quakes, { memory: 2 ** 17 }), ({ length }) => length)),
      )
      assert(answer.length > 3, `${answer.length} batches`)
      assertEquals(files, 2)
    })))

  it("with enumerations are read once for all queries", () =>
    run(Effect.gen(function* () {
      const array = yield* TileArray.open(`${folder}/quakes`)
      const reads = Effect.forEach(["Crete", "Niigata", "Tōhoku"], (place) =>
        Sparse.read(array, { where: `place == "${place}"` }))
      const { answer, files } = yield* readsIn("__enumerations/", reads)
      assertEquals(
        answer.map(({ length }) =>
          length > 0
        ),
        [false, true, true],
      )
      assertEquals(files, 1)
    })))
})
