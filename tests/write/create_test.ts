/** Creating arrays: the stored files, and no files after a failure. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  AlreadyExists,
  ArraySchema,
  Attr,
  Dim,
  Filter,
  Group,
  InvalidOption,
  layerNative,
  SchemaError,
  StorageService,
  TileArray,
} from "../../mod.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import { withFaults } from "../../platform/storage/middleware/faults.ts"
import { inMemory } from "../support/in_memory.ts"

const Full = ArraySchema.sparse({
  order: "hilbert",
  tileOrder: "col-major",
  capacity: 77,
  allowsDuplicates: true,
  dims: {
    x: Dim.int32([0, 100], { tile: 10, filters: [Filter.double_delta()] }),
    s: Dim.ascii(),
    f: Dim.float32([0, 1]),
  },
  attrs: {
    a: Attr.fill(
      Attr.nullable(Attr.multiValue(Attr.int16({ filters: [Filter.bitshuffle(), Filter.lz4({ level: 3 })] }), 2)),
      [1, 2],
      {
        valid: true,
      },
    ),
    color: Attr.enumerated(Attr.uint8(), "colors"),
  },
  enumerations: { colors: ["red", "green"] },
  currentDomain: { x: [5, 50], s: ["a", "m"] },
  coordsFilters: [Filter.gzip({ level: 9 })],
  offsetsFilters: [],
  validityFilters: [Filter.zstd()],
})

describe("TileArray.create", () => {
  it("stores the schema and returns the array open", async () => {
    await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a/", Full, { at: 123 })
      assertEquals(array.uri, "mem://a")
      assert(array.schemaName.startsWith("__123_123_"), array.schemaName)
      const opened = yield* TileArray.open("mem://a", Full)
      assertEquals(opened.schema, array.schema)
      assertEquals(opened.schemaName, array.schemaName)
      assertEquals(TileArray.nonEmptyDomain(array), undefined)
      const enumerations = yield* TileArray.enumerations(array)
      const read = ArraySchema.fromStructure(opened.schema, enumerations)
      assertEquals(ArraySchema.toStructure(read), opened.schema)
      // an array with the same schema has its own files
      const copy = yield* TileArray.create("mem://copy", read)
      assertEquals((yield* TileArray.enumerations(copy)).map((e) => e.data), enumerations.map((e) => e.data))
      assert(copy.schema.enumerations[0].fileName !== array.schema.enumerations[0].fileName)
    }))
  })

  it("does not change existing arrays and groups", async () => {
    await inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://a", Full)
      const storage = yield* StorageService
      const before = yield* storage.list("mem://a/__schema")
      assert((yield* Effect.flip(TileArray.create("mem://a", Full))) instanceof AlreadyExists)
      assertEquals(yield* storage.list("mem://a/__schema"), before)
      yield* Group.create("mem://g")
      assert((yield* Effect.flip(TileArray.create("mem://g", Full))) instanceof AlreadyExists)
      const either = yield* TileArray.create("mem://a", Full).pipe(
        Effect.catchTag("AlreadyExists", () => TileArray.open("mem://a", Full)),
      )
      assertEquals(either.uri, "mem://a")
    }))
  })

  it("rejects invalid options and inconsistent schemas", async () => {
    const tried = (options: object, schema: ArraySchema.ArraySchema = Full) =>
      inMemory(Effect.flip(TileArray.create("mem://a", schema, options)))
    for (const options of [{ version: 9 }, { at: -1 }, { key: new Uint8Array(5) }, { formatVersion: "22" }]) {
      assert(await tried(options) instanceof InvalidOption, JSON.stringify(options))
    }
    assert(await tried({}, { ...Full, capacity: 0 }) instanceof SchemaError)
  })

  it("leaves no files if any storage call fails", async () => {
    for (let at = 0;; at++) {
      const files = new Map<string, Uint8Array>()
      const { storage, calls } = withFaults(makeMemoryStorage(files), { at, fault: "fail" })
      const made = await Effect.runPromise(
        Effect.either(
          Effect.provide(
            TileArray.create("mem://a", Full),
            Layer.merge(Layer.succeed(StorageService, storage), layerNative),
          ),
        ),
      )
      if (calls() <= at) {
        assertEquals(made._tag, "Right")
        assert(at > 8, `${at} calls`)
        break
      }
      assertEquals([made._tag, [...files.keys()]], ["Left", []], `call ${at}`)
    }
  })
})
