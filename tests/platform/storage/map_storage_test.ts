/** Decorators forward every function of a storage, and wrap it by kind. */
import { assert, assertEquals } from "@std/assert"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { describe, it } from "node:test"
import { StorageError } from "../../../platform/errors.ts"
import { deferStorage } from "../../../platform/storage/lazy.ts"
import { mapStorage } from "../../../platform/storage/map_storage.ts"
import { makeMemoryStorage } from "../../../platform/storage/memory.ts"
import { withCache } from "../../../platform/storage/middleware/cache.ts"
import { withCoalescing } from "../../../platform/storage/middleware/coalescing.ts"
import { makeCounters, withCounters } from "../../../platform/storage/middleware/counters.ts"
import { withFaults } from "../../../platform/storage/middleware/faults.ts"
import { withLimit } from "../../../platform/storage/middleware/limit.ts"
import { withRetry } from "../../../platform/storage/middleware/retry.ts"
import { makeRouter } from "../../../platform/storage/router.ts"
import { listStream, type Storage } from "../../../platform/storage/service.ts"

const uri = "mem://folder/file"
const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)

/** Returns a storage with all optional functions that records its calls. */
const recorder = () => {
  const called: Array<string> = []
  const inner: Storage = {
    ...makeMemoryStorage(new Map([["folder/file", Uint8Array.of(1, 2, 3)]])),
    mode: () => Effect.succeed(0o600),
    realPath: () => Effect.succeed("real"),
    unlisted: () => Effect.succeed(["pipe"]),
    moveFolder: () => Effect.succeed(true),
    inFlight: () => 7,
    comparesVersions: () => false,
  }
  const storage = new Proxy(inner, {
    get: (target, name: keyof Storage) => (...args: ReadonlyArray<never>) => {
      called.push(name)
      return (target[name] as (...args: ReadonlyArray<unknown>) => unknown)(...args)
    },
  })
  return {
    called,
    storage: {
      ...Object.fromEntries(Object.keys(inner).map((name) => [name, storage[name as never]])),
    } as unknown as Storage,
  }
}

const calls: { readonly [K in Exclude<keyof Storage, "createAs">]-?: (storage: Storage) => unknown } = {
  list: (s) => s.list("mem://folder"),
  listPage: (s) => s.listPage("mem://folder"),
  listAllPage: (s) => s.listAllPage!("mem://folder"),
  head: (s) => s.head(uri),
  exists: (s) => s.exists(uri),
  size: (s) => s.size(uri),
  read: (s) => s.read(uri),
  readRanges: (s) => s.readRanges(uri, [{ offset: 0, length: 1 }]),
  readTail: (s) => s.readTail(uri, 1),
  write: (s) => s.write(uri, Uint8Array.of(1)),
  openWrite: (s) => Effect.scoped(Effect.flatMap(s.openWrite(uri), (file) => file.finish)),
  create: (s) => s.create("mem://new", Uint8Array.of(1)),
  createFolder: (s) => s.createFolder("mem://folder"),
  copy: (s) => s.copy(uri, "mem://copy"),
  remove: (s) => s.remove(uri),
  removeAll: (s) => s.removeAll([uri]),
  removeFolder: (s) => s.removeFolder("mem://folder"),
  moveFolder: (s) => s.moveFolder!("mem://folder", "mem://moved"),
  inFlight: (s) => Effect.sync(() => s.inFlight!(uri)),
  comparesVersions: (s) => Effect.sync(() => s.comparesVersions!(uri)),
  mode: (s) => s.mode!(uri),
  realPath: (s) => s.realPath!(uri),
  unlisted: (s) => s.unlisted!("mem://folder"),
}

const decorators: Readonly<Record<string, (storage: Storage) => Storage>> = {
  mapStorage: (storage) => mapStorage(storage, { read: (call) => call, list: (call) => call, write: (call) => call }),
  cache: (storage) => withCache(storage),
  "cache of everything": (storage) => withCache(storage, { immutable: () => true, listings: true }),
  coalescing: (storage) => withCoalescing(storage),
  limit: (storage) => withLimit(storage, 1),
  retry: (storage) => withRetry(storage),
  counters: (storage) => withCounters(storage, makeCounters()),
  faults: (storage) => withFaults(storage).storage,
  router: (storage) => makeRouter({ mem: storage }),
  lazy: (storage) => deferStorage(() => Promise.resolve(storage)),
}

