/** Consolidation of dense fragments copies tiles that do not change without decoding them. */
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { ArraySchema, Attr, Dense, Dim, Filter, TileArray } from "../../mod.ts"
import { Codecs } from "../../platform/codecs/service.ts"
import { nativeCodecs } from "../../platform/codecs/layers/native.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import { Storage } from "../../platform/storage/service.ts"
import { openArray } from "../../src/array/open/open.ts"
import { columnJson } from "../../src/query/column/cell_json.ts"

const [ROWS, COLUMNS] = [22, 13]

const schemaOf = (colMajor: boolean) =>
  ArraySchema.dense({
    dims: { y: Dim.int32([1, ROWS], { tile: 5 }), x: Dim.int32([-3, COLUMNS - 4], { tile: 4 }) },
    attrs: {
      a: Attr.float64({ filters: [Filter.byteshuffle(), Filter.zstd()] }),
      b: Attr.nullable(Attr.int16({ filters: [Filter.zstd()] })),
    },
    ...(colMajor ? { tileOrder: "col-major" as const } : {}),
  })

/** A written box, from 0. */
type Written = readonly [y: number, x: number, rows: number, columns: number]

const boxes = FastCheck.array(
  FastCheck.tuple(
    FastCheck.nat(ROWS - 1),
    FastCheck.nat(COLUMNS - 1),
    FastCheck.integer({ min: 1, max: ROWS }),
    FastCheck.integer({ min: 1, max: COLUMNS }),
  ),
  { minLength: 2, maxLength: 5 },
)

const columnsOf = (n: number, first: number) => ({
  a: Float64Array.from({ length: n }, (_, i) => (first + i) / 4),
  b: Array.from({ length: n }, (_, i) => (first + i) % 3 === 0 ? null : (first + i) % 1000),
})

const writeAll = (uri: string, all: ReadonlyArray<Written>, options: { readonly key?: Uint8Array }) =>
  Effect.gen(function* () {
    for (const [k, [y, x, rows, columns]] of all.entries()) {
      const array = yield* TileArray.open(uri, { ...options, at: 1000 })
      const region = {
        y: [1 + y, Math.min(ROWS, y + rows)] as const,
        x: [x - 3, Math.min(COLUMNS - 4, x - 4 + columns)] as const,
      }
      const n = (region.y[1] - region.y[0] + 1) * (region.x[1] - region.x[0] + 1)
      yield* Dense.write(array, region, columnsOf(n, 997 * k) as never, { at: 2 + k })
    }
  })

const cellsIn = (uri: string, options: { readonly key?: Uint8Array }) =>
  Effect.gen(function* () {
    const { columns } = yield* Dense.read(yield* TileArray.open(uri, options))
    return Object.values(columns).map((column) => columnJson(column))
  })

/** Returns codecs that count the tiles decoded by zstd, which only the filters of the attributes use. */
const countingCodecs = () => {
  const counts = { decoded: 0, encoded: 0 }
  const { zstd } = nativeCodecs
  const { workers: _, ...codecs } = nativeCodecs
  return {
    counts,
    codecs: {
      ...codecs,
      zstd: {
        decompress: (...args: Parameters<typeof zstd.decompress>) => (counts.decoded++, zstd.decompress(...args)),
        compress: (...args: Parameters<typeof zstd.compress>) => (counts.encoded++, zstd.compress(...args)),
      },
    },
  }
}

const run = <A, E>(effect: Effect.Effect<A, E, Storage | Codecs>, codecs: Codecs): Promise<A> =>
  Effect.runPromise(
    Effect.provide(effect, Layer.merge(Layer.succeed(Storage, makeMemoryStorage()), Layer.succeed(Codecs, codecs))),
  )

const errorsOf = (uri: string, options: { readonly key?: Uint8Array }) =>
  Effect.map(
    Stream.runCollect(TileArray.verify(uri, options)),
    (findings) => [...findings].filter(({ severity }) => severity !== "info"),
  )

describe("copied tiles", () => {
  for (const [colMajor, isEncrypted] of [[false, false], [true, false], [false, true]] as const) {
    it(`keep the newest cells (column-major: ${colMajor}, encrypted: ${isEncrypted})`, async () => {
      const options = isEncrypted ? { key: new Uint8Array(32).fill(7) } : {}
      let copies = 0
      await FastCheck.assert(
        FastCheck.asyncProperty(boxes, FastCheck.boolean(), async (all, isSplit) => {
          const { counts, codecs } = countingCodecs()
          const program = Effect.gen(function* () {
            yield* TileArray.create("mem://a", schemaOf(colMajor), { at: 1, ...options })
            yield* writeAll("mem://a", all, options)
            const before = yield* cellsIn("mem://a", options)
            const { encoded } = counts
            const rules = { amplification: 1000, ...(isSplit ? { maxFragmentSize: 1 } : {}) }
            yield* TileArray.consolidate("mem://a", { ...rules, ...options })
            const added = counts.encoded - encoded
            assertEquals(yield* cellsIn("mem://a", options), before)
            yield* TileArray.vacuum("mem://a", { age: 0 })
            assertEquals(yield* cellsIn("mem://a", options), before)
            const { fragments } = yield* openArray("mem://a", options)
            // each tile is in three files
            copies += 3 * fragments.reduce((sum, { tileCount }) => sum + tileCount, 0) - added
            // includes the statistics of all tiles
            assertEquals(yield* errorsOf("mem://a", options), [])
          })
          await run(program, codecs)
        }),
        { numRuns: 25, seed: 15 },
      )
      assert(copies > 50, `${copies} copies`)
    })
  }

  it("are not decoded", async () => {
    const { counts, codecs } = countingCodecs()
    const program = Effect.gen(function* () {
      yield* TileArray.create("mem://a", schemaOf(false), { at: 1 })
      // 4 × 3 whole tiles, the four in the middle again, and a cell of one of these
      yield* writeAll("mem://a", [[0, 0, 20, 12], [5, 4, 10, 8], [6, 5, 1, 1]], {})
      const before = yield* cellsIn("mem://a", {})
      const start = { ...counts }
      yield* TileArray.consolidate("mem://a", { amplification: 1000 })
      // one space tile of two fragments: values of two attributes, and validity
      assertEquals([counts.decoded - start.decoded, counts.encoded - start.encoded], [6, 3])
      assertEquals(yield* cellsIn("mem://a", {}), before)
      assertEquals(yield* errorsOf("mem://a", {}), [])
    })
    await run(program, codecs)
  })

  it("are tiles of the same schema only", async () => {
    const { counts, codecs } = countingCodecs()
    const program = Effect.gen(function* () {
      yield* TileArray.create("mem://a", schemaOf(false), { at: 1 })
      yield* writeAll("mem://a", [[0, 0, 20, 12]], {})
      yield* TileArray.evolve("mem://a", { addAttributes: { c: Attr.uint8() } }, { at: 500 })
      const array = yield* TileArray.open("mem://a", { at: 1000 })
      const columns = { ...columnsOf(20, 5), c: new Uint8Array(20).fill(1) }
      yield* Dense.write(array, { y: [1, 5], x: [-3, 0] }, columns as never, { at: 600 })
      const before = yield* cellsIn("mem://a", {})
      const { encoded } = counts
      yield* TileArray.consolidate("mem://a", { amplification: 1000 })
      // the 11 tiles of the older schema are filtered again
      assertEquals(counts.encoded - encoded, 33)
      assertEquals(yield* cellsIn("mem://a", {}), before)
      assertEquals(yield* errorsOf("mem://a", {}), [])
    })
    await run(program, codecs)
  })
})
