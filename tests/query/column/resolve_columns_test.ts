import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Cells, Dense, layerDefault, layerPortable, Sparse, TileArray } from "../../../mod.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { makeMemoryStorage } from "../../../platform/storage/memory.ts"
import { packedArrays } from "../../support/packed_arrays.ts"

describe("resolveAll", () => {
  it("returns columns without an enumeration unchanged", async () => {
    const program = Effect.gen(function* () {
      const array = yield* TileArray.open(`${import.meta.dirname}/../../golden/demo/weather`)
      const { columns } = yield* Dense.read(array, { region: { day: 60 } })
      return [columns, yield* Cells.resolveAll(array, columns)] as const
    })
    const [columns, resolved] = await Effect.runPromise(Effect.provide(program, layerDefault))
    assertEquals(Object.keys(resolved), Object.keys(columns))
    assertEquals(resolved.note === columns.note && resolved.temperature === columns.temperature, true)
  })

  it("returns the values of codes, also for several columns with the same enumeration", async () => {
    const packed = packedArrays("v22").find(({ path }) => path === "v22/enumerations/array")!
    const program = Effect.gen(function* () {
      const array = yield* TileArray.open(`mem://${packed.path}`)
      const { columns } = array.schema.arrayType === "dense" ? yield* Dense.read(array) : yield* Sparse.read(array)
      const loaded = new Map((yield* TileArray.enumerations(array)).map((e) => [e.name, e]))
      return { columns, loaded, resolved: yield* Cells.resolveAll(array, columns) }
    })
    const layer = Layer.merge(Layer.succeed(Storage, makeMemoryStorage(new Map(packed.files))), layerPortable)
    const { columns, loaded, resolved } = await Effect.runPromise(Effect.provide(program, layer))
    const enumerated = Object.values(columns).filter(({ enumeration }) => enumeration !== undefined)
    assertEquals(enumerated.map(({ enumeration }) => enumeration), ["colour", "size", "f", "colour"])
    for (const column of enumerated) {
      const one = Effect.runSync(Cells.resolve(column, loaded.get(column.enumeration!)!))
      assertEquals(Cells.columnJson(resolved[column.name]), Cells.columnJson(one))
    }
    assertEquals(resolved.plain === columns.plain, true)
    assertEquals(new Set(Cells.columnJson(resolved.z)).isSubsetOf(new Set([10, 20, 30, null])), true)
  })
})
