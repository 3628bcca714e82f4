import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Condition, Dense, Dim, Filter, Sparse, TileArray } from "../../mod.ts"
import {
  layerNative,
  layerWebp,
  makeCounters,
  makeMemoryStorage,
  StorageService,
  withCounters,
} from "../../platform/mod.ts"
import { openArray } from "../../src/array/open/open.ts"
import { explainDense, explainSparse } from "../../src/query/query_plan.ts"
import { readDense } from "../../src/query/request/dense_request.ts"
import type { ReadOptions } from "../../src/query/options/read_options.ts"
import { readSparse } from "../../src/query/request/sparse_request.ts"
import { packedCases } from "../cli/packed_files.ts"
import { counted, run } from "../support/run_query.ts"

const x = Int32Array.from({ length: 1000 }, (_, i) => 2 * i)
const Line = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 1999], { tile: 100, filters: [Filter.gzip()] }) },
  attrs: { a: Attr.int32({ filters: [Filter.zstd()] }), s: Attr.ascii({ filters: [Filter.zstd()] }) },
  capacity: 50,
})
const cells = { x, a: Int32Array.from(x), s: Array.from(x, (v) => `s${v}`) }

describe("explained reads", () => {
  it("report the requests and bytes of sparse reads exactly", () =>
    run(Effect.gen(function* () {
      const made = yield* TileArray.create("mem://line", Line)
      yield* Sparse.write(made, cells)
      const array = yield* TileArray.reopen(made)
      for (
        const options of [
          { order: "unordered" },
          { order: "row" },
          { order: "unordered", select: ["s"] },
          { order: "unordered", select: ["a"], where: "a >= 1900" },
        ] as const
      ) {
        const plan = yield* Sparse.explain(array, options)
        const cost = yield* counted(Sparse.read(array, options))
        assertEquals([options, plan.bytes, plan.requests], [options, cost.bytes, cost.requests])
        const [{ tiles, inRanges, ruledOut, read }] = plan.fragments
        assertEquals([tiles, inRanges, inRanges - ruledOut], [20, 20, read])
        assertEquals(read, "where" in options ? 1 : 20)
        assertEquals([plan.sorts, plan.deduplicates], [options.order === "row", false])
        assertEquals(plan.cells, 50 * read)
      }
      const part = yield* Sparse.explain(array, { region: { x: [100, 249] }, select: ["a"] })
      assertEquals(part.fragments.map(({ inRanges }) => inRanges), [2])
      assertEquals(part.fields, ["x", "a"])
      yield* Sparse.write(array, { ...cells, a: cells.a.toReversed() })
      const twice = yield* Sparse.explain(yield* TileArray.reopen(array), { where: "a >= 1900" })
      // an older cell must not reappear: the tile of the newer fragment that hides it is read too
      assertEquals(twice.fragments.map(({ ruledOut }) => ruledOut), [19, 18])
      assertEquals(twice.deduplicates, true)
    })))

  it("report the requests and bytes of dense reads exactly", () =>
    run(Effect.gen(function* () {
      const made = yield* TileArray.create(
        "mem://grid",
        ArraySchema.dense({
          dims: { r: Dim.int32([0, 39], { tile: 10 }), c: Dim.int32([0, 39], { tile: 10 }) },
          attrs: {
            a: Attr.int32({ filters: [Filter.zstd()] }),
            b: Attr.nullable(Attr.float64({ filters: [Filter.gzip()] })),
          },
        }),
      )
      const write = (rows: readonly [number, number], value: number) =>
        Dense.write(made, { r: rows }, {
          a: new Int32Array(40 * (rows[1] - rows[0] + 1)).fill(value),
          b: {
            values: new Float64Array(40 * (rows[1] - rows[0] + 1)),
            validity: new Uint8Array(40 * (rows[1] - rows[0] + 1)).fill(1),
          },
        })
      yield* write([0, 39], 1)
      yield* write([10, 19], 2)
      const array = yield* TileArray.reopen(made)
      for (const options of [{}, { select: ["a"] }, { region: { r: [10, 29], c: [0, 9] } }] as const) {
        const plan = yield* Dense.explain(array, options)
        const read = yield* counted(Dense.read(array, options))
        assertEquals([options, plan.bytes, plan.requests], [options, read.bytes, read.requests])
      }
      // tiles of the older fragment that the newer one covers are not read
      assertEquals((yield* Dense.explain(array)).fragments.map(({ read }) => read), [12, 4])
    })))

  it("bound the requests and bytes of reads of partial dense tiles", () =>
    run(Effect.gen(function* () {
      const made = yield* TileArray.create(
        "mem://plain",
        ArraySchema.dense({
          dims: { r: Dim.int32([0, 37], { tile: 10 }), c: Dim.int32([0, 39], { tile: 10 }) },
          attrs: { a: Attr.int32() },
        }),
      )
      yield* Dense.write(made, {}, { a: Int32Array.from({ length: 38 * 40 }, (_, i) => i) })
      const array = yield* TileArray.reopen(made)
      for (
        const ranges of [
          { r: [5, 14] },
          { r: [5, 14], c: [5, 14] },
          { r: 7 },
          { r: [30, 37] },
          { r: [20, 37], c: [10, 29] },
          {},
        ] as const
      ) {
        const plan = yield* Dense.explain(array, { region: ranges })
        const read = yield* counted(Dense.read(array, { region: ranges }))
        const place = JSON.stringify(ranges)
        assert(read.requests <= plan.requests, `${place}: ${read.requests} of ${plan.requests} requests`)
        assert(read.bytes <= plan.bytes, `${place}: ${read.bytes} of ${plan.bytes} bytes`)
      }
    })))
})

