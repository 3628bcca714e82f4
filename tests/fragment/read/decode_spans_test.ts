import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { nativeCodecs } from "../../../platform/codecs/layers/native.ts"
import { makeWorkers, type WorkerPool, yieldToEventLoop } from "../../../platform/workers/worker_pool.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import type { TileContext } from "../../../src/filter/pipeline/pipeline.ts"
import { type CellSpans, NO_BYTES, spanDecoder } from "../../../src/fragment/read/decode_spans.ts"
import { finish } from "../../../src/kernel/steps.ts"
import { type JobMessage, runMessage } from "../../../platform/workers/jobs.ts"
import { tileJobs } from "../../../src/fragment/worker/tile_jobs.ts"

const CELLS = 40_000
const CHUNK = 8192

const context = (tile: number): TileContext => ({
  filters: { maxChunkSize: 65536, filters: [{ type: "zstd", level: -1 }] },
  type: "int32",
  cellSize: 4,
  version: 22,
  engineVersion: 22,
  codecs: nativeCodecs,
  uri: "mem://array/a0.tdb",
  offset: 1000 * tile,
})

/** Returns a tile of consecutive numbers from `first`, as engines write it. */
const tileFrom = (first: number): Uint8Array => {
  const cells = Int32Array.from({ length: CELLS }, (_, i) => first + i)
  const parts: Array<Uint8Array> = [new Uint8Array(BigUint64Array.of(BigInt(Math.ceil(CELLS / CHUNK))).buffer)]
  for (let at = 0; at < CELLS; at += CHUNK) {
    const chunk = cells.subarray(at, at + CHUNK)
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const packed = nativeCodecs.zstd.compress(bytes, 3)
    // the frame of compressors: parts of metadata and of data, then original and compressed size of each
    const metadata = new Uint8Array(Uint32Array.of(0, 1, bytes.length, packed.length).buffer)
    parts.push(new Uint8Array(Uint32Array.of(bytes.length, packed.length, metadata.length).buffer), metadata, packed)
  }
  const out = new Uint8Array(parts.reduce((sum, p) => sum + p.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

const size = () => 4 * CELLS
const spans = { tiles: [1, 3], first: [0, 9000], last: [CELLS - 1, 20_000] }

/** Decodes two tiles in a worker; returns the cells and their positions. */
const decodeAway = (pool: WorkerPool, tiles: ReadonlyArray<Uint8Array>) => {
  const taken: Array<readonly [i: number, first: number, cells: Int32Array]> = []
  const decoder = spanDecoder(4, size, context, spans, (i, bytes, first) => {
    taken.push([i, first, new Int32Array(bytes.slice().buffer)])
  })
  const read = new Uint8Array(tiles[0].length + tiles[1].length)
  read.set(tiles[0])
  read.set(tiles[1], tiles[0].length)
  const scratch = { read, cells: NO_BYTES }
  const away = decoder.decodeInWorker(
    pool,
    0,
    [read.subarray(0, tiles[0].length), read.subarray(tiles[0].length)],
    scratch,
  )
  return { away, taken, scratch }
}

/** A pool that runs jobs immediately. */
const atOnce: WorkerPool = {
  concurrency: 1,
  offer: (make) => {
    const [job] = make()
    return Effect.sync(() => runMessage(tileJobs, nativeCodecs, job as JobMessage)[0])
  },
}

const expected = (first: number, from: number, to: number): Int32Array =>
  Int32Array.from({ length: to - from }, (_, i) => first + from + i)

describe("tiles that are decoded in this thread", () => {
  /** Decodes cells 100 to 35,000 of a tile of five chunks; returns them and the number of decompressed chunks. */
  const decodeHere = (needs?: CellSpans["needs"]) => {
    let decompressed = 0
    const codecs: Codecs = {
      ...nativeCodecs,
      zstd: {
        ...nativeCodecs.zstd,
        decompress: (...args) => {
          decompressed++
          return nativeCodecs.zstd.decompress(...args)
        },
      },
    }
    let cells = new Int32Array(0)
    const span = { tiles: [2], first: [100], last: [35_000], ...needs && { needs } }
    const decoder = spanDecoder(4, size, (tile) => ({ ...context(tile), codecs }), span, (i, bytes, first) => {
      assertEquals([i, first], [0, 0])
      cells = new Int32Array(bytes.slice().buffer)
    })
    const tile = tileFrom(7)
    decompressed = 0
    finish(decoder.decode(0, tile, { read: NO_BYTES, cells: NO_BYTES }))
    return { cells, decompressed }
  }

  it("contain all cells from the first to the last", () => {
    assertEquals(decodeHere(), { cells: expected(7, 0, CELLS), decompressed: 5 })
  })

  it("contain only the requested chunks between them", () => {
    const requested = [100, 2 * CHUNK, 3 * CHUNK - 1, 35_000]
    const calls: Array<readonly [number, number]> = []
    const { cells, decompressed } = decodeHere((i, first, end) => {
      assertEquals(i, 0)
      calls.push([first, end])
      return requested.some((cell) => first <= cell && cell < end)
    })
    assertEquals(decompressed, 3)
    assertEquals(calls, [0, 1, 2, 3, 4].map((k) => [k * CHUNK, Math.min((k + 1) * CHUNK, CELLS)] as const))
    assertEquals(requested.map((cell) => cells[cell]), requested.map((cell) => 7 + cell))
  })
})

describe("tiles that a worker decodes", () => {
  it("are equal to tiles decoded in this thread, with the requested chunks only", async () => {
    const tiles = [tileFrom(5), tileFrom(1_000_000)]
    const { away, taken, scratch } = decodeAway(atOnce, tiles)
    await Effect.runPromise(away!)
    assertEquals(taken, [[0, 0, expected(5, 0, CELLS)], [1, CHUNK, expected(1_000_000, CHUNK, 3 * CHUNK)]])
    assertEquals(scratch.read.length, tiles[0].length + tiles[1].length)
  })

  it("are decoded by a separate thread", () =>
    Effect.runPromise(Effect.scoped(Effect.gen(function* () {
      const workers = yield* makeWorkers(1)
      const pool = workers!.pool({ url: new URL("../../../src/fragment/worker/tile_worker.ts", import.meta.url) })
      for (;;) {
        const { away, taken, scratch } = decodeAway(pool, [tileFrom(7), tileFrom(-9)])
        if (away === undefined) {
          assert(scratch.read.length > 0)
          yield* yieldToEventLoop
          continue
        }
        assertEquals(scratch.read, NO_BYTES)
        yield* Effect.orDieWith(away, () => new Error("lost"))
        assertEquals(taken, [[0, 0, expected(7, 0, CELLS)], [1, CHUNK, expected(-9, CHUNK, 3 * CHUNK)]])
        return
      }
    }))))

  it("are rejected with the same error as in this thread", async () => {
    const damaged = tileFrom(3)
    // the first chunk, which span 0 requires
    damaged.fill(0xff, 36, 80)
    const { away } = decodeAway(atOnce, [damaged, tileFrom(1)])
    const error = await Effect.runPromise(Effect.flip(away!))
    assert("message" in error && /chunk|zstd|frame/.test(String(error.message)), String(error))
  })

  it("are rejected before the transfer if their size is wrong", () => {
    const short = tileFrom(1)
    new DataView(short.buffer).setUint32(0, 1, true)
    let thrown: unknown
    try {
      decodeAway(atOnce, [tileFrom(1), short])
    } catch (error) {
      thrown = error
    }
    assert(thrown instanceof FormatError)
  })
})
