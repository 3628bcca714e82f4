/**
 * Invalid options: every operation fails with `InvalidOption`, and every function that returns a storage or layer
 * throws it. The error contains the name of the option, its value and similar names; no call reads or writes.
 */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { HttpClient } from "@effect/platform/HttpClient"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import {
  Aggregate,
  ArraySchema,
  Attr,
  type Codecs,
  Csv,
  Dense,
  Dim,
  Group,
  Hint,
  InvalidOption,
  layerNative,
  Sparse,
  StorageService,
  TileArray,
  toAsyncIterable,
  toReadableStream,
} from "../../mod.ts"
import {
  httpFiles,
  layerHttp,
  makeCounters,
  makeHttpStorage,
  makeLocalStorage,
  makeMemoryStorage,
  planCoalescing,
  withCache,
  withCoalescing,
  withCounters,
  withFaults,
  withLimit,
  withRetry,
} from "../../platform/mod.ts"
import { exitCodeOf } from "../../src/cli/exit_code.ts"

const Grid = ArraySchema.dense({
  dims: { x: Dim.int32([1, 4], { tile: 2 }) },
  attrs: { a: Attr.int32(), t: Attr.utf8() },
  labels: { l: { dim: "x", type: "float64", order: "increasing" } },
})
const Points = ArraySchema.sparse({ dims: { x: Dim.int32([1, 4]) }, attrs: { a: Attr.int32() } })

const counters = makeCounters()
const files = makeMemoryStorage()
const layer = Layer.merge(Layer.succeed(StorageService, withCounters(files, counters)), layerNative)
const run = <A, E>(effect: Effect.Effect<A, E, StorageService | Codecs>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layer))

const { grid, points } = await run(Effect.gen(function* () {
  yield* TileArray.create("mem://grid", Grid)
  yield* TileArray.create("mem://points", Points)
  yield* Group.create("mem://group")
  const grid = yield* TileArray.open("mem://grid")
  yield* Dense.write(grid, { x: [1, 2] }, { a: Int32Array.of(1, 2), t: ["a", "b"] } as never, { at: 1000 })
  const points = yield* TileArray.open("mem://points")
  yield* Sparse.write(points, { x: Int32Array.of(1), a: Int32Array.of(1) } as never, { at: 1000 })
  return { grid: yield* TileArray.open("mem://grid"), points: yield* TileArray.open("mem://points") }
}))

type Operation = (options: never) => Effect.Effect<unknown, unknown, StorageService | Codecs>

/** Invalid options by the option that the error names. */
type Wrong = Readonly<Record<string, ReadonlyArray<unknown>>>

const column = { x: Int32Array.of(2), a: Int32Array.of(1) } as never
const cells = { a: Int32Array.of(1, 2), t: ["a", "b"] } as never
const csv = Stream.make("x,a\n1,2\n")
const Row = Schema.Struct({ x: Schema.Number, a: Schema.Number })
const collect = <A, E, R>(stream: Stream.Stream<A, E, R>) => Stream.runCollect(stream)

const time: Wrong = { at: ["yesterday", true, -1, 1.5, NaN, {}], key: [new Uint8Array(3), "secret text"] }
const opening: Wrong = { ...time, start: ["now"], end: [null], verifyChecksums: ["no"] }
const atOnly: Wrong = { at: time.at }
const query: Wrong = {
  select: ["a", [1], { a: true }],
  region: [[1, 2], "x", 5],
  where: [5, true],
  order: ["rows", 1, Symbol("order")],
  outOfBounds: ["crop", true],
  limit: [-1, 1.5, "5", NaN],
  memory: [0, -5, NaN, "1 lump"],
  time: ["dates", 1],
}
const without = (wrong: Wrong, ...names: ReadonlyArray<string>): Wrong =>
  Object.fromEntries(Object.entries(wrong).filter(([name]) => !names.includes(name)))
const writing: Wrong = { ...atOnly, onProgress: [5] }
const target: Wrong = { overwrite: [1], resume: ["yes"], formatVersion: [2, "22", 7.5] }
const csvForm: Wrong = {
  ...atOnly,
  columns: ["x,a", [1]],
  delimiter: ["", "::", 5, null],
  null: [5],
  duplicates: ["last"],
  memory: [0, "1 lump"],
  onProgress: [true],
}

