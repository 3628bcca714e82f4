/** Options that opening rejects before the first request to the storage. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import { Group, InvalidOption, TileArray } from "../../../mod.ts"
import { makeCounters } from "../../../platform/storage/middleware/counters.ts"
import { layerDefault, layerTrace, type StorageService } from "../../../platform/mod.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import * as Layer from "effect/Layer"
import { exitCodeOf } from "../../../src/cli/exit_code.ts"

const weather = new URL("../../golden/demo/weather", import.meta.url).pathname

type Open = (uri: string, options?: TileArray.OpenOptions) => Effect.Effect<unknown, unknown, StorageService | Codecs>

const opens: Readonly<Record<string, Open>> = {
  "TileArray.open": TileArray.open,
  "Group.open": Group.open,
  "Group.ls": Group.ls,
  "Group.tree": Group.tree,
  "Group.walk": (uri, options) => Stream.runCollect(Group.walk(uri, options)),
}

const trace = makeCounters()
const layer = Layer.merge(layerDefault, Layer.provide(layerTrace(trace), layerDefault))

const refusal = async (effect: Effect.Effect<unknown, unknown, StorageService | Codecs>): Promise<InvalidOption> => {
  const before = trace.requests
  const error = await Effect.runPromise(Effect.provide(Effect.flip(effect), layer))
  assert(error instanceof InvalidOption, String(error))
  assertEquals(error._tag, "InvalidOption")
  assertEquals(exitCodeOf(error), 2)
  assertEquals(trace.requests, before, "the storage was called")
  return error
}

/** Fails unless every way to open rejects the option, with these words in the message. */
const refuses = async (options: unknown, option: string, ...words: ReadonlyArray<string>): Promise<void> => {
  for (const [name, open] of Object.entries(opens)) {
    const error = await refusal(open(weather, options as TileArray.OpenOptions))
    assertEquals([error.uri, error.option], [weather, option], name)
    for (const word of words) assertStringIncludes(error.message, word)
    assert(error.message.startsWith(`${weather}: ${option}: `), error.message)
  }
}

describe("a time", () => {
  for (const option of ["at", "start", "end"]) {
    it(`${option}: rejects an invalid Date`, () =>
      refuses({ [option]: new Date("nonsense") }, option, "Date is invalid"))
    it(`${option}: rejects NaN and infinite numbers`, async () => {
      for (const none of [NaN, Infinity, -Infinity]) {
        await refuses({ [option]: none }, option, `${none} is not a time`, "milliseconds")
      }
    })
    it(`${option}: rejects a fraction`, () =>
      refuses({ [option]: 1709539200.5 }, option, "1709539200.5", "whole milliseconds"))
    it(`${option}: rejects numbers above the safe integers`, async () => {
      await refuses({ [option]: 1e300 }, option, "1e+300 is not a time")
      await refuses({ [option]: 2n ** 64n - 1n }, option, "is not a time")
    })
    it(`${option}: rejects times before 1970`, async () => {
      await refuses({ [option]: -1 }, option, "-1 is before 1970")
      await refuses({ [option]: new Date("1969-12-31T00:00:00Z") }, option, "1969-12-31", "before 1970")
    })
    it(`${option}: rejects other types`, async () => {
      await refuses({ [option]: "2024-03-xx" }, option, "is not a time", "ISO date")
      await refuses({ [option]: true }, option, "a boolean", "a Date")
      await refuses({ [option]: Symbol.iterator }, option, "a symbol")
      await refuses({ [option]: null }, option, "null")
      await refuses({ [option]: [1, 2] }, option, "a list")
      await refuses({ [option]: { ms: 1 } }, option, "an object")
    })
  }

  it("rejects at together with end", () => refuses({ at: 5, end: 5 }, "at", "the same as end"))

  it("rejects a range that ends before it starts", async () => {
    await refuses({ start: 30, end: 10 }, "start", "30 is later than end, 10")
    await refuses({ start: new Date(30), at: 10 }, "start", "30 is later than at, 10")
  })

  it("accepts a number or Date; a start in the future selects no fragments", async () => {
    const timeOf = async (options: TileArray.OpenOptions) =>
      (await Effect.runPromise(Effect.provide(TileArray.open(weather, options), layer))).time
    const at = new Date("2024-03-04T08:00:00Z")
    assertEquals(await timeOf({ at }), { start: 0, end: at.getTime() })
    assertEquals(await timeOf({ start: 1, end: at.getTime(), at: undefined }), { start: 1, end: at.getTime() })
    assertEquals(await timeOf({ start: 1n, end: BigInt(at.getTime()) }), { start: 1, end: at.getTime() })
    assertEquals(await timeOf({ start: at, end: at }), { start: at.getTime(), end: at.getTime() })
    assert(trace.requests > 0)
    const before = Date.now()
    const now = await timeOf({})
    assert(now.end >= before && now.end <= Date.now())
    const start = before + 1e9
    const array = await Effect.runPromise(Effect.provide(TileArray.open(weather, { start }), layer))
    assertEquals(TileArray.nonEmptyDomain(array), undefined)
  })
})

