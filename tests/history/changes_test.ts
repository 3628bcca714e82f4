/** Streams of changes: each once, in order, across consolidations and vacuums; their end and their interruption. */
import { assert, assertEquals } from "@std/assert"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Dim, Group, Sparse, TileArray } from "../../mod.ts"
import { Storage } from "../../platform/storage/service.ts"
import { makeCounters, withCounters } from "../../platform/storage/middleware/counters.ts"
import { inMemory } from "../support/in_memory.ts"

const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 999]) }, attrs: { n: Attr.int32() } })

const write = (uri: string, k: number) =>
  Effect.flatMap(TileArray.open(uri), (array) => Sparse.write(array, { x: [k], n: [k] }, { at: 100 + k }))

/** Runs a stream whose listings are made one by one: returns a function that makes one, and returns its changes. */
const follow = (uri: string, options: TileArray.ChangesOptions = {}) =>
  Effect.gen(function* () {
    const ticks = yield* Queue.unbounded<void>()
    const results = yield* Queue.unbounded<ReadonlyArray<TileArray.LoggedChange>>()
    // the schedule waits for a tick before each listing
    const schedule = Schedule.forever.pipe(Schedule.tapOutput(() => Queue.take(ticks)))
    const stream = TileArray.changes(uri, { ...options, schedule })
    const fiber = yield* Effect.fork(
      Stream.runForEachChunk(stream, (chunk) => Queue.offer(results, Chunk.toReadonlyArray(chunk))),
    )
    const next = Effect.timeoutTo(Queue.take(results), {
      duration: "200 millis",
      onTimeout: () => [] as ReadonlyArray<TileArray.LoggedChange>,
      onSuccess: (changes) => changes,
    })
    return { fiber, next, tick: Effect.zipRight(Queue.offer(ticks, undefined), next) }
  })

const short = (changes: ReadonlyArray<TileArray.LoggedChange>) => changes.map(({ kind, end }) => `${kind} ${end}`)

describe("a stream of changes", () => {
  it("emits each change once, also if it is consolidated and vacuumed", async () => {
    const seen = await inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://a", Points, { at: 100 })
      yield* write("mem://a", 1)
      const { fiber, next, tick } = yield* follow("mem://a")
      const out = [short(yield* next)]
      yield* write("mem://a", 2)
      yield* write("mem://a", 3)
      out.push(short(yield* tick), short(yield* tick))
      yield* TileArray.consolidate("mem://a", { mode: "commits" })
      yield* TileArray.vacuum("mem://a", { mode: "commits", age: 0 })
      out.push((yield* tick).map(({ path }) => path.split(".").at(-1)!))
      yield* TileArray.consolidate("mem://a")
      out.push(short(yield* tick))
      yield* TileArray.vacuum("mem://a", { age: 0 })
      out.push(short(yield* tick))
      yield* TileArray.putMetadata("mem://a", { a: 1 }, { at: 200 })
      yield* Sparse.delete(yield* TileArray.open("mem://a"), "n == 2", { at: 201 })
      out.push(short(yield* tick))
      yield* Fiber.interrupt(fiber)
      return out
    }))
    assertEquals(seen, [[], ["written 102", "written 103"], [], ["con"], ["consolidated 103"], [], [
      "metadata 200",
      "deleted 201",
    ]])
  })

  it("starts with the existing changes since a time, or since a tag", async () => {
    const seen = await inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://a", Points, { at: 100 })
      yield* write("mem://a", 1)
      yield* write("mem://a", 2)
      yield* TileArray.putTag("mem://a", "two", { at: 102 })
      const out: Array<ReadonlyArray<string>> = []
      for (const since of [102, "tag:two", 0] as const) {
        const stream = TileArray.changes("mem://a", { since, schedule: Schedule.stop })
        const changes = Chunk.toReadonlyArray(yield* Stream.runCollect(stream))
        out.push(short(changes.filter(({ end }) => end < 1000)))
      }
      return out
    }))
    assertEquals(seen, [["written 102"], ["written 102"], ["created 100", "written 101", "written 102"]])
  })

  it("reads only new files, and stops when it is interrupted", async () => {
    const [reads, before, after] = await inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://a", Points, { at: 100 })
      for (let k = 1; k <= 5; k++) yield* write("mem://a", k)
      const counters = makeCounters()
      const storage = withCounters(yield* Storage, counters)
      const stream = TileArray.changes("mem://a", { schedule: Schedule.spaced("5 millis") })
      const fiber = yield* Effect.fork(Effect.provideService(Stream.runDrain(stream), Storage, storage))
      yield* Effect.sleep("60 millis")
      yield* Fiber.interrupt(fiber)
      const before = counters.requests
      const reads = counters.bytesRead
      yield* Effect.sleep("30 millis")
      return [reads, before, counters.requests]
    }))
    assertEquals(reads, 0)
    assert(before > 4)
    assertEquals(after, before)
  })

  it("emits the members of groups", async () => {
    const seen = await inMemory(Effect.gen(function* () {
      yield* Group.create("mem://g")
      const { fiber, next, tick } = yield* follow("mem://g")
      yield* next
      yield* Group.add("mem://g", { uri: "mem://b", type: "array", name: "b" }, { at: 10 })
      const changes = yield* tick
      yield* Fiber.interrupt(fiber)
      return changes.map(({ kind, added }) => [kind, added])
    }))
    assertEquals(seen, [["members", ["b"]]])
  })

  it("fails for a missing array, one that is removed, and invalid options", async () => {
    const tags = await inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://a", Points, { at: 100 })
      const fail = (stream: ReturnType<typeof TileArray.changes>) =>
        Effect.map(Effect.flip(Stream.runDrain(stream)), ({ _tag }) => _tag as string)
      const storage = yield* Storage
      const removal = TileArray.changes("mem://a", { schedule: Schedule.spaced("1 millis"), since: 0 }).pipe(
        Stream.tap(() =>
          Effect.flatMap(
            storage.list("mem://a/__schema"),
            (files) => storage.removeAll(files.map(({ name }) => `mem://a/__schema/${name}`)),
          )
        ),
      )
      const none = [
        yield* fail(TileArray.changes("mem://none")),
        yield* fail(TileArray.changes("mem://a", { since: -1 })),
        yield* fail(TileArray.changes("mem://a", { since: "tag:none" })),
        yield* fail(TileArray.changes("mem://a", { schedule: "1 second" as never })),
        yield* fail(TileArray.changes("mem://a", null as never)),
      ]
      return [...none, yield* fail(removal as never)]
    }))
    assertEquals(tags, ["ArrayNotFound", ...new Array(4).fill("InvalidOption"), "ArrayNotFound"])
  })
})
