/** Merges of sparse fragments: all versions of all cells, the same as without a merge, and each tile is read once. */
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { ArraySchema, Attr, Dim, Filter, Sparse, TileArray } from "../../../mod.ts"
import { layerNative } from "../../../platform/codecs/layers/native.ts"
import { makeMemoryStorage } from "../../../platform/storage/memory.ts"
import { makeCounters, withCounters } from "../../../platform/storage/middleware/counters.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { accessOf, openArray } from "../../../src/array/open/open.ts"
import { fieldsOf } from "../../../src/fragment/field.ts"
import { columnJson } from "../../../src/query/column/cell_json.ts"
import { joinColumns } from "../../../src/query/column/slice.ts"
import { parseSelection } from "../../../src/query/selection/selection.ts"
import { planMerge } from "../../../src/query/sparse/merge_plan.ts"
import { streamVersions } from "../../../src/query/sparse/merge_stream.ts"
import type { SparseColumns } from "../../../src/query/sparse/read.ts"
import { streamSparseRequest } from "../../../src/query/sparse/stream.ts"

/** A budget that suffices for a merge of some of the arrays, in several steps. */
const MEMORY = 6000

type Kind = "numbers" | "floats" | "strings" | "columns"

const schemaOf = (kind: Kind, allowsDuplicates: boolean) => {
  const options = {
    attrs: { n: Attr.int32({ filters: [Filter.zstd()] }), t: Attr.nullable(Attr.utf8()) },
    capacity: 4,
    allowsDuplicates,
  }
  const x = Dim.int64([-1000n, 1000n], { tile: 7n })
  return kind === "strings"
    ? ArraySchema.sparse({ dims: { x, y: Dim.ascii() }, ...options })
    : kind === "floats"
    ? ArraySchema.sparse({ dims: { x, y: Dim.float64([-9, 9], { tile: 3 }) }, ...options })
    : kind === "columns"
    ? ArraySchema.sparse({
      dims: { x, y: Dim.int16([-9, 9], { tile: 4 }) },
      tileOrder: "col-major",
      order: "col-major",
      ...options,
    })
    : ArraySchema.sparse({ dims: { x, y: Dim.int16([-9, 9]) }, ...options })
}

const fragments = FastCheck.array(
  FastCheck.uniqueArray(
    FastCheck.tuple(FastCheck.integer({ min: -30, max: 30 }), FastCheck.integer({ min: -3, max: 3 })),
    {
      selector: ([x, y]) => `${x} ${y}`,
      minLength: 1,
      maxLength: 60,
    },
  ),
  { minLength: 1, maxLength: 6 },
)

const write = (
  uri: string,
  kind: Kind,
  allowsDuplicates: boolean,
  cells: ReadonlyArray<ReadonlyArray<readonly [number, number]>>,
) =>
  Effect.gen(function* () {
    yield* TileArray.create(uri, schemaOf(kind, allowsDuplicates), { at: 1 })
    for (const [i, some] of cells.entries()) {
      const y = some.map(([, y]) => y)
      const columns = {
        x: BigInt64Array.from(some, ([x]) => BigInt(x)),
        y: kind === "strings" ? y.map((n) => "s".repeat(n + 3)) : kind === "floats"
          // −0 and 0 are distinct coordinates
          ? Float64Array.from(y, (n) => n === 0 && i % 2 === 1 ? -0 : n / 2)
          : Int16Array.from(y),
        n: Int32Array.from(some, ([x]) => 1000 * i + x),
        t: some.map(([x, y]) => x % 3 === 0 ? null : "t".repeat(y + 3)),
      }
      yield* Sparse.write(yield* TileArray.open(uri, { at: 10_000 }), columns as never, { at: 2 + i })
    }
  })

const linesOf = (batches: Iterable<SparseColumns>): ReadonlyArray<string> => {
  const all = [...batches]
  const names = Object.keys(all[0]?.columns ?? {}).sort()
  const lists = names.map((name) => columnJson(joinColumns(all.map(({ columns }) => columns[name]))))
  return (lists[0] ?? []).map((_, i) => JSON.stringify(lists.map((list) => list[i])))
}

