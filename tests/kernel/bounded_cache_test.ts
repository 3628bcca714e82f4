/** The cache of an open array: bounded, least recently used first. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { layerDefault, Sparse, TileArray } from "../../mod.ts"
import { openedOf } from "../../src/array/open/handle.ts"
import { cacheKind, makeBoundedCache } from "../../src/kernel/bounded_cache.ts"

const TEXT = cacheKind<string>("text")
const OTHER = cacheKind<string>("other")

describe("a bounded cache", () => {
  it("drops the least recently used values, across its spaces", () => {
    const cache = makeBoundedCache(100)
    const [a, b] = [cache.makeSpace(), cache.makeSpace()]
    a.set(TEXT, 1, "a1", 40)
    b.set(TEXT, 1, "b1", 40)
    assertEquals([a.get(TEXT, 1), a.get(OTHER, 1), a.get(TEXT, 2), b.get(TEXT, 1)], ["a1", undefined, undefined, "b1"])
    a.get(TEXT, 1)
    a.set(OTHER, 1, "other", 30)
    assertEquals([a.get(TEXT, 1), b.get(TEXT, 1), a.get(OTHER, 1)], ["a1", undefined, "other"])
    assertEquals(cache.bytes(), 70)
  })

  it("replaces values, and does not store values above its limit", () => {
    const cache = makeBoundedCache(100)
    const space = cache.makeSpace()
    space.set(TEXT, 1, "small", 10)
    space.set(TEXT, 1, "larger", 20)
    assertEquals([space.get(TEXT, 1), cache.bytes()], ["larger", 20])
    space.set(TEXT, 2, "too large", 101)
    assertEquals([space.get(TEXT, 2), space.get(TEXT, 1)], [undefined, "larger"])
  })

  it("applies the lowest of several limits while it is set", () => {
    const cache = makeBoundedCache(2 ** 26)
    const space = cache.makeSpace()
    space.set(TEXT, 1, "first", 2 ** 24)
    space.set(TEXT, 2, "second", 2 ** 24)
    const [low, high] = [cache.withLimit(1), cache.withLimit(2 ** 25)]
    assertEquals([space.get(TEXT, 1), space.get(TEXT, 2), cache.bytes()], [undefined, "second", 2 ** 24])
    low()
    space.set(TEXT, 1, "first", 2 ** 24)
    assertEquals(cache.bytes(), 2 ** 25)
    space.set(TEXT, 3, "third", 2 ** 24)
    assertEquals(cache.bytes(), 2 ** 25)
    high()
    for (const key of [4, 5, 6, 7, 8]) space.set(TEXT, key, "later", 2 ** 24)
    assertEquals(cache.bytes(), 2 ** 26)
  })

  it("contains the metadata of an open array, and applies the limit of a stream while it runs", async () => {
    const program = Effect.gen(function* () {
      const quakes = yield* TileArray.open("tests/support/quakes")
      const { bounded } = openedOf(quakes)
      const region = { lat: [30, 46], lon: [128, 148] } as const
      yield* Sparse.read(quakes, { region })
      const loaded = bounded.bytes()
      const space = bounded.makeSpace()
      space.set(TEXT, 1, "large", 2 ** 25)
      const kept = yield* Stream.runFold(
        Sparse.stream(quakes, { region, memory: 2 ** 22 }),
        [] as ReadonlyArray<string | undefined>,
        (all) => [...all, space.get(TEXT, 1)],
      )
      space.set(TEXT, 1, "large", 2 ** 25)
      return [loaded > 0, kept[0], space.get(TEXT, 1)]
    })
    assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), [true, undefined, "large"])
  })
})
