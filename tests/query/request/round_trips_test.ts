/** The numbers of sequential round trips of reads over the network, with 16 requests in flight. */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, it } from "node:test"
import { ArraySchema, Attr, type Codecs, Dense, Dim, Sparse, TileArray } from "../../../mod.ts"
import { layerNative, makeMemoryStorage, StorageService } from "../../../platform/mod.ts"
import { countTrips } from "../../support/round_trips.ts"

const FRAGMENTS = 100

const Line = ArraySchema.dense({
  dims: { x: Dim.int32([0, 9999], { tile: 100 }) },
  attrs: { a: Attr.int32(), s: Attr.utf8() },
})
const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 9999]) }, attrs: { a: Attr.int32() } })
const names = Array.from({ length: 500 }, (_, i) => `a${i}`)
const Wide = ArraySchema.dense({
  dims: { x: Dim.int32([0, 99], { tile: 100 }) },
  attrs: Object.fromEntries(names.map((name) => [name, Attr.int32()])),
})

const memory = makeMemoryStorage()
const near = Layer.merge(Layer.succeed(StorageService, memory), layerNative)

const write = Effect.gen(function* () {
  const line = yield* TileArray.create("mem://line", Line)
  const points = yield* TileArray.create("mem://points", Points)
  const text = Array.from({ length: 100 }, () => "ab")
  for (let i = 0; i < FRAGMENTS; i++) {
    // neighbours overlap by half, so that newer cells replace older ones
    const from = Math.max(0, i * 100 - 50)
    const a = new Int32Array(100).fill(i)
    yield* Dense.write(line, { x: [from, from + 99] }, { a, s: text }, { at: i + 1 })
    const x = Int32Array.from({ length: 100 }, (_, k) => (k * 97 + i * 31) % 10_000)
    yield* Sparse.write(points, { x, a }, { at: i + 1 })
  }
  const wide = yield* TileArray.create("mem://wide", Wide)
  yield* Dense.write(wide, {}, Object.fromEntries(names.map((name) => [name, new Int32Array(100)])))
  const one = yield* TileArray.create("mem://one", Points)
  yield* Sparse.write(one, { x: [1], a: [2] })
})

type Program<A> = Effect.Effect<A, unknown, StorageService | Codecs>

const written = Effect.runPromise(Effect.provide(write, near))

/** Runs `prepare` and then `use`, whose trips are counted; compares the result with one without latency. */
const tripsOf = async <A, B>(prepare: Program<A>, use: (prepared: A) => Program<B>) => {
  await written
  const { storage, trips, requests } = countTrips(memory)
  const far = Layer.merge(Layer.succeed(StorageService, storage), layerNative)
  const prepared = await Effect.runPromise(Effect.provide(prepare, far))
  const [before, sent] = [trips(), requests()]
  const result = await Effect.runPromise(Effect.provide(use(prepared), far))
  return { trips: trips() - before, requests: requests() - sent, result }
}

const nothing: Program<void> = Effect.void
const columnsOf = (result: { readonly fields: Dense.Read["fields"] }) =>
  Object.values(result.fields).map(({ values, offsets }) => [values, offsets])

describe("round trips with 16 requests in flight", () => {
  it("of opening and reading one tile: listings, schema and footer, tile", async () => {
    const { trips, requests } = await tripsOf(
      nothing,
      () =>
        Effect.flatMap(
          TileArray.open("mem://one"),
          (array) => Sparse.read(array, { select: ["a"], order: "unordered" }),
        ),
    )
    assertEquals([trips, requests], [3, 6])
  })

  it("of a tile of an open array: one", async () => {
    const { trips } = await tripsOf(
      TileArray.open("mem://one"),
      (array) => Sparse.read(array, { select: ["a"], order: "unordered" }),
    )
    assertEquals(trips, 1)
  })

  it(`of opening ${FRAGMENTS} fragments: at most 9`, async () => {
    const { trips } = await tripsOf(nothing, () => TileArray.open("mem://line"))
    assert(trips <= 9, `${trips}`)
  })

  it(`of a dense read of ${FRAGMENTS} fragments: at most 16, with the newest cells`, async () => {
    const { trips, result } = await tripsOf(
      TileArray.open("mem://line"),
      (array) => Dense.read(array, { select: ["a"] }),
    )
    assert(trips <= 16, `${trips}`)
    const expected = await Effect.runPromise(Effect.provide(
      Effect.flatMap(TileArray.open("mem://line"), (array) => Dense.read(array, { select: ["a"] })),
      near,
    ))
    assertEquals(columnsOf(result), columnsOf(expected))
  })

  it("of all fields: as many as the requests need", async () => {
    for (const uri of ["mem://line", "mem://points"]) {
      const read = (array: TileArray.TileArray): Program<{ readonly fields: Dense.Read["fields"] }> =>
        array.schema.arrayType === "dense" ? Dense.read(array) : Sparse.read(array)
      const { trips, requests, result } = await tripsOf(TileArray.open(uri), read)
      // a few trips more, since some requests depend on others
      assert(trips <= Math.ceil(requests / 16) + 6, `${trips} trips, ${requests} requests`)
      const expected = await Effect.runPromise(Effect.provide(Effect.flatMap(TileArray.open(uri), read), near))
      assertEquals(columnsOf(result), columnsOf(expected))
    }
  })

  it(`of a sparse read of ${FRAGMENTS} fragments: at most 16`, async () => {
    const { trips } = await tripsOf(
      TileArray.open("mem://points"),
      (array) => Sparse.read(array, { order: "unordered", select: ["a"] }),
    )
    assert(trips <= 16, `${trips}`)
  })

  it("of 3 of 500 attributes: at most 4", async () => {
    const { trips } = await tripsOf(
      TileArray.open("mem://wide"),
      (array) => Dense.read(array, { select: ["a1", "a250", "a499"] }),
    )
    assert(trips <= 4, `${trips}`)
  })

  it("of a range over 30 of the fragments: at most 6", async () => {
    const { trips } = await tripsOf(
      TileArray.open("mem://line"),
      (array) => Dense.read(array, { select: ["a"], region: { x: [3000, 5949] } }),
    )
    assert(trips <= 6, `${trips}`)
  })
})