const allVersions = (uri: string, memory: number | undefined) =>
  Effect.gen(function* () {
    const array = yield* openArray(uri, { end: Number.MAX_SAFE_INTEGER })
    const { dimensions, attributes, timestamps } = fieldsOf(array.schema)
    const fields = [...dimensions, ...attributes, timestamps]
    if (memory !== undefined) return [...yield* Stream.runCollect(streamVersions(array, fields, { memory }))]
    const selection = parseSelection(uri, array.schema, {}, "error")
    const request = { order: "global", fields, selection, where: undefined, versions: true } as const
    return [...yield* Stream.runCollect(streamSparseRequest(array, request, {}))]
  })

const planOf = (uri: string, stepSize: number, maxSize: number) =>
  Effect.gen(function* () {
    const array = yield* openArray(uri, { end: Number.MAX_SAFE_INTEGER })
    const { dimensions, attributes } = fieldsOf(array.schema)
    return yield* planMerge(yield* accessOf(array), array, [...dimensions, ...attributes], stepSize, maxSize)
  })

describe("merges of sparse fragments", () => {
  for (const kind of ["numbers", "floats", "strings", "columns"] as const) {
    for (const allowsDuplicates of [false, true]) {
      it(`return all versions of all cells (${kind}, duplicates: ${allowsDuplicates})`, async () => {
        let maxBatches = 0
        let maxSteps = 0
        await FastCheck.assert(
          FastCheck.asyncProperty(fragments, FastCheck.boolean(), async (cells, consolidates) => {
            const counters = makeCounters()
            const storage = Layer.succeed(Storage, withCounters(makeMemoryStorage(), counters))
            const program = Effect.gen(function* () {
              yield* write("mem://a", kind, allowsDuplicates, cells)
              // an input with several versions of a cell
              if (consolidates) yield* TileArray.consolidate("mem://a", { end: 3 })
              const expected = linesOf(yield* allVersions("mem://a", undefined))
              const batches = yield* allVersions("mem://a", MEMORY)
              assertEquals(linesOf(batches), expected)
              assertEquals(expected.length, cells.flat().length)
              maxBatches = Math.max(maxBatches, batches.length)
              const merged = yield* planOf("mem://a", MEMORY / 16, 3 * MEMORY / 4)
              maxSteps = Math.max(maxSteps, merged?.length ?? 0)
              const steps = yield* planOf("mem://a", 100, Infinity)
              const tiles = steps!.flatMap((step) => step.tiles.map(({ fragment, tile }) => `${fragment} ${tile}`))
              assertEquals(new Set(tiles).size, tiles.length)
              // too little memory for the overlapping tiles
              assertEquals(yield* planOf("mem://a", 100, 1), undefined)
            })
            await Effect.runPromise(Effect.provide(program, Layer.merge(storage, layerNative)))
          }),
          { numRuns: 15, seed: 17 },
        )
        assert(maxBatches > 2 && maxSteps > 2, `${maxBatches} batches, ${maxSteps} steps`)
      })
    }
  }

  it("read each byte of the data files once", async () => {
    const counters = makeCounters()
    const storage = Layer.succeed(Storage, withCounters(makeMemoryStorage(), counters))
    const program = Effect.gen(function* () {
      const cells = Array.from(
        { length: 5 },
        (_, f) => Array.from({ length: 200 }, (_, i) => [5 * i + f - 500, 0] as const),
      )
      yield* write("mem://a", "numbers", false, cells)
      const { fragments } = yield* openArray("mem://a", {})
      const size = fragments.reduce(
        (sum, { fileSizes, varFileSizes, validityFileSizes }) =>
          [fileSizes, varFileSizes, validityFileSizes].reduce((all, sizes) => sizes.reduce((a, b) => a + b, all), sum),
        0,
      )
      const before = counters.bytesRead
      const batches = yield* allVersions("mem://a", 20_000)
      const read = counters.bytesRead - before
      assert(batches.length > 3, `${batches.length} batches`)
      assertEquals(batches.reduce((sum, { length }) => sum + length, 0), 1000)
      return [read, size]
    })
    const [read, size] = await Effect.runPromise(Effect.provide(program, Layer.merge(storage, layerNative)))
    // data files, and at most as much metadata
    assert(read < 2 * size, `${read} bytes of ${size}`)
  })
})
