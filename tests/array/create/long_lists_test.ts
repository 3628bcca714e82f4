/** Timers fire while large enumerations, metadata with many keys and large metadata values are written and read. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  ArraySchema,
  Attr,
  type Codecs,
  Dim,
  layerMemory,
  layerNative,
  Metadata,
  type StorageService,
  TileArray,
} from "../../../mod.ts"
import { assertResponsive, processorTime } from "../../support/event_loop.ts"

const run = <A>(program: Effect.Effect<A, unknown, StorageService | Codecs>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, layer) as Effect.Effect<A>)
const memory = Effect.runSync(Effect.scoped(Layer.build(layerMemory)))
const layer = Layer.merge(Layer.succeedContext(memory), layerNative)

let arrays = 0
const fresh = (): string => `mem://array${arrays++}`

const dims = { x: Dim.int32([1, 1000], { tile: 10 }) }
const schemaOf = (values: ReadonlyArray<string>) =>
  ArraySchema.sparse({ dims, attrs: { a: Attr.enumerated(Attr.int32(), "e") }, enumerations: { e: values } })
const Plain = ArraySchema.sparse({ dims, attrs: { a: Attr.int32() } })

const words = Array.from({ length: 500_000 }, (_, i) => `word ${i}`)
const more = Array.from({ length: 50_000 }, (_, i) => `Wört ${i}`)

describe("an enumeration of 500,000 values", () => {
  const schema = schemaOf(words)

  it("is created while timers fire", () => assertResponsive(() => run(TileArray.create(fresh(), schema))))

  it("is listed in a schema and checked in less than a second", () => {
    const times = Array.from({ length: 3 }, () => {
      const [start, used] = [performance.now(), processorTime()]
      schemaOf(words)
      // on a busy machine the thread itself may have to wait for a processor
      return Math.min(performance.now() - start, used === undefined ? Infinity : processorTime()! - used)
    })
    assert(Math.min(...times) < 1000, `${times}`)
  })

  it("is extended and read while timers fire", () =>
    assertResponsive(async () => {
      const uri = fresh()
      await run(TileArray.create(uri, schema))
      await run(TileArray.evolve(uri, { extendEnumerations: { e: more } }))
      const [e] = await run(Effect.flatMap(TileArray.open(uri), (array) => TileArray.enumerations(array)))
      assertEquals(e.offsets?.length, words.length + more.length)
    }))

  it("is added while timers fire", () =>
    assertResponsive(async () => {
      const uri = fresh()
      await run(TileArray.create(uri, Plain))
      await run(TileArray.evolve(uri, { addEnumerations: { e: words } }))
    }))
})

describe("metadata", () => {
  const keys = 200_000
  const many = Object.fromEntries(Array.from({ length: keys }, (_, i) => [`key${i}`, i]))
  const put = async (entries: TileArray.MetadataEntriesInput): Promise<string> => {
    const uri = fresh()
    await run(TileArray.create(uri, Plain))
    await run(TileArray.putMetadata(uri, entries))
    return uri
  }
  const read = (uri: string) => run(Effect.flatMap(TileArray.open(uri), (array) => TileArray.metadata(array)))

  it("of 200,000 keys is put while timers fire", () => assertResponsive(() => put(many)))

  it("of 200,000 keys is read while timers fire", async () => {
    const uri = await put(many)
    await assertResponsive(async () => assertEquals((await read(uri)).length, keys))
    const items = await read(uri)
    assertEquals(
      Metadata.values(items.slice(0, 3)),
      new Map([["key0", 0n], ["key1", 1n], ["key10", 10n]]),
    )
  })

  it("of one text of 64 MB is put and read while timers fire", () => {
    const big = "x".repeat(1 << 26)
    return assertResponsive(async () => {
      const [item] = await read(await put({ big }))
      assertEquals([item.count, item.value[0], item.value.at(-1)], [1 << 26, 120, 120])
    })
  })

  it("of one list of a million numbers is put while timers fire", () => {
    const list = Array.from({ length: 1_000_000 }, (_, i) => i)
    return assertResponsive(async () => assertEquals((await read(await put({ list })))[0].count, list.length))
  })

  it("of strings at the borders of chunks is equal to that of the whole", async () => {
    const texts = { a: `${"x".repeat((1 << 20) - 1)}😀${"ä".repeat(1 << 20)}`, b: "é", c: "" }
    const values = Metadata.values(await read(await put(texts)))
    assertEquals(new Map(values), new Map(Object.entries(texts)))
  })
})
