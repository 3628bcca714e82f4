/** Coalescing, cache, retry and limit: the storage suite over each decorator, and tests of its effect. */
import { assert, assertEquals, assertNotEquals } from "@std/assert"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import { describe, it } from "node:test"
import { NotFound, StorageError, type StorageReason } from "../../../platform/errors.ts"
import { makeSingleFlight } from "../../../platform/storage/middleware/single_flight.ts"
import { deferStorage } from "../../../platform/storage/lazy.ts"
import { makeMemoryStorage } from "../../../platform/storage/memory.ts"
import type { ByteRange, Storage } from "../../../platform/storage/service.ts"
import { isImmutable, withCache } from "../../../platform/storage/middleware/cache.ts"
import { planCoalescing, withCoalescing } from "../../../platform/storage/middleware/coalescing.ts"
import { withFaults } from "../../../platform/storage/middleware/faults.ts"
import { withLimit } from "../../../platform/storage/middleware/limit.ts"
import { withRetry } from "../../../platform/storage/middleware/retry.ts"
import { makeCounters, type StorageCall, withCounters } from "../../../platform/storage/middleware/counters.ts"
import { storageSuite } from "../../support/storage_suite.ts"

const memory = makeMemoryStorage
const all = (): boolean => true

storageSuite(
  "coalescing",
  () => ({ storage: withCoalescing(memory(), { gap: 3, maxLength: 100 }), root: "mem://root" }),
)
storageSuite("retry", () => ({ storage: withRetry(memory()), root: "mem://root" }))
storageSuite("limit", () => ({ storage: withLimit(memory(), 2), root: "mem://root" }))
storageSuite("deferred", () => ({ storage: deferStorage(() => Promise.resolve(memory())), root: "mem://root" }))
storageSuite("cache", () => ({ storage: withCache(memory(), { immutable: all, listings: true }), root: "mem://root" }))
storageSuite(
  "cache of 1000 bytes",
  () => ({ storage: withCache(memory(), { immutable: all, bytes: 1000 }), root: "mem://r" }),
)
storageSuite("cache, passing by what changes", () => ({ storage: withCache(memory()), root: "mem://root" }))
storageSuite("faults that do not come", () => ({ storage: withFaults(memory()).storage, root: "mem://root" }))
storageSuite("all of them", () => ({
  storage: withCache(withCoalescing(withRetry(withLimit(memory(), 3)), { gap: 10 }), { immutable: all, bytes: 10_000 }),
  root: "mem://root",
}))

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)
const fails = <A, E>(effect: Effect.Effect<A, E>): Promise<E> => Effect.runPromise(Effect.flip(effect))

const content = Uint8Array.from({ length: 1000 }, (_, i) => i * 31 + (i >>> 8))
const part = ({ offset, length }: ByteRange): Uint8Array => content.slice(offset, offset + length)

/** Returns a storage with one file that records its calls and requests. */
const traced = (uri = "mem://file") => {
  const trace = makeCounters()
  const calls: Array<StorageCall> = []
  const files = new Map([[uri.slice("mem://".length), content.slice()]])
  return { trace, calls, files, uri, storage: withCounters(memory(files), trace, (call) => calls.push(call)) }
}

const rangeIn = (size: number): FastCheck.Arbitrary<ByteRange> =>
  FastCheck.tuple(FastCheck.nat(size), FastCheck.nat(size)).map(([a, b]) => ({
    offset: Math.min(a, b),
    length: Math.abs(a - b),
  }))

