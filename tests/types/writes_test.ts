/**
 * The types of writes: `deno task check` is the test. The functions are not run; tests/write checks the types at run time.
 */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import type * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import {
  type ArraySchema,
  ArraySchema as Schema,
  Attr,
  type Codecs,
  Dense,
  Dim,
  Sparse,
  type StorageService,
  TileArray,
} from "../../mod.ts"
import { exactly } from "./equal.ts"
import { Forms, Weather } from "../support/weather.ts"

const Flags = Schema.dense({
  dims: { lat: Dim.int32([1, 180], { tile: 30 }), lon: Dim.int32([1, 360], { tile: 30 }) },
  attrs: { temp: Attr.float32(), flag: Attr.nullable(Attr.uint8()) },
})

const dense = () =>
  Effect.gen(function* () {
    const a = yield* TileArray.create("weather", Flags, { formatVersion: 22, at: 0 })
    exactly<typeof Flags>()(a.declared)
    const flag = { values: new Uint8Array(900), validity: new Uint8Array(900) }
    const temp = new Float32Array(900)
    const written = yield* Dense.write(a, { lat: [1, 30], lon: [1, 30] }, { temp, flag }, {
      at: new Date(),
      order: "col",
    })
    exactly<Dense.WriteResult>()(written)
    // lists of cells
    yield* Dense.write(a, { lat: 1, lon: [1, 2] }, { temp: [1, 2.5], flag: [1, null] })
    // an omitted dimension has its whole domain
    yield* Dense.write(a, {}, { temp, flag })

    // @ts-expect-error float64 is not float32
    void Dense.write(a, {}, { temp: new Float64Array(900), flag })
    // @ts-expect-error nullable cells come with their validity
    void Dense.write(a, {}, { temp, flag: { values: new Uint8Array(900) } })
    // @ts-expect-error or as a list
    void Dense.write(a, {}, { temp, flag: new Uint8Array(900) })
    // @ts-expect-error temp is never null
    void Dense.write(a, {}, { temp: [1, null], flag })
    // @ts-expect-error a write has all attributes
    void Dense.write(a, {}, { temp })
    // @ts-expect-error no such attribute
    void Dense.write(a, {}, { temp, flag, tmep: temp })
    // @ts-expect-error no such dimension
    void Dense.write(a, { lta: [1, 30] }, { temp, flag })
    // @ts-expect-error text is not a number
    void Dense.write(a, { lat: ["1", "30"] }, { temp, flag })
    // @ts-expect-error no such order
    void Dense.write(a, {}, { temp, flag }, { order: "rows" })
    // @ts-expect-error the array is dense
    void Sparse.write(a, { temp, flag })
    // @ts-expect-error no such option
    void TileArray.create("weather", Flags, { version: 22 })

    const sink = Dense.sink(a, { lat: [1, 30] }, { maxFragmentSize: 1e9 })
    exactly<
      Sink.Sink<
        Dense.WriteResult,
        Dense.AttributeColumns<typeof Flags>,
        never,
        Dense.WriteFailure,
        StorageService | Codecs
      >
    >()(sink)
    yield* Stream.run(Stream.make({ temp, flag }), sink)
  })

const sparse = () =>
  Effect.gen(function* () {
    const a = yield* TileArray.open("forms", Forms)
    const { columns } = yield* Sparse.read(a)
    // the result of a read can be written
    yield* Sparse.write(a, columns, { duplicates: "first" })
    yield* Sparse.write(a, { ...columns, at: [new Date(), "2024-02-29", 7n], name: ["a", Uint8Array.of(98), "c"] })
    yield* Sparse.write(a, {
      ...columns,
      color: [0, 1, 1],
      wide: [1, 2n, 3],
      text: ["a", "b", "c"],
      three: [[1, 2, 3]],
    })
    yield* Sparse.write(a, { ...columns, nullableText: [null, [97, 98], new Uint16Array(2)], whenever: [null, 5n] })

    // @ts-expect-error coordinates are required
    void Sparse.write(a, { ...columns, id: undefined })
    // @ts-expect-error var-sized cells have offsets
    void Sparse.write(a, { ...columns, text: new Uint8Array(3) })
    // @ts-expect-error one value where a cell has three
    void Sparse.write(a, { ...columns, three: [1, 2, 3] })
    // @ts-expect-error one code unit is not a string
    void Sparse.write(a, { ...columns, nullableText: ["a"] })
    // @ts-expect-error numbers are not dates
    void Sparse.write(a, { ...columns, when: [1, 2, 3] })
    // @ts-expect-error sparse cells have no box
    void Dense.write(a, {}, columns)

    yield* Effect.scoped(Effect.gen(function* () {
      const writer = yield* Sparse.writer(a, { order: "global", memory: 2 ** 20 })
      exactly<Sparse.CellWriter<Sparse.CellColumns<typeof Forms>>>()(writer)
      yield* writer.write(columns)
      exactly<Effect.Effect<Sparse.WriteResult, Sparse.WriteFailure>>()(writer.commit)
    }))
  })

const untyped = (a: TileArray.TileArray) =>
  Effect.gen(function* () {
    yield* Sparse.write(a, { x: new Int32Array(3), s: ["a", null, "b"], v: { values: new Uint8Array(3) } })
    yield* Dense.write(a, { x: [1, 3], day: new Date() }, { a: new Float32Array(3) })
    const any: TileArray.TileArray<ArraySchema.ArraySchema<"dense">> = yield* TileArray.create("x", Weather)
    return any
  })

describe("types of writes", () => {
  it("are checked by deno task check", () => {
    assertEquals([dense, sparse, untyped].every((f) => typeof f === "function"), true)
  })
})