const operations: Readonly<Record<string, readonly [Operation, Wrong]>> = {
  "TileArray.open": [(options) => TileArray.open("mem://grid", options), opening],
  "TileArray.reopen": [(options) => TileArray.reopen(grid, options), { at: ["x"] }],
  "TileArray.create": [(options) => TileArray.create("mem://new", Grid, options), {
    ...time,
    formatVersion: [2, "22", 99, Symbol("version")],
  }],
  "TileArray.evolve, changes": [(changes) => TileArray.evolve("mem://grid", changes), {
    dropAttributes: ["a"],
    dropEnumerations: [5],
  }],
  "TileArray.evolve": [(options) => TileArray.evolve("mem://grid", { dropAttributes: ["t"] }, options), time],
  "TileArray.upgrade": [(options) => TileArray.upgrade("mem://grid", options), time],
  "TileArray.putMetadata": [(options) => TileArray.putMetadata("mem://grid", { m: 1 }, options), time],
  "TileArray.deleteMetadata": [(options) => TileArray.deleteMetadata("mem://grid", ["m"], options), time],
  "TileArray.copy": [(options) => TileArray.copy(grid, "mem://copy", options), {
    ...time,
    ...target,
    select: ["a", [1]],
    region: [[1, 2]],
    maxFragmentSize: [0, "1 lump"],
    memory: [0],
    metadata: ["no"],
    onProgress: [{}],
  }],
  "Dense.read": [(options) => Dense.read(grid, options), { ...query, out: [null, [], 5] }],
  "Dense.stream": [(options) => collect(Dense.stream(grid, options)), query],
  "Dense.cells": [(options) => collect(Dense.cells(grid, options)), without(query, "order")],
  "Dense.explain": [(options) => Dense.explain(grid, options), query],
  "Dense.aggregate": [(options) => Dense.aggregate(grid, { n: Aggregate.count() }, options), {
    region: query.region,
    where: query.where,
    by: ["a", [1]],
  }],
  "Dense.distinct": [(options) => Dense.distinct(grid, "a" as never, options), { maxValues: [0, -1, "5"] }],
  "Sparse.read": [(options) => Sparse.read(points, options), query],
  "Sparse.stream": [(options) => collect(Sparse.stream(points, options)), query],
  "Sparse.explain": [(options) => Sparse.explain(points, options), query],
  "Sparse.aggregate": [(options) => Sparse.aggregate(points, { n: Aggregate.count() }, options), {
    region: query.region,
    by: ["a", [1]],
  }],
  "Sparse.distinct": [(options) => Sparse.distinct(points, "a" as never, options), { maxValues: [0, 1.5, "5"] }],
  "Dense.write": [(options) => Dense.write(grid, { x: [1, 2] }, cells, options), { ...writing, order: ["global2", 5] }],
  "Dense.writer": [(options) => Effect.scoped(Dense.writer(grid, { x: [1, 2] }, options)), {
    ...writing,
    order: ["rows"],
    maxFragmentSize: [0, "1 lump"],
  }],
  "Dense.sink": [(options) => Stream.run(Stream.empty, Dense.sink(grid, { x: [1, 2] }, options)), {
    ...writing,
    order: ["rows"],
  }],
  "Sparse.sink": [(options) => Stream.run(Stream.empty, Sparse.sink(points, options)), { ...writing, memory: [0] }],
  "Dense.writeRows": [(options) => Dense.writeRows(grid, [], Row, options), { ...writing, memory: [0, "1 lump"] }],
  "TileArray.writeLabels": [
    (options) => TileArray.writeLabels(grid, { x: [1, 2] }, { l: Float64Array.of(1, 2) } as never, options),
    atOnly,
  ],
  "Sparse.write": [(options) => Sparse.write(points, column, options), {
    ...writing,
    order: ["global2"],
    duplicates: ["refused", 1],
  }],
  "Sparse.writer": [(options) => Effect.scoped(Sparse.writer(points, options)), {
    ...writing,
    order: ["row"],
    duplicates: [true],
    memory: [0],
    maxFragmentSize: [-1],
  }],
  "Sparse.writeRows": [(options) => Sparse.writeRows(points, [], Row, options), { ...writing, duplicates: ["last"] }],
  "Sparse.delete": [(options) => Sparse.delete(points, "a > 5", options), atOnly],
  "Csv.create": [
    (options) => Csv.create("mem://csv", csv, { arrayType: "sparse", dims: ["x"], ...(options as object) }),
    {
      ...csvForm,
      ...target,
      key: time.key,
      types: ["int32", { a: 5 }],
      arrayType: ["spare", 1],
      dims: ["x", [1]],
      tile: [5, { x: 0 }, { x: "five" }, { x: -1 }, { x: {} }],
      domain: [[1, 2], { x: 5 }, { x: [1] }],
      filters: ["zstd", {}],
      columnFilters: [{ a: "zstd" }, []],
      order: ["row"],
      capacity: [0, 1.5, "5"],
      allowsDuplicates: ["yes"],
    },
  ],
  "Csv.append": [(options) => Csv.append("mem://points", csv, options), csvForm],
  "Group.open": [(options) => Group.open("mem://group", options), opening],
  "Group.putMetadata": [(options) => Group.putMetadata("mem://group", { m: 1 }, options), time],
  "Group.deleteMetadata": [(options) => Group.deleteMetadata("mem://group", ["m"], options), time],
  "Group.ls": [(options) => Group.ls("mem://group", options), opening],
  "Group.tree": [(options) => Group.tree("mem://group", options), { ...opening, allow: ["file:", [5], ["a/b"]] }],
  "Group.walk": [(options) => collect(Group.walk("mem://group", options)), { ...opening, allow: [{}] }],
  "Group.change": [(changes) => Group.change("mem://group", changes), { add: ["a", {}], remove: ["a"] }],
  "Sparse.decodeRows": [
    (options) => Sparse.decodeRows({ fields: {}, array: points }, Row, options),
    { time: ["dates", 1] },
  ],
  "Dense.rows": [
    (options) => collect(Dense.rows(Row, options)(Stream.make({ fields: {}, array: grid }))),
    { time: ["dates"] },
  ],
}

