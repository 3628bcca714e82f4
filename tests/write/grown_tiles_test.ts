import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import { ArraySchema, Attr, Dense, Dim, Filter, TileArray } from "../../mod.ts"
import { inMemory } from "../support/in_memory.ts"

describe("tiles that grow when they are filtered", () => {
  it("are stored completely, also if several are filtered together", () =>
    inMemory(Effect.gen(function* () {
      const [tile, tiles] = [400_000, 6]
      const Bytes = ArraySchema.dense({
        dims: { x: Dim.uint32([0, tile * tiles - 1], { tile }) },
        attrs: { a: Attr.uint8({ filters: [Filter.rle()] }) },
      })
      const array = yield* TileArray.create("mem://grown", Bytes)
      const a = Uint8Array.from({ length: tile * tiles }, (_, i) => (i + Math.floor(i / tile)) % 251)
      yield* Dense.write(array, {}, { a })
      const { columns } = yield* Dense.read(yield* TileArray.reopen(array))
      assertEquals(columns.a.findIndex((value, i) => value !== a[i]), -1)
    })))
})
