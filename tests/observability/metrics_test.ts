/** Metrics count the operations of storages, caches, retries, tiles and worker threads. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { ArraySchema, Attr, Dense, Dim, Filter, Sparse, TileArray } from "../../mod.ts"
import * as Platform from "../../platform/mod.ts"
import { makeWorkers } from "../../platform/workers/worker_pool.ts"

const Grid = ArraySchema.dense({
  dims: { x: Dim.int32([1, 8], { tile: 4 }) },
  attrs: { a: Attr.int32({ filters: [Filter.zstd({ level: 1 })] }) },
})
const Points = ArraySchema.sparse({ dims: { x: Dim.int32([1, 100], { tile: 10 }) }, attrs: { a: Attr.int32() } })

/** Returns the counters of one run: each run has a unique tag, because Effect has one metric registry per process. */
const metricsOf = async (run: string): Promise<ReadonlyMap<string, number>> => {
  const sums = new Map<string, number>()
  for (const { metricKey, metricState } of await Effect.runPromise(Metric.snapshot)) {
    if (!metricKey.tags.some(({ key, value }) => key === "run" && value === run)) continue
    const count = Number((metricState as unknown as { readonly count: number }).count)
    sums.set(metricKey.name, (sums.get(metricKey.name) ?? 0) + count)
  }
  return sums
}

let runs = 0
const measure = async <A, E>(effect: Effect.Effect<A, E>) => {
  const run = `metrics-${runs++}`
  const value = await Effect.runPromise(Effect.tagMetrics(effect, { run }))
  return { value, metrics: await metricsOf(run), run }
}

const use =
  (storage: Platform.StorageService) =>
  <A, E>(program: Effect.Effect<A, E, Platform.StorageService | Platform.Codecs>) =>
    program.pipe(Effect.provideService(Platform.StorageService, storage), Effect.provide(Platform.layerNative))

const writeAndRead = Effect.gen(function* () {
  const grid = yield* TileArray.create("mem://grid", Grid)
  yield* Dense.write(grid, { x: [1, 8] }, { a: Int32Array.of(1, 2, 3, 4, 5, 6, 7, 8) })
  return yield* Dense.read(yield* TileArray.reopen(grid), { region: { x: [1, 4] } })
})

describe("metrics", () => {
  it("of storage equal those of withCounters", async () => {
    const counters = Platform.makeCounters()
    const storage = Platform.withCounters(Platform.makeMemoryStorage(), counters)
    const { metrics } = await measure(use(storage)(writeAndRead))
    assertEquals(metrics.get("tessera.storage.requests"), counters.requests)
    assertEquals(metrics.get("tessera.storage.bytes_read"), counters.bytesRead)
    assertEquals(metrics.get("tessera.storage.bytes_written"), counters.bytesWritten)
    assertEquals(metrics.get("tessera.tiles.decoded"), 1)
    assertEquals(metrics.get("tessera.storage.failures"), undefined)
  })

  it("are tagged by scheme and operation, and by no other tag of this library", async () => {
    const { run } = await measure(use(Platform.makeMemoryStorage())(writeAndRead))
    const keys = (await Effect.runPromise(Metric.snapshot)).map(({ metricKey }) => metricKey)
      .filter(({ tags }) => tags.some(({ value }) => value === run))
    assertEquals([...new Set(keys.flatMap(({ tags }) => tags.map(({ key }) => key)))].sort(), [
      "operation",
      "run",
      "scheme",
    ])
    assert(keys.every(({ tags }) => tags.every(({ key, value }) => key !== "scheme" || value === "mem")))
  })

  it("count failures", async () => {
    const { metrics } = await measure(Effect.exit(Platform.makeMemoryStorage().read("mem://missing")))
    assertEquals([metrics.get("tessera.storage.requests"), metrics.get("tessera.storage.failures")], [1, 1])
  })

  it("count retries", async () => {
    const { storage } = Platform.withFaults(Platform.makeMemoryStorage(), { at: 0, fault: "fail" })
    const patient = Platform.withRetry(storage, { times: 2, wait: "1 millis", reasons: ["Unknown"] })
    const { metrics } = await measure(patient.write("mem://a", Uint8Array.of(1)))
    assertEquals(metrics.get("tessera.storage.retries"), 1)
  })

  it("count hits and misses of the cache", async () => {
    const storage = Platform.withCache(Platform.makeMemoryStorage(), { immutable: () => true })
    const program = Effect.gen(function* () {
      yield* storage.write("mem://a", new Uint8Array(100))
      yield* storage.readRanges("mem://a", [{ offset: 0, length: 10 }, { offset: 50, length: 10 }])
      yield* storage.readRanges("mem://a", [{ offset: 0, length: 10 }, { offset: 90, length: 10 }])
      yield* storage.read("mem://a")
      yield* storage.read("mem://a")
      yield* storage.readTail("mem://a", 5)
      yield* storage.size("mem://a")
    })
    const { metrics } = await measure(program)
    assertEquals([metrics.get("tessera.cache.hits"), metrics.get("tessera.cache.misses")], [4, 4])
  })

  it("count pruned tiles", async () => {
    const program = Effect.gen(function* () {
      const array = yield* TileArray.create("mem://points", Points)
      yield* Sparse.write(array, { x: [1, 2], a: [5, 6] })
      return (yield* Sparse.read(yield* TileArray.reopen(array), { where: "a > 9" })).length
    })
    const { value, metrics } = await measure(use(Platform.makeMemoryStorage())(program))
    assertEquals([value, metrics.get("tessera.tiles.pruned"), metrics.get("tessera.tiles.decoded")], [0, 1, undefined])
  })

  it("count jobs of worker threads", async () => {
    const jobs = Effect.map(Metric.value(Platform.Metrics.workerJobs), ({ count }) => count)
    const program = Effect.gen(function* () {
      const workers = yield* makeWorkers(1)
      const pool = workers!.pool({ url: new URL("../platform/workers/echo_worker.ts", import.meta.url) })
      const before = yield* jobs
      const bytes = new ArrayBuffer(8)
      let answer: ReturnType<typeof pool.offer>
      for (let i = 0; i < 500 && answer === undefined; i++) {
        answer = pool.offer(() => [{ bytes }, [bytes]])
        if (answer === undefined) yield* Effect.sleep(10)
      }
      assert(answer !== undefined, "no worker thread became ready")
      yield* answer
      return (yield* jobs) - before
    })
    assertEquals(await Effect.runPromise(Effect.scoped(program)), 1)
  })
})
