/** Concurrent changes of one schema: none is lost. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { ArraySchema, Attr, Cells, Dim, layerNative, TileArray } from "../../../mod.ts"
import { makeMemoryStorage } from "../../../platform/storage/memory.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import { makeArray, type Needs, onEachStorage } from "../../support/change_array.ts"

const Colors = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 999], { tile: 10 }) },
  attrs: { a: Attr.int32(), color: Attr.enumerated(Attr.uint8(), "colors") },
  enumerations: { colors: ["red"] },
  currentDomain: { x: [10, 20] },
})

const Plain = ArraySchema.sparse({ dims: { x: Dim.int32([0, 999]) }, attrs: { a: Attr.int32() } })

const URI = "mem://a"

/** A storage whose creates take a while, so that concurrent changes interleave. */
const slowly = (storage: Storage): Storage => ({
  ...storage,
  create: (uri, bytes) => Effect.zipRight(Effect.sleep(5), storage.create(uri, bytes)),
})

/** Runs changes that start at the same time, from the same schema; returns the result of each. */
const together = <A, E, R>(...changes: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.updateService(Effect.all(changes.map(Effect.either), { concurrency: "unbounded" }), Storage, slowly)

const succeed = <A, E>(results: ReadonlyArray<Either.Either<A, E>>): void =>
  results.forEach((result) => assert(Either.isRight(result), String(Either.isLeft(result) && result.left)))

const attributesOf = (uri: string) =>
  Effect.map(TileArray.open(uri), ({ schema }) => schema.attributes.map(({ name }) => name).sort())

const colorsOf = (uri: string) =>
  Effect.gen(function* () {
    const [colors] = yield* Effect.flatMap(TileArray.open(uri), TileArray.enumerations)
    return Cells.columnJson(Cells.enumerationColumn(colors)) as ReadonlyArray<string>
  })

const namesIn = (uri: string) =>
  Effect.flatMap(Storage, (storage) => Effect.map(storage.list(uri), (all) => all.map(({ name }) => name)))

const claimsIn = (uri: string) => Effect.map(namesIn(uri), (all) => all.filter((name) => name.endsWith(".claim")))

const add = (name: string, uri: string = URI) => TileArray.evolve(uri, { addAttributes: { [name]: Attr.int32() } })

const isSchema = (uri: string): boolean => /\/__schema\/__\d/.test(uri)

const run = <A, E>(storage: Storage, effect: Effect.Effect<A, E, Needs>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, Layer.merge(Layer.succeed(Storage, storage), layerNative)))

/** Returns a storage that runs an effect around the first schema that is created through it. */
const aroundSchema = (
  storage: Storage,
  around: (create: Effect.Effect<void>) => Effect.Effect<unknown, unknown>,
): Storage => {
  let schemas = 0
  return {
    ...storage,
    create: (uri, bytes) =>
      isSchema(uri) && schemas++ === 0
        ? Effect.asVoid(Effect.orDie(around(Effect.orDie(storage.create(uri, bytes)))))
        : storage.create(uri, bytes),
  }
}

