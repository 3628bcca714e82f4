/** Verification of arrays that tessera writes in each format version: there are no findings. */
import { assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Condition, Dense, Dim, Filter, Sparse, TileArray } from "../../mod.ts"
import { layerNative, makeMemoryStorage, StorageService } from "../../platform/mod.ts"
import { findingsOf } from "./findings.ts"

const COUNT = 50
const numbers = Array.from({ length: COUNT }, (_, i) => i)

const writeSparse = (formatVersion: number, order: "row-major" | "col-major" | "hilbert") =>
  Effect.gen(function* () {
    const nullable = formatVersion >= 7
    const checksum = formatVersion >= 4 ? [Filter.checksum_md5()] : []
    const schema = ArraySchema.sparse({
      dims: {
        x: Dim.float64([-10, 10], { tile: 4 }),
        ...formatVersion >= 5 ? { y: Dim.ascii() } : { y: Dim.float64([-10, 10], { tile: 3 }) },
      },
      attrs: {
        a: Attr.int32({ filters: [Filter.zstd()], nullable }),
        f: Attr.float32({ filters: [...checksum, Filter.byteshuffle(), Filter.lz4()] }),
        s: Attr.ascii(),
      },
      capacity: 7,
      order,
    })
    const array = yield* TileArray.create("mem://array", schema, { at: 1, formatVersion })
    for (const time of [10, 20]) {
      yield* Sparse.write(array, {
        x: Float64Array.from(numbers, (i) => Math.sin(i * time) * 9),
        y: formatVersion >= 5 ? numbers.map((i) => `y${i % 7}`) : Float64Array.from(numbers, (i) => Math.cos(i) * 9),
        a: nullable ? numbers.map((i) => i % 3 === 0 ? null : -i) : Int32Array.from(numbers),
        f: Float32Array.from(numbers, (i) => i === 5 ? NaN : i / 3),
        s: numbers.map((i) => "text".repeat(i % 4)),
      }, { at: time })
    }
    if (formatVersion >= 16) yield* Sparse.delete(array, Condition.gt("f", 12), { at: 30 })
    if (formatVersion >= 4) yield* TileArray.putMetadata(array, { title: "a" }, { at: 40 })
    return array
  })

const writeDense = (formatVersion: number, order: "row-major" | "col-major") =>
  Effect.gen(function* () {
    const schema = ArraySchema.dense({
      dims: { y: Dim.int32([1, 9], { tile: 4 }), x: Dim.int32([-5, 5], { tile: 3 }) },
      attrs: { a: Attr.int16(), s: Attr.ascii(), d: Attr.float64({ filters: [Filter.gzip()] }) },
      order,
    })
    const array = yield* TileArray.create("mem://array", schema, { at: 1, formatVersion })
    for (const [y, x] of [[1, -5], [3, -2], [4, 0]] as const) {
      const cells = Array.from({ length: 30 }, (_, i) => i * y)
      const columns = {
        a: Int16Array.from(cells),
        s: cells.map((i) => `${i}`),
        d: Float64Array.from(cells, (i) => i / 7),
      }
      yield* Dense.write(array, { y: [y, y + 4], x: [x, x + 5] }, columns, { at: 10 * y })
    }
    return array
  })

describe("a verification of new arrays", () => {
  for (let version = 3; version <= 22; version++) {
    it(`finds nothing in format ${version}`, async () => {
      const writers = [
        writeSparse(version, "row-major"),
        writeSparse(version, "col-major"),
        ...version >= 8 ? [writeSparse(version, "hilbert")] : [],
        writeDense(version, "row-major"),
        writeDense(version, "col-major"),
      ]
      for (const [i, writer] of writers.entries()) {
        const files = new Map<string, Uint8Array>()
        const layer = Layer.merge(Layer.succeed(StorageService, makeMemoryStorage(files)), layerNative)
        await Effect.runPromise(Effect.provide(Effect.asVoid<unknown, unknown, never>(writer as never), layer))
        assertEquals(await findingsOf("array", files), [], `writer ${i}`)
        if (version < 12) continue
        const consolidation = Effect.all([
          TileArray.consolidate("mem://array"),
          TileArray.consolidate("mem://array", { mode: "commits" }),
          TileArray.consolidate("mem://array", { mode: "fragment_meta" }),
        ])
        await Effect.runPromise(Effect.provide(consolidation, layer))
        assertEquals(await findingsOf("array", files), [], `writer ${i}, consolidated`)
      }
    })
  }
})
