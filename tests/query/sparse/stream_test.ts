/** Sparse reads in batches: concatenated they equal the whole read, in order, for any budget that fits a tile. */
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { layerNative } from "../../../platform/codecs/layers/native.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { makeMemoryStorage } from "../../../platform/storage/memory.ts"
import { makeCounters, withCounters } from "../../../platform/storage/middleware/counters.ts"
import { openArray } from "../../../src/array/open/open.ts"
import { bytesBelow, nextBytes, nextFloat, previousFloat } from "../../../src/kernel/neighbours.ts"
import { compareBytes } from "../../../src/kernel/match/match_ranges.ts"
import { columnJson } from "../../../src/query/column/cell_json.ts"
import type { Order } from "../../../src/query/options/read_options.ts"
import { readSparse } from "../../../src/query/request/sparse_request.ts"
import { streamSparse } from "../../../src/query/request/sparse_request.ts"
import { packedArrays } from "../../support/packed_arrays.ts"
import { runOver } from "../../support/run_bytes.ts"

const cellsOf = (columns: Readonly<Record<string, Parameters<typeof columnJson>[0]>>): Array<string> => {
  const lists = Object.values(columns).map(columnJson)
  return (lists[0] ?? []).map((_, i) => JSON.stringify(lists.map((list) => list[i])))
}

describe("sparse streams", () => {
  for (const pack of ["v4", "v12", "v22"]) {
    it(`${pack}: return the cells of a read in batches, in every order`, async () => {
      let maxBatches = 0
      for (const { path, key, files } of packedArrays(pack).filter((a) => !a.path.includes("webp"))) {
        for (const order of ["row", "col", "global", "unordered"] as ReadonlyArray<Order>) {
          const result = await runOver(
            files,
            Effect.gen(function* () {
              const array = yield* openArray(`mem://${path}`, key === undefined ? {} : { key })
              if (array.schema.arrayType === "dense") return undefined
              const whole = yield* readSparse(array, { order })
              const once = (memory: number) => Stream.runCollect(streamSparse(array, { order, memory }))
              // if the budget is too small, the error contains the required bytes
              const collect = Effect.catchTag(once(500), "ResultTooLarge", (error) => {
                assert(error.needed > 500, error.message)
                return once(error.needed)
              })
              return { whole, batches: [...yield* collect] }
            }),
          )
          assert("value" in result, "error" in result ? `${path}: ${result.error.message}` : "")
          if (result.value === undefined) break
          const { whole, batches } = result.value
          const actual = batches.flatMap((batch) => cellsOf(batch.columns))
          const expected = cellsOf(whole.columns)
          if (order === "unordered") {
            actual.sort()
            expected.sort()
          }
          assert(
            actual.length === expected.length && actual.every((cell, i) => cell === expected[i]),
            `${path} ${order}: ${actual.length} ${expected.length}`,
          )
          assert(batches.every((batch) => batch.length > 0))
          maxBatches = Math.max(maxBatches, batches.length)
        }
      }
      assert(maxBatches > 3, `at most ${maxBatches} batches`)
    })
  }

  it("do not read batches that are not consumed", async () => {
    const packed = packedArrays("v22").filter((a) => [...a.files.keys()].some((f) => f.endsWith("/d0.tdb")))
    let saved = 0
    for (const { path, key, files } of packed) {
      const requests = async (take: number): Promise<number> => {
        const trace = makeCounters()
        const storage = Layer.succeed(Storage, withCounters(makeMemoryStorage(new Map(files)), trace))
        const program = Effect.gen(function* () {
          const array = yield* openArray(`mem://${path}`, key === undefined ? {} : { key })
          yield* Stream.runDrain(Stream.take(streamSparse(array, { memory: 6000 }), take))
        })
        await Effect.runPromise(Effect.provide(Effect.either(program), Layer.merge(storage, layerNative)))
        return trace.requests
      }
      const [one, all] = [await requests(1), await requests(1e9)]
      assert(one <= all, path)
      if (one < all) saved++
    }
    assert(saved > 1, `${saved} of ${packed.length}`)
  })
})

describe("neighbours", () => {
  it("of floats have no float in between", () => {
    fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const next = nextFloat(value, 8)
      assert(next > value)
      const middle = value / 2 + next / 2
      assert(middle <= value || middle >= next || !Number.isFinite(next))
      if (next !== 0 && value !== 0) assertEquals(previousFloat(next, 8), value)
    }))
    fc.assert(fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const next = nextFloat(value, 4)
      assert(next > value && Math.fround(next) === next)
      const middle = Math.fround(value / 2 + next / 2)
      assert(middle <= value || middle >= next || !Number.isFinite(next))
    }))
    assertEquals(nextFloat(0, 8), Number.MIN_VALUE)
    assertEquals(nextFloat(-0, 8), Number.MIN_VALUE)
    assertEquals(previousFloat(0, 8), -Number.MIN_VALUE)
    assertEquals(nextFloat(Infinity, 8), Infinity)
  })

  it("of strings are adjacent", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 5 }), fc.uint8Array({ maxLength: 6 }), (value, other) => {
      const next = nextBytes(value)
      assert(compareBytes(value, next) < 0)
      if (compareBytes(other, value) > 0) assert(compareBytes(other, next) >= 0)
      const below = bytesBelow(value)
      assertEquals(below === undefined, value.length === 0)
      if (below !== undefined) assert(compareBytes(below, value) < 0)
    }))
  })
})
