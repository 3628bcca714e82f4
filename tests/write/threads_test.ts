/** Fragments whose tiles are filtered by worker threads equal those of a single thread. */
import { Buffer } from "node:buffer"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ArraySchema, Attr, Dense, Dim, Filter, layerMemory, layerNative, Sparse, TileArray } from "../../mod.ts"
import { Codecs } from "../../platform/codecs/service.ts"
import { nativeCodecs } from "../../platform/codecs/layers/native.ts"
import { Storage } from "../../platform/storage/service.ts"
import { type JobMessage, runMessage } from "../../platform/workers/jobs.ts"
import { tileJobs } from "../../src/fragment/worker/tile_jobs.ts"
import { makeWorkers, type Workers } from "../../platform/workers/worker_pool.ts"

/** Enough cells that threads are used. */
const CELLS = 1 << 21

const Grid = ArraySchema.dense({
  dims: { x: Dim.uint32([0, CELLS - 1], { tile: 40_000 }) },
  attrs: {
    a: Attr.float64({ filters: [Filter.byteshuffle(), Filter.zstd({ level: 1 })] }),
    n: Attr.nullable(Attr.int64({ filters: [Filter.lz4(), Filter.checksum_md5()] })),
  },
})

const Texts = ArraySchema.sparse({
  dims: { x: Dim.uint32([0, CELLS - 1], { tile: 1 << 16, filters: [Filter.double_delta()] }) },
  attrs: { s: Attr.ascii({ filters: [Filter.zstd({ level: 1 })] }), folded: Attr.ascii({ filters: [Filter.rle()] }) },
  capacity: 20_000,
})

/**
 * Workers that run jobs immediately on this thread. Jobs and results are cloned, as if they were sent to another
 * thread.
 */
const atOnce: Workers = {
  faultIn: () => Effect.void,
  pool: () => ({
    concurrency: 3,
    offer: (make) => {
      const [job, transfer] = make()
      const sent = structuredClone(job, { transfer: [...transfer] }) as JobMessage
      return Effect.sync(() => {
        const [answer, transfer] = runMessage(tileJobs, nativeCodecs, sent)
        return structuredClone(answer, { transfer: [...transfer] })
      })
    },
  }),
}

const near = Layer.merge(layerMemory, Layer.succeed(Codecs, { ...nativeCodecs, workers: atOnce }))
const threaded = Layer.merge(
  layerMemory,
  Layer.scoped(Codecs, Effect.map(makeWorkers(2), (workers) => Codecs.of({ ...nativeCodecs, workers }))),
)
const single = Layer.merge(layerMemory, layerNative)

/** Returns the files of the only fragment of an array by name. */
const filesOf = (uri: string) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const [folder] = (yield* storage.list(`${uri}/__fragments`)).map(({ name }) => `${uri}/__fragments/${name}`)
    const out: Record<string, Uint8Array> = {}
    for (const { name } of yield* storage.list(folder)) out[name] = yield* storage.read(`${folder}/${name}`)
    return out
  })

const grid = Effect.gen(function* () {
  const array = yield* TileArray.create("mem://grid", Grid)
  yield* Dense.write(array, {}, {
    a: Float64Array.from({ length: CELLS }, (_, i) => Math.round(1000 * Math.sin(i / 1000)) / 8),
    n: {
      values: new BigInt64Array(CELLS).fill(7n),
      validity: Uint8Array.from({ length: CELLS }, (_, i) => i % 7 === 0 ? 0 : 1),
    },
  }, { at: 1 })
  return yield* filesOf("mem://grid")
})

const texts = Effect.gen(function* () {
  const cells = 1 << 19
  const words = Array.from({ length: 1000 }, (_, i) => `word ${i}`.repeat(1 + i % 9))
  const array = yield* TileArray.create("mem://texts", Texts)
  yield* Sparse.write(array, {
    x: Uint32Array.from({ length: cells }, (_, i) => (i * 4099) % CELLS),
    s: Array.from({ length: cells }, (_, i) => words[i % 1000]),
    folded: Array.from({ length: cells }, (_, i) => words[i % 1000]),
  }, { at: 1 })
  return yield* filesOf("mem://texts")
})

describe("tiles that worker threads filter", () => {
  for (const [name, write] of [["fixed-sized and nullable", grid], ["var-sized", texts]] as const) {
    it(`equal the tiles of one thread: ${name}`, async () => {
      const [ours, other, theirs] = await Promise.all([
        Effect.runPromise(Effect.provide(write, threaded)),
        Effect.runPromise(Effect.provide(write, near)),
        Effect.runPromise(Effect.provide(write, single)),
      ])
      for (const files of [ours, other]) {
        assertEquals(Object.keys(files), Object.keys(theirs))
        for (const file of Object.keys(files)) {
          if (file === "__fragment_metadata.tdb") continue
          assert(Buffer.from(files[file]).equals(theirs[file]), file)
        }
      }
    })
  }

  it("report the cell that a filter rejects, on any thread", async () => {
    const Rising = ArraySchema.dense({
      dims: { x: Dim.uint32([0, CELLS - 1], { tile: 40_000 }) },
      attrs: { a: Attr.float64(), n: Attr.uint64({ filters: [Filter.positive_delta()] }) },
    })
    const values = BigUint64Array.from({ length: CELLS }, (_, i) => BigInt(i))
    values[1_999_999] = 5n
    const program = Effect.gen(function* () {
      const array = yield* TileArray.create("mem://rising", Rising)
      return yield* Effect.flip(Dense.write(array, {}, { a: new Float64Array(CELLS), n: values }))
    })
    const [ours, theirs] = await Promise.all([
      Effect.runPromise(Effect.provide(program, threaded)),
      Effect.runPromise(Effect.provide(program, single)),
    ])
    assertEquals([ours._tag, ours.message], [theirs._tag, theirs.message])
    assertEquals("cell" in ours && ours.cell, 1_999_999)
  })
})