const snapshot = (): string =>
  JSON.stringify([counters.calls, counters.bytesRead, counters.bytesWritten, counters.requests])

const invalid = async (effect: Effect.Effect<unknown, unknown, StorageService | Codecs>): Promise<InvalidOption> => {
  const before = snapshot()
  const error = await run(Effect.flip(effect))
  assert(error instanceof InvalidOption, String(error))
  assertEquals(snapshot(), before, "the storage was called")
  assertEquals(exitCodeOf(error), 2)
  assertEquals(Schema.decodeUnknownSync(InvalidOption)(Schema.encodeSync(InvalidOption)(error)).message, error.message)
  return error
}

/** Checks the value in the message of an error. */
const assertShown = (error: InvalidOption, secret: boolean): void => {
  assert(error.value === undefined || error.value.length <= 80, error.value)
  if (secret) assertEquals(error.value, undefined)
  assert(!error.message.includes("secret"), error.message)
}

describe("invalid options of operations", () => {
  for (const [name, [operation, wrong]] of Object.entries(operations)) {
    for (const [option, values] of Object.entries(wrong)) {
      it(`${name} rejects wrong ${option}`, async () => {
        for (const value of values) {
          const error = await invalid(Effect.suspend(() => operation({ [option]: value } as never)))
          assertEquals([error.option, error.reason], [option, "InvalidValue"], String(error))
          assertShown(error, option === "key")
        }
      })
    }

    it(`${name} rejects unknown options, and suggests similar ones`, async () => {
      const [existing = "at"] = Object.keys(wrong)
      const misspelled = `${existing}s`
      const error = await invalid(Effect.suspend(() => operation({ [misspelled]: "secret" } as never)))
      assertEquals([error.option, error.reason], [misspelled, "UnknownOption"])
      assert(error.accepted?.includes(existing), String(error.accepted))
      assert(error.hint?._tag === "DidYouMean" && error.hint.names.includes(existing), String(error))
      assert(Schema.is(Hint)(error.hint))
      assertStringIncludes(error.message, `did you mean ${JSON.stringify(error.hint.names[0])}`)
      assertShown(error, true)
      const other = await invalid(Effect.suspend(() => operation({ qqqqqq: 1 } as never)))
      assertEquals([other.option, other.hint], ["qqqqqq", undefined])
    })
  }

  it("are also rejected if they are not an object", async () => {
    for (const name of ["TileArray.open", "Dense.read", "Sparse.write", "Csv.append", "TileArray.copy"]) {
      for (const options of [null, 5, "at"]) {
        const error = await invalid(Effect.suspend(() => operations[name][0](options as never)))
        assertEquals(error.option, "options", name)
      }
    }
  })

  it("suggest values that are similar", async () => {
    const cases: ReadonlyArray<readonly [string, object, string]> = [
      ["Dense.read", { order: "rows" }, "row"],
      ["Dense.read", { outOfBounds: "eror" }, "error"],
      ["Dense.read", { time: "dates" }, "date"],
      ["Sparse.write", { duplicates: "refsue" }, "refuse"],
      ["Csv.create", { arrayType: "spares" }, "sparse"],
    ]
    for (const [name, options, suggestion] of cases) {
      const error = await invalid(Effect.suspend(() => operations[name][0](options as never)))
      assert(error.hint?._tag === "DidYouMean" && error.hint.names.includes(suggestion), String(error))
      assert(error.accepted?.includes(suggestion))
    }
  })

  it("reject aggregates of a wrong form", async () => {
    for (
      const aggregates of [null, [], "count", { n: 5 }, { n: { kind: "median", field: "a" } }, { n: { kind: "sum" } }]
    ) {
      for (const options of [{}, { by: ["a"] }]) {
        assertEquals((await invalid(Dense.aggregate(grid, aggregates as never, options as never))).option, "aggregates")
        assertEquals(
          (await invalid(Sparse.aggregate(points, aggregates as never, options as never))).option,
          "aggregates",
        )
      }
    }
    const error = await invalid(Sparse.aggregate(points, { n: { kind: "summ", field: "a" } } as never))
    assertEquals(error.hint, { _tag: "DidYouMean", names: ["sum"] })
  })

  it("reject buffers of a wrong form", async () => {
    const region = { x: [1, 2] }
    const buffers = [
      { a: new Float32Array(2) },
      { a: new Int32Array(1) },
      { a: { values: new Int32Array(2), validity: new Uint8Array(2) } },
      { a: null },
      { a: 5 },
      { t: new Uint8Array(9) },
      { b: new Int32Array(2) },
    ]
    for (const out of buffers) {
      const error = await invalid(Dense.read(grid, { region, select: ["a", "t"], out } as never))
      assertEquals(error.option, "out")
      assertStringIncludes(error.message, `out: ${Object.keys(out)[0]}: `)
    }
  })

  it("reject options of CSV that do not fit its columns, and write nothing", async () => {
    const cases: ReadonlyArray<readonly [Csv.CsvCreateOptions, string]> = [
      [{ arrayType: "sparse" }, "dims"],
      [{ arrayType: "sparse", dims: ["y"] }, "dims"],
      [{ dims: ["x"], tile: { y: 5 } }, "tile"],
      [{ dims: ["x"], tile: { x: 0.5 } }, "tile"],
      [{ dims: ["x"], domain: { y: [1, 2] } }, "domain"],
      [{ dims: ["x"], columnFilters: { b: [] } }, "columnFilters"],
      [{ dims: ["x"], types: { b: "int8" } }, "types"],
      [{ dims: ["x"], types: { a: "int9" as "int8" } }, "types"],
    ]
    for (const [options, option] of cases) {
      assertEquals((await invalid(Csv.create("mem://csv", csv, options))).option, option, option)
    }
  })
})

