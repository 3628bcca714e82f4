/** Batches for `for await`: they are typed, are read one at a time, and end with a break, an error or a signal. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { ArrayNotFound, Dense, layerDefault, layerNative, ResultTooLarge, Sparse, TileArray } from "../../../mod.ts"
import { makeCounters, StorageService, withCounters } from "../../../platform/mod.ts"
import { localFiles } from "../../../platform/storage/local/local.ts"
import { streamPartitions } from "../../../src/query/batch/partition_stream.ts"
import { startWebServer } from "../../support/web_server.ts"
import { exactly } from "../../types/equal.ts"
import { Weather } from "../../support/weather.ts"

const weather = join(import.meta.dirname!, "../../golden/demo/weather")
const quakes = join(import.meta.dirname!, "../../support/quakes")
const box = { region: { day: [1, 366], station: [1, 100] } } as const

/** Returns the error that a loop throws. */
const thrown = async (run: () => Promise<unknown>): Promise<unknown> => {
  try {
    await run()
  } catch (error) {
    return error
  }
  return assert(false, "nothing was thrown")
}

describe("batches", () => {
  it("let timers and signals run between synchronous steps", async () => {
    let timers = 0
    const timer = setInterval(() => timers++, 0)
    const step = (part: number) =>
      Effect.sync(() => {
        if (part > 1) return { kind: "split", parts: [part / 2, part / 2] } as const
        for (const start = performance.now(); performance.now() - start < 10;);
        return { kind: "read", batch: {} } as const
      })
    const made = await Effect.runPromise(Stream.runCount(streamPartitions(8, step)))
    clearInterval(timer)
    assertEquals(made, 8)
    assert(timers > 0)
  })

  it("contain the cells of the read, for an open array and for an effect that opens it", async () => {
    const open = await Effect.runPromise(Effect.provide(TileArray.open(weather, Weather), layerDefault))
    const whole = await Effect.runPromise(Effect.provide(Dense.read(open, box), layerDefault))
    for (const array of [open, TileArray.open(weather, Weather)]) {
      const values: Array<number> = []
      let batches = 0
      for await (const { columns, shape } of Dense.batches(array, { ...box, memory: 200_000 }, layerDefault)) {
        exactly<Float32Array>()(columns.temperature)
        assertEquals(columns.temperature.length, shape[0] * shape[1])
        for (const value of columns.temperature) values.push(value)
        batches++
      }
      assert(batches > 3, `${batches}`)
      assertEquals(Float32Array.from(values), whole.columns.temperature)
    }
  })

  it("of sparse arrays contain cells", async () => {
    let cells = 0
    for await (const { length, columns } of Sparse.batches(TileArray.open(quakes), { order: "row" }, layerDefault)) {
      assertEquals(columns.lat.length, length)
      cells += length
    }
    assert(cells > 2)
  })

  it("throw tagged errors", async () => {
    const all = async (batches: AsyncIterable<unknown>) => {
      for await (const _ of batches);
    }
    assert(
      await thrown(() => all(Dense.batches(TileArray.open("no/such/array"), {}, layerDefault))) instanceof
        ArrayNotFound,
    )
    const tight = Dense.batches(TileArray.open(weather), { memory: 10 }, layerDefault)
    assert(await thrown(() => all(tight)) instanceof ResultTooLarge)
  })

  it("are read at most one batch ahead, and not before the loop starts", async () => {
    const trace = makeCounters()
    const layer = Layer.merge(Layer.succeed(StorageService, withCounters(localFiles, trace)), layerNative)
    const batches = Dense.batches(TileArray.open(weather), { ...box, memory: 200_000 }, layer)
    assertEquals(trace.requests, 0)
    for await (const _ of batches) break
    const few = trace.requests
    for await (const _ of batches);
    assert(few > 0 && few < trace.requests - few, `${few} of ${trace.requests - few}`)
  })
})

describe("signals", () => {
  const stopped = new Error("stopped")

  it("that are already aborted prevent all requests", async () => {
    const trace = makeCounters()
    const layer = Layer.merge(Layer.succeed(StorageService, withCounters(localFiles, trace)), layerNative)
    const batches = Dense.batches(TileArray.open(weather), { signal: AbortSignal.abort(stopped) }, layer)
    const error = await thrown(async () => {
      for await (const _ of batches);
    })
    assertEquals([error, trace.requests], [stopped, 0])
  })

  it("end a loop between batches", async () => {
    const controller = new AbortController()
    const options = { ...box, memory: 200_000, signal: controller.signal }
    let batches = 0
    const error = await thrown(async () => {
      for await (const _ of Dense.batches(TileArray.open(weather), options, layerDefault)) {
        batches++
        controller.abort()
      }
    })
    assertEquals((error as Error).name, "AbortError")
    assertEquals(batches, 1)
  })

  it("abort requests in flight", async () => {
    const files = new Map(
      readdirSync(weather, { recursive: true, withFileTypes: true }).filter((e) => e.isFile()).map((e) => {
        const path = join(e.parentPath, e.name)
        return [`weather${path.slice(weather.length)}`, new Uint8Array(readFileSync(path))]
      }),
    )
    const controller = new AbortController()
    const server = await startWebServer({
      files,
      // requests for cells never get a response
      first: ({ path }) => {
        if (!/\/a\d+\.tdb$/.test(path)) return undefined
        setTimeout(() => controller.abort(stopped), 20)
        return true
      },
    })
    try {
      const array = TileArray.open(`${server.origin}/weather`)
      const error = await thrown(async () => {
        for await (const _ of Dense.batches(array, { signal: controller.signal }, layerDefault));
      })
      assertEquals(error, stopped)
      for (let i = 0; i < 100 && !server.seen.some(({ cut }) => cut); i++) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      assert(server.seen.some(({ cut, path }) => cut && path.endsWith(".tdb")), "no request was aborted")
    } finally {
      await server.close()
    }
  })

  it("have no listeners after the loop", async () => {
    const controller = new AbortController()
    const { signal } = controller
    let listeners = 0
    const watched = new Proxy(signal, {
      get: (target, name) => {
        const value = Reflect.get(target, name)
        if (name === "addEventListener") listeners++
        if (name === "removeEventListener") listeners--
        return typeof value === "function" ? value.bind(target) : value
      },
    })
    for await (const _ of Dense.batches(TileArray.open(weather), { signal: watched }, layerDefault));
    assertEquals(listeners, 0)
  })
})
