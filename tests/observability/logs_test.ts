/** Log messages report retries, slow fallbacks and skipped folders. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { ArraySchema, Attr, Dim, Group, TileArray } from "../../mod.ts"
import { StorageError } from "../../platform/errors.ts"
import * as Platform from "../../platform/mod.ts"
import { makeWorkers } from "../../platform/workers/worker_pool.ts"

interface Line {
  readonly level: string
  readonly text: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** The messages that an effect logs, of all levels. */
const logged = async <A, E>(effect: Effect.Effect<A, E>): Promise<ReadonlyArray<Line>> => {
  const lines: Array<Line> = []
  const logger = Logger.make(({ logLevel, message, annotations }) => {
    const text = (message as ReadonlyArray<unknown>).join(" ")
    lines.push({ level: logLevel.label, text, annotations: Object.fromEntries(HashMap.entries(annotations)) })
  })
  const layer = Layer.merge(Logger.replace(Logger.defaultLogger, logger), Logger.minimumLogLevel(LogLevel.All))
  await Effect.runPromise(Effect.provide(effect, layer))
  return lines
}

describe("log messages", () => {
  it("report each retry: the operation, the URI, the reason and the delay", async () => {
    const { storage } = Platform.withFaults(Platform.makeMemoryStorage(), { at: 0, fault: "fail" })
    const patient = Platform.withRetry(storage, { times: 2, wait: "2 millis", reasons: ["Unknown"] })
    const [line, ...others] = await logged(patient.write("mem://a", Uint8Array.of(1)))
    assertEquals(others, [])
    const { delayMillis, ...annotations } = line.annotations
    assertEquals([line.level, line.text], ["DEBUG", "retrying a storage call"])
    assertEquals(annotations, { operation: "write", uri: "mem://a", reason: "Unknown", attempt: 1 })
    assert((delayMillis as number) >= 0 && (delayMillis as number) <= 2)
  })

  it("tell why there are no worker threads", async () => {
    const [line] = await logged(Effect.scoped(makeWorkers(0)))
    assertEquals([line.level, line.text], ["DEBUG", "no worker threads"])
    assertEquals(typeof line.annotations.reason, "string")
  })

  it("tell why worker threads cannot be started", async () => {
    const program = Effect.gen(function* () {
      const workers = yield* makeWorkers(1)
      workers!.pool(new URL("./no_such_module.ts", import.meta.url)).offer(() => [undefined, []])
    })
    const [line] = await logged(Effect.scoped(program))
    assertEquals([line.level, line.text], ["DEBUG", "no worker threads: they cannot be started"])
    assert(String(line.annotations.reason).includes("no_such_module.ts"))
  })

  it("report a folder that a listing skips", async () => {
    const memory = Platform.makeMemoryStorage()
    const denied = (uri: string) => new StorageError({ op: "list", uri, reason: "Denied" })
    const storage: Platform.StorageService = {
      ...memory,
      list: (uri) => uri.endsWith("/locked") ? Effect.fail(denied(uri)) : memory.list(uri),
    }
    const program = Effect.gen(function* () {
      const Points = ArraySchema.sparse({ dims: { x: Dim.int32([1, 9]) }, attrs: { a: Attr.int8() } })
      yield* TileArray.create("mem://folder/points", Points)
      yield* storage.write("mem://folder/locked/file", Uint8Array.of(1))
      assertEquals((yield* Group.ls("mem://folder")).map(({ name }) => name), ["points"])
    })
    const lines = await logged(program.pipe(
      Effect.provideService(Platform.StorageService, storage),
      Effect.provide(Platform.layerNative),
    ))
    assertEquals(lines, [
      {
        level: "DEBUG",
        text: "a folder is skipped: permission denied",
        annotations: { uri: "mem://folder/locked" },
      },
    ])
  })
})