describe("decorators", () => {
  for (const [name, decorate] of Object.entries(decorators)) {
    it(`${name} forwards every function and returns its result`, async () => {
      for (const [operation, call] of Object.entries(calls)) {
        // a lazy storage does not know these before it is loaded
        if (name === "lazy" && (operation === "inFlight" || operation === "comparesVersions")) continue
        const { called, storage } = recorder()
        const expected = await run(call(recorder().storage) as Effect.Effect<unknown>)
        assertEquals(await run(call(decorate(storage)) as Effect.Effect<unknown>), expected, operation)
        assertEquals(called, [operation])
      }
    })
  }

  it("forward createAs, and withRetry repeats create by it with one ID", async () => {
    const ids: Array<string> = []
    const createAs = (_: string, __: Uint8Array, id: string) =>
      Effect.suspend(() =>
        ids.push(id) < 3 ? Effect.fail(new StorageError({ op: "create", uri, reason: "Unavailable" })) : Effect.void
      )
    const storage: Storage = { ...makeMemoryStorage(), createAs }
    for (const name of ["mapStorage", "cache", "coalescing", "limit", "counters", "faults"]) {
      ids.length = 2
      await run(decorators[name](storage).createAs!(uri, Uint8Array.of(1), name))
      assertEquals(ids.at(-1), name)
    }
    ids.length = 0
    await run(withRetry(withLimit(storage, 1), { wait: 1 }).create(uri, Uint8Array.of(1)))
    assertEquals([ids.length, new Set(ids).size], [3, 1])
  })

  it("wraps each call with its kind, its operation and its URI", async () => {
    const seen: Array<string> = []
    const wrap = (kind: string) => <A, E, R>(call: Effect.Effect<A, E, R>, operation: string, uri: string) =>
      Effect.zipRight(Effect.sync(() => seen.push(`${kind} ${operation} ${uri}`)), call)
    const storage = mapStorage(makeMemoryStorage(), { read: wrap("read"), list: wrap("list"), write: wrap("write") })
    await run(
      Effect.scoped(
        Effect.flatMap(storage.openWrite(uri), (file) => Effect.zipRight(file.write(Uint8Array.of(1)), file.finish)),
      ),
    )
    await run(storage.read(uri))
    await run(storage.listPage("mem://folder"))
    await run(storage.copy(uri, "mem://to"))
    assertEquals(seen, [
      `write openWrite ${uri}`,
      `write append ${uri}`,
      `write finish ${uri}`,
      `read read ${uri}`,
      "list listPage mem://folder",
      "write copy mem://to",
    ])
  })

  it("stream 10,000 entries in pages of 1,000, each a request", async () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `n${String(i).padStart(5, "0")}`)
    const files = new Map(names.map((name) => [`folder/${name}`, new Uint8Array(0)]))
    const trace = makeCounters()
    const storage = withCache(withCoalescing(withRetry(withLimit(withCounters(makeMemoryStorage(files), trace), 2))))
    const listed = await run(Stream.runCollect(Stream.map(listStream(storage, "mem://folder"), ({ name }) => name)))
    assertEquals(Chunk.toReadonlyArray(listed), names)
    assertEquals([trace.calls.listPage, trace.calls.list], [10, 0])
    await run(Stream.runDrain(Stream.take(listStream(storage, "mem://folder"), 1500)))
    assertEquals(trace.calls.listPage, 12, "no page more than needed")
  })

  it("routers copy and remove across schemes", async () => {
    const [a, b] = [makeMemoryStorage(), makeMemoryStorage()]
    const storage = makeRouter({ a, b })
    await run(storage.write("a://file", Uint8Array.of(1, 2)))
    await run(storage.copy("a://file", "b://file"))
    assertEquals(await run(storage.read("b://file")), Uint8Array.of(1, 2))
    const failures = await run(storage.removeAll(["a://file", "x://file", "b://file"]))
    assertEquals(failures.map(({ uri, reason }) => [uri, reason]), [["x://file", "Unsupported"]])
    assertEquals(await run(storage.exists("b://file")), false)
  })
})

describe("retry by schedule", () => {
  const unavailable = (uri: string, retryAfter?: number) =>
    new StorageError({ op: "read", uri, reason: "Unavailable", cause: { retryAfter } })
  const failing = (retryAfter?: number) => {
    const tries = { count: 0 }
    const read = (uri: string) => Effect.suspend(() => (tries.count++, Effect.fail(unavailable(uri, retryAfter))))
    return { tries, storage: { ...makeMemoryStorage(), read } as Storage }
  }
  const inTestTime = <A, E>(effect: Effect.Effect<A, E>) => run(Effect.provide(effect, TestContext.TestContext))

  it("follows a schedule of the user, and waits as long as Retry-After", async () => {
    for (const [retryAfter, wait] of [[undefined, 1000], [5000, 5000]] as const) {
      const { tries, storage } = failing(retryAfter)
      const schedule = Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(2))
      await inTestTime(Effect.gen(function* () {
        const fiber = yield* Effect.fork(withRetry(storage, { schedule }).read(uri))
        yield* TestClock.adjust(Duration.millis(wait - 1))
        assertEquals(tries.count, 1)
        yield* TestClock.adjust(1)
        assertEquals(tries.count, 2)
        yield* TestClock.adjust(Duration.millis(wait))
        assertEquals(tries.count, 3)
        assert(Exit.isFailure(yield* Fiber.await(fiber)))
      }))
    }
  })

  it("stops after the total time", async () => {
    const { tries, storage } = failing(1000)
    await inTestTime(Effect.gen(function* () {
      const fiber = yield* Effect.fork(withRetry(storage, { times: 1000, totalTime: "10 seconds" }).read(uri))
      yield* TestClock.adjust("1 minute")
      assert(Exit.isFailure(yield* Fiber.await(fiber)))
    }))
    assert(tries.count > 5 && tries.count < 70, `${tries.count}`)
  })

  it("repeats only the files that a bulk removal could not remove", async () => {
    const rounds: Array<ReadonlyArray<string>> = []
    const storage: Storage = {
      ...makeMemoryStorage(),
      removeAll: (uris) =>
        Effect.sync(() => {
          rounds.push(uris)
          const denied = new StorageError({ op: "remove", uri: "c", reason: "Denied" })
          return rounds.length === 1 ? [unavailable("b"), denied] : rounds.length === 2 ? [unavailable("b")] : []
        }),
    }
    const failures = await run(withRetry(storage, { wait: 1 }).removeAll(["a", "b", "c"]))
    assertEquals(rounds, [["a", "b", "c"], ["b"], ["b"]])
    assertEquals(failures.map(({ uri }) => uri), ["c"])
  })
})
