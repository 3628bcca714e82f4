/** Arrays of thousands of attributes: the time of every operation is linear in their number. */
import { describe, it } from "node:test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import {
  Aggregate,
  ArraySchema,
  Attr,
  type Codecs,
  Dense,
  Dim,
  layerMemory,
  layerNative,
  Metadata,
  Sparse,
  type StorageService,
  TileArray,
} from "../../../mod.ts"
import { assertLinear } from "../../support/growth.ts"

const runtime = ManagedRuntime.make(Layer.merge(Layer.fresh(layerMemory), layerNative))
const run = <A>(program: Effect.Effect<A, unknown, StorageService | Codecs>): Promise<A> => runtime.runPromise(program)

const ATTRIBUTES = 700

const namesOf = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, i) => `a${i}`)
const attributes = (count: number) => Object.fromEntries(namesOf(count).map((name) => [name, Attr.float64()]))
const columns = (count: number) => Object.fromEntries(namesOf(count).map((name) => [name, Float64Array.of(1, 2, 3, 4)]))
const dims = { x: Dim.int32([0, 3], { tile: 4 }) }

/** Arrays that are already written, by kind and number of attributes. */
const written = new Set<string>()
const arrayOf = async (kind: "dense" | "sparse", count: number): Promise<string> => {
  const uri = `mem://${kind}${count}`
  if (written.has(uri)) return uri
  written.add(uri)
  const attrs = attributes(count)
  await run(
    kind === "dense"
      ? Effect.flatMap(
        TileArray.create(uri, ArraySchema.dense({ dims, attrs })),
        (array) => Dense.write(array, {}, columns(count)),
      )
      : Effect.flatMap(
        TileArray.create(uri, ArraySchema.sparse({ dims, attrs })),
        (array) => Sparse.write(array, { x: Int32Array.of(0, 1, 2, 3), ...columns(count) } as never),
      ),
  )
  return uri
}

describe("arrays of many attributes", () => {
  for (const kind of ["dense", "sparse"] as const) {
    const { aggregate, explain, read, stream } = (kind === "dense" ? Dense : Sparse) as typeof Dense
    const operations: Record<
      string,
      (array: TileArray.TileArray, count: number) => Effect.Effect<
        unknown,
        unknown,
        StorageService | Codecs
      >
    > = {
      "are opened": () => Effect.void,
      "are read": (array) => read(array),
      "are read with a condition": (array, count) => read(array, { where: "a1 > 2", select: namesOf(count) }),
      "are streamed": (array) => Stream.runDrain(stream(array)),
      "are explained": (array) => explain(array),
      "are aggregated": (array, count) =>
        aggregate(array, Object.fromEntries(namesOf(count).map((name) => [name, Aggregate.max(name)]))),
    }
    for (const [name, operation] of Object.entries(operations)) {
      it(`${name} in linear time: ${kind}`, () =>
        assertLinear(ATTRIBUTES, async (count) => {
          const uri = await arrayOf(kind, count)
          return () => run(Effect.flatMap(TileArray.open(uri), (array) => operation(array, count)))
        }))
    }
  }

  it("are compared with a declared schema in linear time", () =>
    assertLinear(ATTRIBUTES, async (count) => {
      const uri = await arrayOf("dense", count)
      const schema = ArraySchema.dense({ dims, attrs: attributes(count) })
      return () => run(TileArray.open(uri, schema))
    }))

  it("are created from JSON in linear time", () =>
    assertLinear(2000, (count) => {
      const json = ArraySchema.toJson(ArraySchema.dense({ dims, attrs: attributes(count) }))
      return Promise.resolve(() => Promise.resolve(ArraySchema.fromJson(json)))
    }))
})

describe("metadata of many keys", () => {
  it("are written, read and converted to values in linear time", () =>
    assertLinear(5000, async (count) => {
      const uri = `mem://metadata${count}`
      await run(TileArray.create(uri, ArraySchema.dense({ dims, attrs: { a: Attr.int32() } })))
      const entries = Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]))
      return () =>
        run(Effect.gen(function* () {
          yield* TileArray.putMetadata(uri, entries, { at: 1 })
          return Metadata.values(yield* TileArray.metadata(yield* TileArray.open(uri))).size
        }))
    }))
})