describe("coalescing", () => {
  /** Starts with single ranges, and joins pairs of ranges until no pair can be joined. */
  const naive = (ranges: ReadonlyArray<ByteRange>, gap: number): ReadonlyArray<ByteRange> => {
    const parts = [...ranges]
    for (let again = true; again;) {
      again = false
      search: for (let i = 0; i < parts.length; i++) {
        for (let j = 0; j < parts.length; j++) {
          const [a, b] = [parts[i], parts[j]]
          if (i === j || b.offset < a.offset || b.offset - (a.offset + a.length) > gap) continue
          const end = Math.max(a.offset + a.length, b.offset + b.length)
          parts.splice(Math.max(i, j), 1)
          parts.splice(Math.min(i, j), 1, { offset: a.offset, length: end - a.offset })
          again = true
          break search
        }
      }
    }
    return parts.sort((a, b) => a.offset - b.offset)
  }

  it("returns the plan of a naive implementation, if no request is too long", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.array(rangeIn(300), { maxLength: 12 }), FastCheck.nat(60), (ranges, gap) => {
        assertEquals(planCoalescing(ranges, { gap, maxLength: Infinity }).reads, naive(ranges, gap))
      }),
      { numRuns: 500 },
    )
  })

  it("plans reads that contain all ranges, are not too long, and are at least the gap apart", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(rangeIn(300), { maxLength: 20 }),
        FastCheck.nat(60),
        FastCheck.nat(200),
        (ranges, gap, max) => {
          const { reads, readOf } = planCoalescing(ranges, { gap, maxLength: max })
          const longest = Math.max(max, ...ranges.map(({ length }) => length))
          for (const [i, { offset, length }] of ranges.entries()) {
            const read = reads[readOf[i]]
            assert(read.offset <= offset && offset + length <= read.offset + read.length)
          }
          for (const [i, { offset, length }] of reads.entries()) {
            assert(length <= longest)
            const inside = ranges.filter((_, k) => readOf[k] === i).sort((a, b) => a.offset - b.offset)
            assert(inside.length > 0, "every read contains a range")
            assertEquals(inside[0].offset, offset)
            assertEquals(Math.max(...inside.map((r) => r.offset + r.length)), offset + length)
            let end = offset
            for (const each of inside) {
              assert(each.offset - end <= gap)
              end = Math.max(end, each.offset + each.length)
            }
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  it("returns the same bytes, with one request for close ranges", async () => {
    const { trace, calls, storage, uri } = traced()
    const coalescing = withCoalescing(storage, { gap: 10, maxLength: 200 })
    const ranges = [
      { offset: 120, length: 20 },
      { offset: 100, length: 10 },
      { offset: 105, length: 10 },
      { offset: 600, length: 300 },
      { offset: 905, length: 5 },
    ]
    assertEquals(await run(coalescing.readRanges(uri, ranges)), ranges.map(part))
    assertEquals(trace.requests, 3)
    assertEquals(calls[0].bytesRead, 40 + 300 + 5)
  })
})

describe("cache", () => {
  const uri = "mem://array/__fragments/__1_1_0123456789abcdef0123456789abcdef_22/a0.tdb"

  it("reads immutable files once", async () => {
    const { trace, storage, uri: file } = traced(uri)
    const cached = withCache(storage)
    const ranges = [{ offset: 10, length: 20 }, { offset: 500, length: 100 }]
    for (let i = 0; i < 3; i++) {
      assertEquals(await run(cached.readRanges(file, ranges)), ranges.map(part))
      assertEquals(await run(cached.readTail(file, 50)), { bytes: content.slice(950), size: 1000 })
      assertEquals(await run(cached.size(file)), 1000)
    }
    assertEquals([trace.calls.readRanges, trace.calls.readTail, trace.calls.size], [1, 1, 0])
    assertEquals(await run(cached.readRanges(file, [{ offset: 520, length: 7 }, { offset: 990, length: 10 }])), [
      content.slice(520, 527),
      content.slice(990),
    ])
    assertEquals(trace.calls.readRanges, 1, "parts of cached bytes")
    await run(cached.readRanges(file, [...ranges, { offset: 0, length: 5 }]))
    assertEquals(trace.requests, 4, "only what is missing is read")
    await run(cached.read(file))
    await run(cached.read(file))
    assertEquals(await run(cached.readRanges(file, [{ offset: 40, length: 400 }])), [content.slice(40, 440)])
    assertEquals(trace.requests, 5)
  })

  it("recognizes the names of immutable files", () => {
    const uuid = "0123456789abcdef0123456789abcdef"
    for (
      const name of [
        uri,
        `a/__schema/__1709539200000_1709539200000_${uuid}`,
        `a/__schema/__enumerations/__${uuid}_0`,
        `a/__commits/__1_1_${uuid}_22.wrt`,
        `a/__${uuid}_1709539200000/__fragment_metadata.tdb`,
        `https://host/a/__meta/__1_1_${uuid}?sig=1`,
      ]
    ) {
      assert(isImmutable(name), name)
    }
    for (
      const name of ["a/__tessera_manifest.json", "a/__schema", "a/__array_schema.tdb", `a/${uuid}`, `a/x__1_1_${uuid}`]
    ) {
      assert(!isImmutable(name), name)
    }
  })

  it("does not cache other names, or listings by default", async () => {
    const { trace, storage, files } = traced()
    const cached = withCache(storage)
    await run(cached.read("mem://file"))
    files.set("file", Uint8Array.of(1))
    assertEquals(await run(cached.read("mem://file")), Uint8Array.of(1))
    await run(cached.list("mem://"))
    await run(cached.list("mem://"))
    assertEquals([trace.calls.read, trace.calls.list], [2, 2])
    const listing = withCache(storage, { listings: true })
    await run(listing.list("mem://"))
    await run(listing.list("mem://"))
    assertEquals(trace.calls.list, 3)
    await run(listing.write("mem://other", Uint8Array.of(1)))
    assertEquals((await run(listing.list("mem://"))).length, 2)
  })

  it("does not exceed its budget: the least recently used entry is evicted first", async () => {
    const { trace, storage, uri: file } = traced(uri)
    const cached = withCache(storage, { bytes: 3000 })
    const at = (offset: number) => run(cached.readRanges(file, [{ offset, length: 400 }]))
    for (const offset of [0, 450, 900 - 300]) await at(offset)
    assertEquals(trace.requests, 3)
    await at(0)
    for (let offset = 1; offset < 5; offset++) await at(offset)
    const before: number = trace.requests
    await at(4)
    assertEquals(trace.requests, before, "the last one is there")
    await at(450)
    assertEquals(trace.requests, before + 1, "the first one was evicted")
    const none = withCache(storage, { bytes: 100 })
    await run(none.read(file))
    await run(none.read(file))
    assertEquals(trace.requests, before + 3, "too large to keep")
  })

  it("reads once for concurrent requests, and returns copies", async () => {
    const { trace, storage, uri: file } = traced(uri)
    const slow: Storage = { ...storage, read: (uri) => Effect.zipRight(Effect.sleep(20), storage.read(uri)) }
    const cached = withCache(slow)
    const answers = await run(Effect.all(Array.from({ length: 5 }, () => cached.read(file)), { concurrency: 5 }))
    assertEquals(trace.calls.read, 1)
    answers[0][0] = 99
    for (const each of answers.slice(1)) assertEquals(each, content)
    assertEquals(await run(cached.read(file)), content)
  })

  it("drops overwritten and removed files, and does not cache failures", async () => {
    const { storage, uri: file } = traced(uri)
    const cached = withCache(storage)
    await run(cached.read(file))
    await run(cached.write(file, Uint8Array.of(7)))
    assertEquals(await run(cached.read(file)), Uint8Array.of(7))
    assertEquals(await run(cached.size(file)), 1)
    await run(cached.remove("mem://array"))
    assert(await fails(cached.read(file)) instanceof NotFound)
    await run(cached.create(file, Uint8Array.of(8)))
    assertEquals(await run(cached.read(file)), Uint8Array.of(8))
  })
})

describe("files in pieces", () => {
  const pieces = (storage: Storage, uri: string, ...parts: ReadonlyArray<Uint8Array>) =>
    Effect.scoped(Effect.gen(function* () {
      const file = yield* storage.openWrite(uri)
      for (const each of parts) yield* file.write(each)
      yield* file.finish
    }))

  it("are dropped from the cache when they are finished", async () => {
    const uri = "mem://array/__1_1_0123456789abcdef0123456789abcdef/a0.tdb"
    const cached = withCache(memory(), { listings: true })
    await run(cached.write(uri, content))
    await run(Effect.scoped(Effect.gen(function* () {
      const file = yield* cached.openWrite(uri)
      yield* file.write(Uint8Array.of(1))
      assertEquals(yield* cached.read(uri), content)
      assertEquals((yield* cached.list("mem://array")).length, 1)
      yield* file.finish
    })))
    assertEquals(await run(cached.read(uri)), Uint8Array.of(1))
    assertEquals(await run(cached.size(uri)), 1)
    await run(pieces(cached, "mem://array/other", content))
    assertEquals((await run(cached.list("mem://array"))).length, 2)
  })

  it("are counted call by call, and byte by byte", async () => {
    const { trace, calls, storage } = traced()
    await run(pieces(storage, "mem://new", content, content.subarray(0, 10)))
    await run(storage.createFolder("mem://folder"))
    assertEquals(trace.calls, { ...makeCounters().calls, openWrite: 1, append: 2, finish: 1, createFolder: 1 })
    assertEquals([trace.requests, trace.bytesWritten], [5, 1010])
    assertEquals(calls.map((call) => [call.operation, call.bytesWritten]), [
      ["openWrite", 0],
      ["append", 1000],
      ["append", 10],
      ["finish", 0],
      ["createFolder", 0],
    ])
    await fails(
      Effect.scoped(
        Effect.flatMap(storage.openWrite("mem://new"), (file) => Effect.zipRight(file.finish, file.write(content))),
      ),
    )
    assertEquals([calls.at(-1)?.operation, calls.at(-1)?.failed, trace.bytesWritten], ["append", true, 1010])
  })

  it("require a permit for each call: an open file holds none", async () => {
    const limited = withLimit(memory(), 1)
    await run(Effect.scoped(Effect.gen(function* () {
      const [one, two] = [yield* limited.openWrite("mem://one"), yield* limited.openWrite("mem://two")]
      yield* Effect.all([one.write(content), two.write(content), limited.createFolder("mem://x")], { concurrency: 3 })
      yield* one.finish
      yield* two.finish
    })))
    assertEquals(await run(limited.read("mem://two")), content)
  })

  it("are retried call by call, and contain the bytes once", async () => {
    const inner = memory()
    const tries: Array<string> = []
    const twice = <A, E, R>(
      name: StorageError["op"],
      call: Effect.Effect<A, E, R>,
    ): Effect.Effect<A, E | StorageError, R> => {
      let failed = false
      return Effect.suspend((): Effect.Effect<A, E | StorageError, R> => {
        tries.push(name)
        if (failed) return call
        failed = true
        return Effect.fail(new StorageError({ op: name, uri: "mem://file", reason: "Unavailable" }))
      })
    }
    const storage: Storage = {
      ...inner,
      openWrite: (uri) =>
        twice(
          "openWrite",
          Effect.map(inner.openWrite(uri), (file) => ({
            write: (bytes) => twice("write", file.write(bytes)),
            finish: twice("finish", file.finish),
          })),
        ),
    }
    await run(pieces(withRetry(storage, { wait: 1 }), "mem://file", content.subarray(0, 600), content.subarray(600)))
    assertEquals(tries, ["openWrite", "openWrite", "write", "write", "write", "write", "finish", "finish"])
    assertEquals(await run(inner.read("mem://file")), content)
  })
})

describe("single flight", () => {
  it("interrupts the work when the last waiting fiber is interrupted, not before", async () => {
    const flights = makeSingleFlight<number, never>()
    let [started, ended] = [0, 0]
    const work = Effect.onInterrupt(
      Effect.zipRight(Effect.sync(() => started++), Effect.never),
      () => Effect.sync(() => ended++),
    )
    await run(Effect.gen(function* () {
      const first = yield* Effect.fork(flights("key", work))
      const second = yield* Effect.fork(flights("key", work))
      yield* Effect.sleep(10)
      assertEquals([started, ended], [1, 0])
      yield* Fiber.interrupt(first)
      assertEquals([started, ended], [1, 0])
      yield* Fiber.interrupt(second)
      assertEquals([started, ended], [1, 1])
      const third = yield* Effect.fork(flights("key", work))
      yield* Effect.sleep(10)
      assertEquals(started, 2)
      yield* Fiber.interrupt(third)
    }))
  })

  it("shares failures, and runs the work again after them", async () => {
    const flights = makeSingleFlight<number, string>()
    let count = 0
    const work = Effect.suspend(() =>
      ++count === 1 ? Effect.zipRight(Effect.sleep(5), Effect.fail("no")) : Effect.succeed(count)
    )
    const both = await run(Effect.all([flights("a", work), flights("a", work)].map(Effect.either), { concurrency: 2 }))
    assertEquals(both.map((each) => each._tag), ["Left", "Left"])
    assertEquals(await run(flights("a", work)), 2)
  })
})

describe("retry", () => {
  const failing = (times: number, reason: StorageReason, cause?: unknown) => {
    const tries = { count: 0 }
    const call = <A, E>(next: Effect.Effect<A, E>): Effect.Effect<A, E | StorageError> =>
      Effect.suspend((): Effect.Effect<A, E | StorageError> => {
        tries.count++
        return tries.count <= times
          ? Effect.fail(new StorageError({ op: "read", uri: "mem://file", reason, cause }))
          : next
      })
    const inner = memory(new Map([["file", content]]))
    const storage: Storage = {
      ...inner,
      read: (uri) => call(inner.read(uri)),
      create: (uri, bytes) => call(inner.create(uri, bytes)),
      readRanges: (uri, ranges) =>
        ranges[0].offset === 0 ? call(inner.readRanges(uri, ranges)) : inner.readRanges(uri, ranges),
    }
    return { tries, storage }
  }
  /** Runs an effect under a test clock; returns its result and the elapsed time. */
  const timeless = async <A, E>(effect: Effect.Effect<A, E>) => {
    const waits: Array<number> = []
    const clock: Clock.Clock = Object.assign(Object.create(Clock.make()), {
      sleep: (duration: Duration.Duration) => Effect.sync(() => void waits.push(Duration.toMillis(duration))),
    })
    return { exit: await Effect.runPromise(Effect.exit(Effect.withClock(effect, clock))), waits }
  }

  it("retries transient failures after waits below a limit that doubles", async () => {
    for (const reason of ["Unavailable", "Timeout"] as const) {
      const { storage } = failing(3, reason)
      const { exit, waits } = await timeless(withRetry(storage, { wait: 100 }).read("mem://file"))
      assert(Exit.isSuccess(exit))
      assertEquals(waits.length, 3)
      for (const [i, wait] of waits.entries()) {
        assert(wait >= 0 && wait <= 100 * 2 ** i, `${wait} after ${i}`)
      }
    }
  })

  it("randomizes the waits", async () => {
    const waits = new Set<number>()
    for (let i = 0; i < 5; i++) {
      const { storage } = failing(1, "Timeout")
      waits.add((await timeless(withRetry(storage, { wait: 1000 }).read("mem://file"))).waits[0])
    }
    assert(waits.size > 1)
  })

  it("fails after the maximum number of attempts, and immediately for permanent failures", async () => {
    const { tries, storage } = failing(99, "Unavailable")
    assert(Exit.isFailure((await timeless(withRetry(storage, { times: 2 }).read("mem://file"))).exit))
    assertEquals(tries.count, 3)
    for (const reason of ["Denied", "Truncated", "Conflict", "Unsupported", "Unknown"] as const) {
      const { tries, storage } = failing(99, reason)
      assert(Exit.isFailure((await timeless(withRetry(storage).read("mem://file"))).exit))
      assertEquals(tries.count, 1, reason)
    }
    const truncated = failing(1, "Truncated")
    assert(
      Exit.isSuccess(
        (await timeless(withRetry(truncated.storage, { reasons: ["Truncated"] }).read("mem://file"))).exit,
      ),
    )
  })

  it("waits as long as the server requests, up to a limit", async () => {
    const polite = failing(1, "Unavailable", { retryAfter: 1500 })
    const { exit, waits } = await timeless(withRetry(polite.storage, { wait: 10 }).read("mem://file"))
    assert(Exit.isSuccess(exit))
    assertEquals(waits, [1500])
    const slow = failing(1, "Unavailable", { retryAfter: 60_000 })
    assert(Exit.isFailure((await timeless(withRetry(slow.storage).read("mem://file"))).exit))
    assertEquals(slow.tries.count, 1)
  })

  it("repeats only the range that failed, and never a create", async () => {
    const { tries, storage } = failing(1, "Unavailable")
    const trace = makeCounters()
    const ranges = [{ offset: 0, length: 10 }, { offset: 500, length: 10 }, { offset: 700, length: 10 }]
    const { exit } = await timeless(withRetry(withCounters(storage, trace)).readRanges("mem://file", ranges))
    assertEquals(exit, Exit.succeed(ranges.map(part)))
    assertEquals([tries.count, trace.requests], [2, 4])
    const create = failing(1, "Unavailable")
    assert(Exit.isFailure((await timeless(withRetry(create.storage).create("mem://new", content))).exit))
  })
})

describe("limit", () => {
  it("limits the number of concurrent requests, and counts each range", async () => {
    const inner = memory(new Map([["file", content]]))
    let [now, max] = [0, 0]
    const counting = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.ensuring(
        Effect.zipRight(Effect.sync(() => max = Math.max(max, ++now)), Effect.zipRight(Effect.sleep(2), call)),
        Effect.sync(() => now--),
      )
    const storage: Storage = {
      ...inner,
      read: (uri) => counting(inner.read(uri)),
      readRanges: (uri, ranges) => (assertEquals(ranges.length, 1), counting(inner.readRanges(uri, ranges))),
    }
    const limited = withLimit(storage, 3)
    const ranges = Array.from({ length: 20 }, (_, i) => ({ offset: i * 10, length: 10 }))
    const reads = Array.from({ length: 10 }, () => limited.read("mem://file"))
    const [parts] = await run(
      Effect.all([limited.readRanges("mem://file", ranges), Effect.all(reads, { concurrency: "unbounded" })], {
        concurrency: 2,
      }),
    )
    assertEquals(parts, ranges.map(part))
    assertEquals(max, 3)
  })

  it("releases the permit of an interrupted call", async () => {
    const inner = memory(new Map([["file", content]]))
    const limited = withLimit({ ...inner, size: () => Effect.never }, 1)
    await run(Effect.gen(function* () {
      const fiber = yield* Effect.fork(limited.size("mem://file"))
      yield* Effect.sleep(1)
      yield* Fiber.interrupt(fiber)
      assertEquals((yield* limited.read("mem://file")).length, 1000)
    }))
  })
})

describe("deferred storage", () => {
  it("loads once, at the first call", async () => {
    let loads = 0
    const loaded = Effect.runSync(Deferred.make<void>())
    const storage = deferStorage(async () => {
      loads++
      await run(Deferred.await(loaded))
      return memory(new Map([["file", content]]))
    })
    assertEquals(loads, 0)
    const both = run(Effect.all([storage.size("mem://file"), storage.size("mem://file")], { concurrency: 2 }))
    await run(Deferred.succeed(loaded, undefined))
    assertEquals(await both, [1000, 1000])
    assertNotEquals(loads, 2)
    assertEquals(loads, 1)
  })
})
