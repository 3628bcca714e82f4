/** No credential and no cell value appears in spans, log messages or metrics. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import * as HashMap from "effect/HashMap"
import { inspect } from "node:util"
import { ArraySchema, Attr, Dense, Dim, TileArray } from "../../mod.ts"
import * as Platform from "../../platform/mod.ts"
import { makeInMemoryTracer } from "./in_memory_tracer.ts"

const SIGNATURE = "c4nary-S1GNATURE"
const PASSWORD = "c4nary-PASSWORD"
const HEADER = "c4nary-HEADER"
const KEY = "c4nary-KEY-0123456789abcdefghijk"
const CELL = "c4nary-CELL"
const SECRETS = [SIGNATURE, PASSWORD, HEADER, KEY, CELL, "c4nary"]

/** Returns everything that a program emits: spans with their failures, log messages, and metrics. */
const shown = async (
  program: Effect.Effect<unknown, unknown, Platform.StorageService | Platform.Codecs>,
  storage: Platform.StorageService,
) => {
  const tracer = makeInMemoryTracer()
  const lines: Array<string> = []
  const logger = Logger.make(({ message, annotations, cause }) => {
    lines.push(
      inspect(message),
      ...[...HashMap.values(annotations)].map(String),
      Cause.pretty(cause),
    )
  })
  const exit = await Effect.runPromiseExit(program.pipe(
    Effect.provideService(Platform.StorageService, Platform.withSpans(storage)),
    Effect.provide(Platform.layerNative),
    Effect.provide(
      Layer.mergeAll(tracer.layer, Logger.replace(Logger.defaultLogger, logger), Logger.minimumLogLevel(LogLevel.All)),
    ),
  ))
  const spans = tracer.spans.map(({ name, attributes, exit }) => {
    const cause = exit._tag === "Failure" ? exit.cause : Cause.empty
    // the parts of a failure that exporters use
    const errors = Cause.prettyErrors(cause).map(({ name, message, stack }) => [name, message, stack])
    return [name, ...[...attributes].flat().map(String), Cause.pretty(cause), inspect(errors)].join("\n")
  })
  const metrics = JSON.stringify(await Effect.runPromise(Metric.snapshot))
  return { exit, spans, lines, text: [...spans, ...lines, metrics].join("\n") }
}

const assertNoSecret = (text: string): void => {
  for (const secret of SECRETS) {
    const at = text.indexOf(secret)
    assert(at < 0, `${secret} is shown: ${text.slice(Math.max(0, at - 200), at + 100)}`)
  }
}

const Secret = ArraySchema.dense({
  dims: { x: Dim.int32([1, 2]) },
  attrs: { text: Attr.ascii() },
})

describe("secrets", () => {
  it("of a signed URL do not appear in failed or retried requests", async () => {
    const url = `http://user:${PASSWORD}@127.0.0.1:1/array?X-Amz-Signature=${SIGNATURE}`
    const storage = Platform.httpFiles({
      headers: { authorization: `Bearer ${HEADER}` },
      origin: "http://127.0.0.1:1",
      retry: { times: 2, wait: "1 millis" },
    })
    const { exit, spans, lines, text } = await shown(TileArray.open(url), storage)
    assertEquals(exit._tag, "Failure")
    assert(spans.some((span) => span.startsWith("tessera.TileArray.open")))
    assert(spans.some((span) => span.startsWith("tessera.storage.list")))
    assert(lines.some((line) => line.includes("retrying a storage call")), lines.join("\n"))
    assertNoSecret(text)
  })

  it("of an encrypted array and its cells do not appear", async () => {
    const key = new TextEncoder().encode(KEY)
    const program = Effect.gen(function* () {
      const array = yield* TileArray.create("mem://secret", Secret, { key })
      yield* Dense.write(array, { x: [1, 2] }, { text: [CELL, CELL] })
      yield* Dense.read(yield* TileArray.open("mem://secret", { key }), { where: `text == '${CELL}'` })
      yield* TileArray.open("mem://secret", { key: new Uint8Array(32) })
    })
    const { exit, spans, text } = await shown(program, Platform.makeMemoryStorage())
    assert(exit._tag === "Failure" && Cause.pretty(exit.cause).includes("DecryptionFailed"), inspect(exit))
    assert(spans.some((span) => span.startsWith("tessera.Dense.read")))
    assertNoSecret(text)
  })
})