type Make = (options: never) => unknown
const storage = makeMemoryStorage()
const client = Effect.runSync(Effect.provide(HttpClient, FetchHttpClient.layer))
const retry: Wrong = {
  times: [-1, NaN, "four"],
  wait: [-1, NaN, "soon", {}],
  longestWait: ["never", -5],
  totalTime: [null, NaN],
  reasons: ["Timeout", ["Timeuot"], [5]],
  schedule: [5, {}, "exponential"],
}
const coalescing: Wrong = { gap: [-1, NaN, "64KB"], maxLength: [-1, "1MB"] }
const http: Wrong = {
  headers: ["secret", { authorization: 5 }, ["secret"]],
  origin: ["secret.example", 5, ["ftp://secret.example"]],
  timeout: [-1, NaN, "long"],
}
const httpFilesOptions: Wrong = { ...http, requests: [0, NaN, "six"] }

const makers: Readonly<Record<string, readonly [Make, Wrong]>> = {
  withRetry: [(options) => withRetry(storage, options), retry],
  withCache: [(options) => withCache(storage, options), {
    bytes: [-1, NaN, "64MB"],
    immutable: [true],
    listings: ["yes"],
  }],
  withCoalescing: [(options) => withCoalescing(storage, options), coalescing],
  planCoalescing: [(options) => planCoalescing([], options), coalescing],
  withFaults: [(plan) => withFaults(storage, plan), { at: [-1, "first"], fault: ["fall", 5] }],
  makeLocalStorage: [(options) => makeLocalStorage(options), { durability: ["sync", true] }],
  makeHttpStorage: [(options) => makeHttpStorage(client, options), http],
  httpFiles: [(options) => httpFiles(options), httpFilesOptions],
  layerHttp: [(options) => layerHttp(options), httpFilesOptions],
  "httpFiles, retry": [(retry) => httpFiles({ retry }), retry],
  "httpFiles, coalescing": [(coalescing) => httpFiles({ coalescing }), coalescing],
  toAsyncIterable: [(options) => toAsyncIterable(Stream.empty, Layer.empty, options), { signal: [5, {}, "abort"] }],
  toReadableStream: [(options) => toReadableStream(Stream.empty, Layer.empty, options), { signal: [true] }],
}

