/** Dense arrays from one typed array. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { Dense, Filter, StorageService, TileArray } from "../../../mod.ts"
import { layerNative, makeMemoryStorage, withFaults } from "../../../platform/mod.ts"
import { inMemory } from "../../support/in_memory.ts"

describe("Dense.fromTypedArray", () => {
  it("creates an array with the datatype of the typed array", () =>
    inMemory(Effect.gen(function* () {
      const sources = [Int8Array.of(1, 2, 3, 4), BigUint64Array.of(1n, 2n, 3n, 4n), Float32Array.of(1, 2, 3, 4)]
      for (const [i, data] of sources.entries()) {
        const array = yield* Dense.fromTypedArray(`mem://a${i}`, data, [2, 2], { filters: [Filter.zstd()], at: 5 })
        const { shape, columns } = yield* Dense.read(array)
        assertEquals([shape, columns.value.values], [[2, 2], data])
        assertEquals(TileArray.nonEmptyDomain(array), { d0: [0, 1], d1: [0, 1] })
      }
    })))

  it("rejects shapes and names that do not fit, and leaves no files", () =>
    inMemory(Effect.gen(function* () {
      const data = new Int32Array(6)
      const of = (shape: ReadonlyArray<number>, options = {}) => Dense.fromTypedArray("mem://a", data, shape, options)
      for (
        const [wrong, tag] of [
          [of([2, 2]), "InvalidOption"],
          [of([]), "InvalidOption"],
          [of([2, 3], { dims: ["x"] }), "InvalidOption"],
          [of([2, 3], { dims: ["x", "x"] }), "InvalidOption"],
          [of([2, 3], { names: [] }), "InvalidOption"],
          [of([2.4, 2.5]), "SchemaError"],
        ] as const
      ) assertEquals((yield* Effect.flip(wrong))._tag, tag)
      assertEquals(yield* TileArray.exists("mem://a"), false)
      yield* of([6])
      assertEquals((yield* Effect.flip(of([6])))._tag, "AlreadyExists")
    })))

  it("leaves no files, and other files as they were, when any call to the storage fails", async () => {
    let failures = 0
    for (let at = 1; at < 60; at++) {
      const files = new Map([["mem://other", Uint8Array.of(1)]])
      const storage = makeMemoryStorage(files)
      const faulty = withFaults(storage, { at, fault: "fail" })
      const program = Effect.either(Dense.fromTypedArray("mem://a", new Int32Array(6), [6]))
      const layer = Layer.merge(Layer.succeed(StorageService, faulty.storage), layerNative)
      const result = await Effect.runPromise(Effect.provide(program, layer))
      assertEquals(files.get("mem://other"), Uint8Array.of(1))
      if (result._tag === "Right") break
      failures++
      assertEquals([...files.keys()], ["mem://other"], `call ${at}`)
      const present = await Effect.runPromise(
        Effect.provide(TileArray.exists("mem://a"), Layer.succeed(StorageService, storage)),
      )
      assertEquals(present, false, `call ${at}`)
    }
    assert(failures > 3 && failures < 59, String(failures))
  })
})
