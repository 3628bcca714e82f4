/** Results as rows decoded with an Effect Schema, and rows as streams and async iterables. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Dense, layerDefault, RowError, Sparse, TileArray, toAsyncIterable } from "../../../mod.ts"
import { Forms } from "../../support/weather.ts"
import { FORMS, layerForms, MOMENT, overForms } from "../../support/forms_array.ts"

const weather = new URL("../../golden/demo/weather", import.meta.url).pathname
const readForms = Effect.flatMap(TileArray.open(FORMS, Forms), (a) => Sparse.read(a))
const rowsOf = <A, I>(schema: Schema.Schema<A, I>, options?: Sparse.RowOptions): Promise<ReadonlyArray<A>> =>
  overForms(Effect.flatMap(readForms, (result) => Sparse.decodeRows(result, schema, options)))

describe("rows", () => {
  it("contain cells of every form as values", async () => {
    const rows = await rowsOf(Schema.Any)
    assertEquals(rows[0], {
      id: 1n,
      at: new Date(MOMENT),
      name: "a",
      x: 0.25,
      fixed: -1,
      wide: 2n ** 60n,
      nullable: 7,
      text: "né",
      nullableText: "hé",
      three: Float64Array.of(1, 2, 3),
      many: Uint32Array.of(1, 2),
      when: new Date(MOMENT),
      whenever: new Date("2024-02-29"),
      duration: 60n,
      raw: Uint8Array.of(0, 255),
      code: "x",
      color: "green",
    })
    assertEquals([rows[1].nullable, rows[1].nullableText, rows[1].color, rows[1].text], [null, null, "red", ""])
    // a code without a value in the enumeration, and timestamps that are not valid dates
    assertEquals([rows[2].color, rows[2].when, rows[2].whenever, rows[2].nullableText], [null, null, null, "𝄞"])
  })

  it("contain dates in the requested form", async () => {
    const [counts] = await rowsOf(Schema.Any, { time: "bigint" })
    assertEquals([counts.at, counts.whenever], [BigInt(MOMENT), 19782n])
    const [moments] = await rowsOf(Schema.Any, { time: "datetime" })
    assert(DateTime.isUtc(moments.at))
  })

  it("are decoded with a schema, including classes and transformations", async () => {
    class Cell extends Schema.Class<Cell>("Cell")({ id: Schema.BigIntFromSelf, x: Schema.NumberFromString }) {}
    const Encoded = Schema.Struct({ id: Schema.BigIntFromSelf, color: Schema.NullOr(Schema.Literal("red", "green")) })
    assertEquals((await rowsOf(Encoded)).map((row) => row.color), ["green", "red", null])
    const error = await overForms(Effect.flatMap(readForms, (r) => Effect.flip(Sparse.decodeRows(r, Cell))))
    assert(error instanceof RowError)
    assertEquals([error.row, error.uri], [0, FORMS])
    assertStringIncludes(error.message, `${FORMS}: row 0: x: Expected string, actual 0.25`)
  })

  it("are rejected with the number of the row and the reason", async () => {
    const schema = Schema.Struct({ text: Schema.NonEmptyString })
    const error = await overForms(Effect.flatMap(readForms, (r) => Effect.flip(Sparse.decodeRows(r, schema))))
    assert(error instanceof RowError)
    assertEquals(error.row, 1)
    assertStringIncludes(error.detail, "text: Expected a non empty string")
  })

  it("may require services", async () => {
    class Bias extends Context.Tag("Bias")<Bias, number>() {}
    const Biased = Schema.transformOrFail(Schema.Number, Schema.Number, {
      decode: (x) => Effect.map(Bias, (bias) => x + bias),
      encode: (x) => Effect.succeed(x),
    })
    const rows = await overForms(
      Effect.flatMap(readForms, (r) => Sparse.decodeRows(r, Schema.Struct({ x: Biased }))).pipe(
        Effect.provideService(Bias, 10),
      ),
    )
    assertEquals(rows.map((row) => row.x), [10.25, 10.5, 10.75])
  })

  it("are also read from arrays without a declared schema, and from dense arrays", async () => {
    const Reading = Schema.Struct({ day: Schema.Number, note: Schema.String })
    const rows = await Effect.runPromise(
      TileArray.open(weather).pipe(
        Effect.flatMap((a) => Dense.read(a, { select: ["day", "note"], region: { day: [60, 61], station: 1 } })),
        Effect.flatMap((result) => Dense.decodeRows(result, Reading)),
        Effect.provide(layerDefault),
      ),
    )
    assertEquals(rows, [{ day: 60, note: "corrected" }, { day: 61, note: "" }])
  })

  it("are empty if no field or cell is selected", async () => {
    const none = await overForms(
      Effect.flatMap(TileArray.open(FORMS), (a) => Sparse.read(a, { select: [] })).pipe(
        Effect.flatMap((result) => Sparse.decodeRows(result, Schema.Any)),
      ),
    )
    assertEquals(none, [])
    const empty = await overForms(
      Effect.flatMap(TileArray.open(FORMS), (a) => Sparse.read(a, { region: { id: 900 } })).pipe(
        Effect.flatMap((result) => Sparse.decodeRows(result, Schema.Any)),
      ),
    )
    assertEquals(empty, [])
  })

  it("are streamed, and numbered across all batches", async () => {
    const Id = Schema.Struct({ id: Schema.BigIntFromSelf, text: Schema.String })
    const twice = Stream.concat(readForms, readForms)
    const ids = await overForms(Stream.runCollect(Sparse.rows(Id)(twice)))
    assertEquals(Chunk.toReadonlyArray(ids).map(({ id }) => id), [1n, 2n, 3n, 1n, 2n, 3n])

    const late = Schema.Struct({ id: Schema.BigIntFromSelf.pipe(Schema.filter((id) => id !== 2n || ++seen < 2)) })
    let seen = 0
    const error = await overForms(Effect.flip(Stream.runDrain(Sparse.rows(late)(twice))))
    assert(error instanceof RowError)
    assertEquals(error.row, 4)
  })
})

describe("streams outside Effect", () => {
  it("work with for await, and stop when the loop stops", async () => {
    let closed = 0
    const endless = Stream.forever(readForms).pipe(
      Sparse.rows(Schema.Struct({ id: Schema.BigIntFromSelf })),
      Stream.ensuring(Effect.sync(() => closed++)),
    )
    const ids: Array<bigint> = []
    for await (const { id } of toAsyncIterable(endless, layerForms)) if (ids.push(id) === 5) break
    assertEquals(ids, [1n, 2n, 3n, 1n, 2n])
    assertEquals(closed, 1)
  })

  it("throw the errors of the stream", async () => {
    const rows = Sparse.rows(Schema.Struct({ text: Schema.NonEmptyString }))(readForms)
    const seen: Array<string> = []
    try {
      for await (const { text } of toAsyncIterable(rows, layerForms)) seen.push(text)
      assert(false, "there was no error")
    } catch (error) {
      assert(error instanceof RowError, String(error))
      assertEquals(error.row, 1)
    }
  })
})
