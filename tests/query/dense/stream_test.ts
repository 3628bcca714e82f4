/**
 * Dense reads in batches: concatenated they equal the whole read, in order, and no batch exceeds the memory budget.
 */
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { openArray } from "../../../src/array/open/open.ts"
import { lengthOf, type WholeRanges } from "../../../src/query/dense/axis_plan.ts"
import { columnJson } from "../../../src/query/column/cell_json.ts"
import { cutDense, cutRanges } from "../../../src/query/dense/partition.ts"
import { readDense } from "../../../src/query/request/dense_request.ts"
import type { Order } from "../../../src/query/options/read_options.ts"
import { streamDense } from "../../../src/query/request/dense_request.ts"
import { packedArrays } from "../../support/packed_arrays.ts"
import { runOver } from "../../support/run_bytes.ts"
import { axisOf } from "../../../src/fragment/dense_tiles.ts"

const cellsOf = (columns: Readonly<Record<string, Parameters<typeof columnJson>[0]>>): Array<string> => {
  const lists = Object.values(columns).map(columnJson)
  return (lists[0] ?? []).map((_, i) => JSON.stringify(lists.map((list) => list[i])))
}

describe("dense streams", () => {
  it("return the cells of a read in batches, in every order", async () => {
    let cut = 0
    for (const { path, key, files } of packedArrays("v22").filter((a, i) => i % 3 === 0 && !a.path.includes("webp"))) {
      for (const order of ["row", "col", "global", "unordered"] as ReadonlyArray<Order>) {
        const result = await runOver(
          files,
          Effect.gen(function* () {
            const array = yield* openArray(`mem://${path}`, key === undefined ? {} : { key })
            if (array.schema.arrayType !== "dense") return undefined
            const dims = array.schema.dimensions.map((d) => d.name)
            const select = [...dims, ...array.schema.attributes.map((a) => a.name)]
            const whole = yield* readDense(array, { select, order })
            // if the budget is too small, the error contains the required bytes, field by field
            const collect = (memory: number): ReturnType<typeof once> =>
              Effect.catchTag(once(memory), "ResultTooLarge", (error) => {
                assert(error.needed > memory, error.message)
                return collect(error.needed)
              })
            const once = (memory: number) => Stream.runCollect(streamDense(array, { select, order, memory }))
            const batches = yield* collect(10000)
            return { whole, batches: [...batches] }
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
        assert(actual.length === expected.length && actual.every((cell, i) => cell === expected[i]), `${path} ${order}`)
        for (const { ranges, shape } of batches) assertEquals(ranges.map((r) => Number(lengthOf(r))), shape)
        cut = Math.max(cut, batches.length)
      }
    }
    assert(cut > 5, `at most ${cut} batches`)
  })

  for (const path of ["v22/dense_1d_types/array", "v22/dense_2d_overlap/array", "v22/dense_nullable/array"]) {
    it(`report the required memory if the budget is smaller than a tile: ${path}`, async () => {
      const { files } = packedArrays("v22").find((a) => a.path === path)!
      const needed = async (memory: number): Promise<number> => {
        const result = await runOver(
          files,
          Effect.flatMap(openArray(`mem://${path}`), (array) => Stream.runCount(streamDense(array, { memory }))),
        )
        if ("value" in result) return 0
        assertEquals(result.error._tag, "ResultTooLarge")
        assert(/raise `memory` to \d+/.test(result.error.message), result.error.message)
        return (result.error as unknown as { readonly needed: number }).needed
      }
      const enough = await needed(10)
      assert(enough > 10)
      assertEquals(await needed(enough), 0)
    })
  }

  it("reject invalid budgets", async () => {
    const { path, files } = packedArrays("v22").find((a) => a.path === "v22/dense_1d_types/array")!
    for (const memory of [0, -1, NaN, Infinity, "many" as never]) {
      const open = Effect.flatMap(
        openArray(`mem://${path}`),
        (array) => Stream.runCount(streamDense(array, { memory })),
      )
      const result = await runOver(files, open)
      assert("error" in result && result.error._tag === "InvalidOption", String(memory))
    }
  })

  it("split ranges without loss or repetition", () => {
    const ranges = fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 12 }).map((points) => {
      const sorted = points.sort((a, b) => a - b)
      const out: Array<{ low: bigint; high: bigint }> = []
      for (let i = 0; i + 1 < sorted.length; i += 2) {
        out.push({ low: BigInt(sorted[i]), high: BigInt(sorted[i + 1] - 1) })
      }
      return out.filter((r) => r.low <= r.high)
    }).filter((r) => r.length > 0)
    const cells = (ranges: WholeRanges): Array<bigint> =>
      ranges.flatMap(({ low, high }) => Array.from({ length: Number(high - low) + 1 }, (_, i) => low + BigInt(i)))
    fc.assert(fc.property(ranges, fc.integer({ min: -60, max: 60 }), (input, at) => {
      const [before, after] = cutRanges(input, BigInt(at))
      assertEquals([...cells(before), ...cells(after)], cells(input))
      assert(cells(before).every((c) => c <= BigInt(at)))
    }))
  })

  it("split at a tile boundary near the middle", async () => {
    const { path, files } = packedArrays("v22").find((a) => a.path === "v22/dense_1d_types/array")!
    const result = await runOver(files, openArray(`mem://${path}`))
    assert("value" in result)
    const { schema } = result.value
    const { low, high, extent } = axisOf(schema.dimensions[0])
    const cut = cutDense(schema, [[{ low, high }]], "row")!
    assertEquals((cut.last - low + 1n) % extent, 0n)
    assert(cut.last >= low && cut.last < high)
    assertEquals(cutDense(schema, [[{ low, high: low }]], "row"), undefined)
  })
})