describe("a key", () => {
  it("of a wrong length is rejected, and not shown", async () => {
    for (const length of [0, 16, 31, 33, 64]) {
      await refuses({ key: new Uint8Array(length).fill(77) }, "key", "32 bytes", `has ${length};`)
      const error = await refusal(TileArray.open(weather, { key: new Uint8Array(length).fill(77) }))
      assert(!/77|MMMM/.test(JSON.stringify(error) + error.message))
    }
  })

  it("of another type is rejected, and not shown", async () => {
    const text = "0123456789abcdeF0123456789abcdeF"
    await refuses({ key: text }, "key", "a string", "parseKey")
    assert(!(await refusal(TileArray.open(weather, { key: text as never }))).message.includes(text.slice(0, 8)))
    await refuses({ key: [1, 2, 3] }, "key", "a list")
    await refuses({ key: new ArrayBuffer(32) }, "key", "ArrayBuffer")
  })
})

describe("other options", () => {
  it("rejects unknown options", () => refuses({ timestamp: 5 }, "timestamp", "unknown option", "start, end"))
  it("rejects options that are not an object", async () => {
    await refuses(null, "options", "null")
    await refuses(5, "options", "a number")
    await refuses(new Date(5).getTime.bind(new Date(5)), "options", "a function")
  })
  it("accepts only true or false for verifyChecksums", async () => {
    await refuses({ verifyChecksums: "no" }, "verifyChecksums", "a string")
    await refuses({ verifyChecksums: 0 }, "verifyChecksums", "true or false")
  })
})

describe("a URI", () => {
  const places: Readonly<Record<string, Open>> = { ...opens, "Group.objectType": (uri) => Group.objectType(uri) }

  for (const [name, open] of Object.entries(places)) {
    it(`${name}: rejects an empty URI and other types`, async () => {
      for (
        const [uri, word] of [
          ["", "the path is empty"],
          [undefined, "this is undefined"],
          [null, "this is null"],
          [5, "this is a number"],
          [new URL("file:///tmp/a"), "fileURLToPath"],
        ] as ReadonlyArray<[string, string]>
      ) {
        const error = await refusal(open(uri))
        assertEquals([error.uri, error.option], ["", "uri"])
        assertStringIncludes(error.message, word)
      }
    })
  }

  it("of a file with escapes is not decoded, and the error explains it", async () => {
    const error = await Effect.runPromise(
      Effect.provide(Effect.flip(TileArray.open("file:///no/such%20array")), layerDefault),
    )
    assertEquals(error._tag, "ArrayNotFound")
    assertStringIncludes(error.message, "percent signs are not decoded in local paths")
  })
})
