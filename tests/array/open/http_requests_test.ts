/**
 * The number of requests for arrays of 1 and 100 fragments: opening, reading one tile, and reopening; on a web server
 * as counted by the server, in a local folder as counted by the calls of the storage.
 */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, it } from "node:test"
import {
  httpFiles,
  layerNative,
  localFiles,
  makeCounters,
  makeMemoryStorage,
  publish,
  StorageService,
  withCounters,
} from "../../../platform/mod.ts"
import { Dense, TileArray } from "../../../mod.ts"
import { startWebServer } from "../../support/web_server.ts"

const weather = join(import.meta.dirname!, "../../golden/demo/weather")

/**
 * Returns the array of the demo with `count` copies of its first fragment: the files of a fragment do not contain its
 * name.
 */
const copies = (count: number): Map<string, Uint8Array> => {
  const files = new Map<string, Uint8Array>()
  for (const entry of readdirSync(weather, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(weather.length + 1)
    if (entry.isFile()) files.set(`weather/${path}`, new Uint8Array(readFileSync(join(weather, path))))
  }
  const first = /__1709539200000_1709539200000_36056cb0b081f35cd5fd9c2c88e51651_22/
  for (const [path, bytes] of [...files]) {
    if (/\/__(fragments|commits)\//.test(path)) files.delete(path)
    if (!first.test(path)) continue
    for (let i = 0; i < count; i++) {
      const time = 1709539200000 + i
      files.set(path.replace(first, `__${time}_${time}_${i.toString(16).padStart(32, "0")}_22`), bytes)
    }
  }
  return files
}

const measure = async (count: number, how: "manifest" | "index") => {
  const files = copies(count)
  if (how === "manifest") Effect.runSync(publish(makeMemoryStorage(files), "mem://weather"))
  const server = await startWebServer({ files, index: how === "index" ? "nginx" : "forbidden", etag: true })
  const trace = makeCounters()
  const layer = Layer.merge(Layer.succeed(StorageService, withCounters(httpFiles(), trace)), layerNative)
  const countRequests = async <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof layer>>) => {
    const [calls, requests] = [trace.requests, server.seen.length]
    const answer = await Effect.runPromise(Effect.provide(program, layer))
    return { answer, calls: trace.requests - calls, requests: server.seen.length - requests }
  }
  try {
    const uri = `${server.origin}/weather`
    const open = await countRequests(TileArray.open(uri))
    const tile = await countRequests(
      Dense.read(open.answer, { select: ["temperature"], region: { day: 57, station: 1 } }),
    )
    const again = await countRequests(TileArray.reopen(open.answer))
    assertEquals(tile.answer.columns.temperature.values.length, 1)
    const shown = ({ calls, requests }: { readonly calls: number; readonly requests: number }) => ({ calls, requests })
    return { open: shown(open), tile: shown(tile), again: shown(again) }
  } finally {
    await server.close()
  }
}

describe("arrays on a web server", () => {
  for (const count of [1, 100]) {
    it(`of ${count} fragments, with a manifest: one request for it, one for the schema, one tail per fragment; then one for a tile`, async () => {
      const { open, tile, again } = await measure(count, "manifest")
      assertEquals(open.requests, 2 + count)
      assertEquals(tile, { calls: 1, requests: 1 })
      assertEquals(again, { calls: 3, requests: 1 }, "the manifest only, and that has not changed")
    })

    it(`of ${count} fragments, with index pages: three requests for pages, and one attempt to read a manifest`, async () => {
      const { open, tile, again } = await measure(count, "index")
      assertEquals(open.requests, 1 + 3 + 1 + count)
      assertEquals(tile, { calls: 1, requests: 1 })
      assertEquals(again, { calls: 3, requests: 3 })
    })
  }
})

describe("arrays in a local folder", () => {
  for (const count of [1, 100]) {
    it(`of ${count} fragments: three listings, the schema, one tail per fragment; at most two for a tile; listings again`, async () => {
      const folder = mkdtempSync(join(tmpdir(), "tessera-"))
      try {
        for (const [path, bytes] of copies(count)) {
          mkdirSync(dirname(join(folder, path)), { recursive: true })
          writeFileSync(join(folder, path), bytes)
        }
        const trace = makeCounters()
        const layer = Layer.merge(Layer.succeed(StorageService, withCounters(localFiles, trace)), layerNative)
        let before = { ...trace.calls }
        const countRequests = async <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof layer>>) => {
          const answer = await Effect.runPromise(Effect.provide(program, layer))
          const { list, read, readRanges, readTail, size } = trace.calls
          const made = {
            list: list - before.list,
            read: read - before.read,
            readTail: readTail - before.readTail,
            others: readRanges + size - before.readRanges - before.size,
          }
          before = { ...trace.calls }
          return { answer, made }
        }
        const open = await countRequests(TileArray.open(join(folder, "weather")))
        assertEquals(open.made, { list: 3, read: 1, readTail: count, others: 0 })
        const tile = await countRequests(
          Dense.read(open.answer, { select: ["temperature"], region: { day: 57, station: 1 } }),
        )
        assertEquals(tile.answer.columns.temperature.values.length, 1)
        assertEquals({ ...tile.made, others: 0 }, { list: 0, read: 0, readTail: 0, others: 0 })
        assert(tile.made.others <= 2, `${tile.made.others} requests for a tile`)
        assertEquals((await countRequests(TileArray.reopen(open.answer))).made, {
          list: 3,
          read: 0,
          readTail: 0,
          others: 0,
        })
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  }
})
