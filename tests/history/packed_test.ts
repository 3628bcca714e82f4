/** Logs and differences of the arrays of all format versions that the real engine wrote. */
import { assert, assertEquals } from "@std/assert"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { layerNative, Sparse, TileArray } from "../../mod.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import { Storage } from "../../platform/storage/service.ts"
import { packedArrays, packs } from "../support/packed_arrays.ts"

describe("the history of packed arrays", () => {
  for (const version of packs) {
    it(`is complete in ${version}`, async () => {
      for (const { path, key, files } of packedArrays(version).filter((array) => !array.path.includes("webp"))) {
        const storage = makeMemoryStorage(new Map(files))
        const options = key === undefined ? {} : { key }
        const uri = path
        const program = Effect.gen(function* () {
          const array = yield* TileArray.open(uri, { ...options, end: Number.MAX_SAFE_INTEGER })
          const changes = yield* TileArray.log(array)
          const logged = new Map(changes.map((change) => [change.path.split("/").at(-1)!, change]))
          for (const { name, size, cellNum } of yield* TileArray.fragments(array)) {
            const change = logged.get(name)
            assertEquals([change?.bytes, change?.cells], [Number(size), Number(cellNum)], `${uri}: ${name}`)
          }
          assertEquals(changes.filter(({ kind }) => kind === "created").length, 1, uri)
          const times = { from: 0, to: Number.MAX_SAFE_INTEGER }
          const { fragments } = yield* TileArray.diff(array, times)
          assert(fragments.added.length + fragments.removed.length <= changes.length, uri)
          if (array.schema.arrayType === "dense") return
          const cells = Chunk.toReadonlyArray(yield* Stream.runCollect(TileArray.diffCells(array, times)))
          const { length } = yield* Sparse.read(array)
          assertEquals(cells.filter(({ kind }) => kind === "added").length, length, uri)
          assertEquals(cells.length, length, uri)
        })
        await Effect.runPromise(Effect.provide(program, Layer.merge(Layer.succeed(Storage, storage), layerNative)))
      }
    })
  }
})
