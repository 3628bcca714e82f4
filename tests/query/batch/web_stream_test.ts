/** Web streams: they produce elements on demand, and cancellation aborts requests in flight. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { ArrayNotFound, Dense, layerDefault, layerNative, TileArray, toReadableStream } from "../../../mod.ts"
import { makeCounters, StorageService, withCounters } from "../../../platform/mod.ts"
import { localFiles } from "../../../platform/storage/local/local.ts"
import { startWebServer } from "../../support/web_server.ts"

const weather = join(import.meta.dirname!, "../../golden/demo/weather")
const box = { region: { day: [1, 366], station: [1, 100] }, memory: 200_000 } as const
const batches = (uri: string, query: Dense.Query = box) =>
  Stream.flatMap(TileArray.open(uri), (array) => Dense.stream(array, query))
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Returns the reason that a promise rejects with. */
const rejected = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => assert(false, "nothing was thrown"), (error) => error)

/**
 * Serves the demo's array from a server that never responds to requests for cells. Passes to `run` the URI, whether
 * cells were requested, and whether a request for cells was aborted.
 */
const withSlowServer = async (
  run: (uri: string, isRequested: () => boolean, isAborted: () => boolean) => Promise<void>,
) => {
  const files = new Map(
    readdirSync(weather, { recursive: true, withFileTypes: true }).filter((e) => e.isFile()).map((e) => {
      const path = join(e.parentPath, e.name)
      return [`weather${path.slice(weather.length)}`, new Uint8Array(readFileSync(path))]
    }),
  )
  let requested = false
  const server = await startWebServer({
    files,
    first: ({ path }) => {
      if (!/\/a\d+\.tdb$/.test(path)) return undefined
      requested = true
      return true
    },
  })
  try {
    await run(
      `${server.origin}/weather`,
      () => requested,
      () => server.seen.some(({ cut, path }) => cut && path.endsWith(".tdb")),
    )
  } finally {
    await server.close()
  }
}

/** Waits until a condition is true, at most a second. Returns whether it is true. */
const until = async (holds: () => boolean): Promise<boolean> => {
  for (let i = 0; i < 100 && !holds(); i++) await pause(10)
  return holds()
}

describe("readable streams", () => {
  it("return the elements of the stream, then end", async () => {
    let cells = 0
    let parts = 0
    const reader = toReadableStream(batches(weather), layerDefault).getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      cells += next.value.columns.temperature.length
      parts++
    }
    assertEquals(cells, 366 * 100)
    assert(parts > 3)
    const numbers = toReadableStream(Stream.range(1, 5), Layer.empty)
    const doubled = numbers.pipeThrough(new TransformStream({ transform: (n, out) => out.enqueue(2 * n) }))
    const seen: Array<number> = []
    await doubled.pipeTo(new WritableStream({ write: (n) => void seen.push(n) }))
    assertEquals(seen, [2, 4, 6, 8, 10])
  })

  it("produce no element before the first read, then one element ahead", async () => {
    const made: Array<number> = []
    const stream = Stream.tap(Stream.rechunk(Stream.range(1, 100), 1), (n) => Effect.sync(() => made.push(n)))
    const readable = toReadableStream(stream, Layer.empty)
    await pause(20)
    assertEquals(made, [])
    const reader = readable.getReader()
    assertEquals((await reader.read()).value, 1)
    await pause(20)
    assert(made.length <= 3, made.join())
    await reader.cancel()
    const trace = makeCounters()
    const layer = Layer.merge(Layer.succeed(StorageService, withCounters(localFiles, trace)), layerNative)
    const first = toReadableStream(batches(weather), layer)
    await pause(5)
    assertEquals(trace.requests, 0)
    const one = first.getReader()
    await one.read()
    await one.cancel()
    const few = trace.requests
    await pause(20)
    assertEquals(trace.requests, few)
  })

  it("close their resources at the end, on cancellation and on failure", async () => {
    for (const end of ["all", "cancel", "fail"]) {
      let open = 0
      const layer = Layer.scopedDiscard(
        Effect.acquireRelease(Effect.sync(() => open++), () => Effect.sync(() => open--)),
      )
      const failing = end === "fail" ? Stream.fail("broken") : Stream.empty
      const reader = toReadableStream(Stream.concat(Stream.range(1, 3), failing), layer).getReader()
      assertEquals((await reader.read()).value, 1)
      assertEquals(open, 1)
      if (end === "cancel") await reader.cancel()
      else {
        const rest = (async () => {
          while (!(await reader.read()).done);
        })()
        if (end === "fail") assertEquals(await rejected(rest), "broken")
        else await rest
      }
      assert(await until(() => open === 0), `${end}: ${open}`)
    }
  })

  it("reject with tagged errors", async () => {
    const reader = toReadableStream(batches("no/such/array"), layerDefault).getReader()
    assert(await rejected(reader.read()) instanceof ArrayNotFound)
  })

  it("abort requests in flight when they are cancelled", () =>
    withSlowServer(async (uri, isRequested, isAborted) => {
      const reader = toReadableStream(batches(uri, {}), layerDefault).getReader()
      const reading = reader.read()
      assert(await until(isRequested), "no cells were requested")
      await reader.cancel()
      assertEquals((await reading).done, true)
      assert(await until(isAborted), "no request was aborted")
    }))

  it("abort requests in flight when their signal is aborted", () =>
    withSlowServer(async (uri, isRequested, isAborted) => {
      const controller = new AbortController()
      const stopped = new Error("stopped")
      const reader = toReadableStream(batches(uri, {}), layerDefault, { signal: controller.signal }).getReader()
      const reading = rejected(reader.read())
      assert(await until(isRequested), "no cells were requested")
      controller.abort(stopped)
      assertEquals(await reading, stopped)
      assert(await until(isAborted), "no request was aborted")
    }))
})