describe("concurrent changes of a schema", () => {
  onEachStorage("are all applied, as if they were sequential", (root) =>
    Effect.gen(function* () {
      const uri = `${root}/a`
      yield* makeArray(uri, Colors)
      const names = ["p", "q", "r"].map((name) => Array.from({ length: 6 }, (_, i) => `${name}${i}`))
      succeed(yield* together(...names.map((sequence) => Effect.forEach(sequence, (name) => add(name, uri)))))
      assertEquals(yield* attributesOf(uri), ["a", "color", ...names.flat()])
      assertEquals(yield* claimsIn(uri), [])
      succeed(yield* together(...names.map(([first]) => TileArray.evolve(uri, { dropAttributes: [first] }))))
      assertEquals(yield* attributesOf(uri), ["a", "color", ...names.flatMap((sequence) => sequence.slice(1))])
    }))

  onEachStorage("combine the values of an enumeration, and keep its codes", (root) =>
    Effect.gen(function* () {
      const uri = `${root}/a`
      yield* makeArray(uri, Colors)
      const extend = (...colors: ReadonlyArray<string>) => TileArray.evolve(uri, { extendEnumerations: { colors } })
      succeed(yield* together(extend("green"), extend("blue", "white"), extend("blue"), extend("black")))
      const colors = yield* colorsOf(uri)
      assertEquals(colors[0], "red")
      assertEquals([...colors].sort(), ["black", "blue", "green", "red", "white"])
    }))

  onEachStorage("combine current domains and an upgrade", (root) =>
    Effect.gen(function* () {
      const uri = `${root}/a`
      yield* makeArray(uri, Colors)
      const grow = (low: number, high: number) => TileArray.evolve(uri, { currentDomain: { x: [low, high] } })
      succeed(
        yield* together(
          grow(5, 20),
          grow(10, 30),
          grow(8, 25),
          TileArray.upgrade(uri, { formatVersion: 23 }),
          add("b", uri),
        ),
      )
      const { schema: { currentDomain, version } } = yield* TileArray.open(uri)
      assert(!currentDomain.empty)
      const [{ low, high }] = currentDomain.ranges
      assertEquals([readScalar("int32", low), readScalar("int32", high), version], [5, 30, 23])
      assertEquals(yield* attributesOf(uri), ["a", "b", "color"])
    }))

  onEachStorage(
    "fail with Conflict if they contradict each other, and succeed if they are equal",
    (root) =>
      Effect.gen(function* () {
        const uri = `${root}/a`
        yield* makeArray(uri, Colors)
        const sizes = (...values: ReadonlyArray<number>) =>
          TileArray.evolve(uri, { addEnumerations: { sizes: values } })
        const refused = (
          results: ReadonlyArray<Either.Either<void, { readonly _tag: string; readonly message: string }>>,
        ) => results.filter(Either.isLeft).map(({ left }) => left)
        const [attribute, ...more] = refused(
          yield* together(
            TileArray.evolve(uri, { addAttributes: { b: Attr.int32() } }),
            TileArray.evolve(uri, { addAttributes: { b: Attr.float64() } }),
          ),
        )
        assertEquals([attribute._tag, more], ["Conflict", []])
        assertStringIncludes(attribute.message, `${uri}: b: another change of the schema came first`)
        assertEquals(refused(yield* together(sizes(1, 2), sizes(1, 3))).map(({ _tag }) => _tag), ["Conflict"])
        const drop = TileArray.evolve(uri, { dropAttributes: ["color"] })
        succeed(yield* together(add("c", uri), add("c", uri), drop, drop))
        assertEquals(yield* attributesOf(uri), ["a", "b", "c"])
        assertEquals(yield* claimsIn(uri), [])
        // without concurrency, the same change is an error
        assertEquals((yield* Effect.flip(add("c", uri)))._tag, "SchemaError")
      }),
  )

  const now = Date.now()
  for (const [relation, at] of [["hides", now + 100_000], ["is hidden by", now - 1000]] as const) {
    it(`keep the change of an engine that takes no claim, if its schema ${relation} ours`, async () => {
      const storage = makeMemoryStorage()
      const Evolved = ArraySchema.sparse({ dims: Plain.dims, attrs: { a: Attr.int32(), engine: Attr.int8() } })
      const engine = Effect.provide(
        makeArray(URI, Evolved, { at }),
        Layer.merge(Layer.succeed(Storage, storage), layerNative),
      )
      const attributes = await run(
        aroundSchema(storage, (create) => Effect.zipRight(engine, create)),
        Effect.gen(function* () {
          yield* Effect.provideService(makeArray(URI, Plain, { at: now - 2000 }), Storage, storage)
          yield* add("ours")
          return (yield* TileArray.open(URI, { at: now + 200_000 })).schema.attributes.map(({ name }) => name)
        }),
      )
      assertEquals(attributes.sort(), ["a", "engine", "ours"])
    })
  }

  it("hide no earlier change if one process stops for so long that another takes over its claim", async () => {
    const storage = makeMemoryStorage()
    await run(
      storage,
      Effect.gen(function* () {
        yield* makeArray(URI, Plain)
        const otherIsDone = yield* Deferred.make<void>()
        const stops = yield* Deferred.make<void>()
        let seen: ReadonlyArray<string> = []
        const layer = Layer.merge(Layer.succeed(Storage, storage), layerNative)
        const slow = aroundSchema(storage, (create) =>
          Effect.gen(function* () {
            yield* Deferred.succeed(stops, undefined)
            yield* Deferred.await(otherIsDone)
            yield* create
            // as if the process were killed now
            seen = yield* Effect.provide(attributesOf(URI), layer)
          }))
        const other = Effect.gen(function* () {
          yield* Deferred.await(stops)
          yield* add("other")
          yield* Deferred.succeed(otherIsDone, undefined)
        })
        yield* Effect.all([Effect.provideService(add("slow"), Storage, slow), other], { concurrency: "unbounded" })
        assertEquals(seen, ["a", "other"])
        assertEquals(yield* attributesOf(URI), ["a", "other", "slow"])
        assertEquals(yield* claimsIn(URI), [])
      }),
    )
  })

  it("continue after a process was killed, with a later name than it may have planned", async () => {
    const storage = makeMemoryStorage()
    await run(
      storage,
      Effect.gen(function* () {
        yield* makeArray(URI, Plain)
        const [base] = (yield* namesIn(`${URI}/__schema`)).filter((name) => /^__\d/.test(name))
        const planned = `__${Date.now() + 3000}_${Date.now() + 3000}_${"f".repeat(32)}`
        const claim = `${URI}/__tessera_evolve.${base}.0.claim`
        yield* storage.create(claim, new TextEncoder().encode(`${planned}\nits owner\n`))
        yield* storage.create(`${URI}/__tessera_evolve.${base}.x.claim`, Uint8Array.of(255))
        yield* add("b")
        const newest = (yield* namesIn(`${URI}/__schema`)).filter((name) => /^__\d/.test(name)).at(-1)!
        assert(newest > planned, `${newest} does not come after ${planned}`)
        assertEquals(yield* claimsIn(URI), [`__tessera_evolve.${base}.x.claim`])
      }),
    )
  })

  it("remove their claim if they are rejected, or interrupted while they wait", async () => {
    const storage = makeMemoryStorage()
    await run(
      storage,
      Effect.gen(function* () {
        yield* makeArray(URI, Plain, { at: now - 2000 })
        assertEquals((yield* Effect.flip(add("a")))._tag, "SchemaError")
        const early = TileArray.evolve(URI, { addAttributes: { b: Attr.int8() } }, { at: now - 3000 })
        assertEquals((yield* Effect.flip(early))._tag, "InvalidOption")
        assertEquals(yield* claimsIn(URI), [])
        const [base] = yield* namesIn(`${URI}/__schema`)
        const claim = `${URI}/__tessera_evolve.${base}.0.claim`
        yield* storage.create(claim, new Uint8Array(0))
        assertEquals((yield* Effect.timeoutOption(add("b"), 100))._tag, "None")
        assertEquals(yield* namesIn(`${URI}/__schema`), [base])
        yield* storage.remove(claim)
        yield* add("b")
        assertEquals(yield* claimsIn(URI), [])
      }),
    )
  })
})