const thrown = (make: () => unknown): InvalidOption => {
  const error = assertThrows(() => void make(), InvalidOption)
  assertEquals([error.uri, exitCodeOf(error)], ["", 2])
  return error
}

describe("invalid options of layers and storages", () => {
  for (const [name, [make, wrong]] of Object.entries(makers)) {
    for (const [option, values] of Object.entries(wrong)) {
      it(`${name} rejects wrong ${option}`, () => {
        for (const value of values) {
          const error = thrown(() => make({ [option]: value } as never))
          assertEquals([error.option, error.reason], [option, "InvalidValue"])
          assertShown(error, option === "headers" || option === "origin")
        }
      })
    }

    it(`${name} rejects unknown options and options that are not an object`, () => {
      const [existing] = Object.keys(wrong)
      const error = thrown(() => make({ [`${existing}s`]: "secret" } as never))
      assertEquals([error.option, error.reason, error.value], [`${existing}s`, "UnknownOption", undefined])
      assert(error.hint?._tag === "DidYouMean" && error.hint.names.includes(existing))
      for (const options of [null, 5, []]) assertEquals(thrown(() => make(options as never)).reason, "InvalidValue")
    })
  }

  it("withLimit rejects wrong numbers of requests", () => {
    for (const requests of [0, -1, NaN, "six", null]) {
      assertEquals(thrown(() => withLimit(storage, requests as never)).option, "requests")
    }
  })

  it("suggest reasons of retries that are similar", () => {
    const error = thrown(() => withRetry(storage, { reasons: ["Timeuot" as never] }))
    assertEquals(error.hint, { _tag: "DidYouMean", names: ["Timeout"] })
  })

  it("accept valid options", () => {
    withRetry(storage, { times: 0, wait: 0, longestWait: "1 second", totalTime: Duration.minutes(1), reasons: [] })
    withCache(storage, { bytes: 0, immutable: () => false, listings: true })
    withCache(storage, { bytes: undefined })
    withCoalescing(storage, { gap: 0, ["maxLength"]: 0 })
    withLimit(storage, Infinity)
    makeLocalStorage({ durability: "cached" })
    httpFiles({ headers: { a: "b" }, origin: [new URL("https://a.example")], timeout: 5, retry: {}, coalescing: {} })
  })
})