describe("explained reads of arrays of all engine versions", () => {
  for (const version of ["v1", "v4", "v7", "v16", "v22"]) {
    it(`require no more than reported: ${version}`, async () => {
      let [exact, all] = [0, 0]
      for (const { folder, key, files, objects } of packedCases(version)) {
        const memory = makeMemoryStorage()
        for (const [path, bytes] of files) Effect.runSync(memory.write(`mem://${path}`, bytes))
        let [requests, bytes] = [0, 0]
        const storage = withCounters(memory, makeCounters(), (call) => {
          if (!/\.tdb$/.test(call.uri) || /__fragment_metadata\.tdb$/.test(call.uri)) return
          requests += call.requests
          bytes += call.bytesRead
        })
        const layer = Layer.merge(Layer.succeed(StorageService, storage), Layer.provide(layerWebp, layerNative))
        for (const [name, { kind, error }] of Object.entries(objects)) {
          if (kind !== "array" || error !== undefined) continue
          const opening = key === undefined ? {} : { key: new TextEncoder().encode(key) }
          await Effect.runPromise(Effect.provide(
            Effect.gen(function* () {
              const array = yield* openArray(`mem://${folder}/${name}`, opening)
              const { dimensions, attributes, arrayType } = array.schema
              const [explain, read] = arrayType === "dense" ? [explainDense, readDense] : [explainSparse, readSparse]
              for (
                const options of [{}, { order: "col" }, { order: "unordered" }, { select: [dimensions[0].name] }, {
                  where: Condition.notNull(attributes[0].name),
                }] as ReadonlyArray<ReadOptions>
              ) {
                const plan = yield* explain(array, options)
                ;[requests, bytes] = [0, 0]
                const { columns } = yield* read(array, options)
                const place = `${folder}/${name} ${JSON.stringify(options)}: `
                assert(bytes <= plan.bytes, `${place}${bytes} of ${plan.bytes} bytes`)
                assert(requests <= plan.requests, `${place}${requests} of ${plan.requests} requests`)
                all++
                if (bytes === plan.bytes && requests === plan.requests) exact++
                for (const [field, { values, offsets, validity }] of Object.entries(columns)) {
                  const size = plan.sizes[field]
                  assert(values.byteLength <= size.values, `${place}${field}: ${values.byteLength} of ${size.values}`)
                  assert((offsets?.byteLength ?? 0) <= size.offsets, `${place}${field}`)
                  assert((validity?.byteLength ?? 0) <= size.validity, `${place}${field}`)
                }
              }
            }),
            layer,
          ))
        }
      }
      assert(exact > all / 3, `${exact} of ${all} plans are exact`)
    })
  }
})
