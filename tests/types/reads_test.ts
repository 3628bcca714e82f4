/**
 * The types of reads: `deno task check` is the test. The functions are not run; tests/query/request/result_types_test.ts
 * checks the types at run time.
 */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import {
  Aggregate,
  ArraySchema,
  Attr,
  type Cells,
  Condition,
  Dense,
  Dim,
  layerDefault,
  type SchemaMismatch,
  Sparse,
  TileArray,
} from "../../mod.ts"
import { exactly } from "./equal.ts"
import { Forms, Weather } from "../support/weather.ts"

const Layers = ArraySchema.dense({
  dims: { layer: Dim.uint32([0, 3], { tile: 4 }) },
  attrs: { salt: Attr.float64() },
  labels: { depth: { dim: "layer", type: "float64", order: "increasing" } },
})

type Error<A> = A extends Effect.Effect<infer _A, infer E, infer _R> ? E : never

/** The types of the results of reads; not run. */
/** Conditions as types. */
const conditions = () =>
  Effect.gen(function* () {
    const weather = yield* TileArray.open("weather", Weather)
    void Dense.read(weather, { where: Condition.gt("temperature", 7) })
    void Dense.read(weather, { where: Condition.and(Condition.gt("temperature", 7), Condition.eq("note", "x")) })
    void Dense.read(weather, { where: Condition.not(Condition.in("day", [1, 2])) })
    void Dense.read(weather, { where: "temperature > 7" })
    void Dense.read(weather, { where: Condition.parse("anything > 7") })
    // @ts-expect-error no such field
    void Dense.read(weather, { where: Condition.gt("temprature", 7) })
    // @ts-expect-error no such field, among others
    void Dense.read(weather, { where: Condition.or(Condition.gt("temperature", 7), Condition.gt("nope", 7)) })
    // @ts-expect-error text is not a number
    void Dense.read(weather, { where: Condition.gt("temperature", "7") })
    // @ts-expect-error neither is one in a list
    void Dense.read(weather, { where: Condition.in("temperature", [7, "8"]) })
    // @ts-expect-error a number is not text
    void Dense.read(weather, { where: Condition.not(Condition.eq("note", 5)) })
    // @ts-expect-error it is never null
    void Dense.read(weather, { where: Condition.isNull("temperature") })

    const forms = yield* TileArray.open("forms", Forms)
    void Sparse.read(forms, { where: Condition.gt("when", new Date()) })
    void Sparse.read(forms, { where: Condition.eq("wide", 5n) })
    void Sparse.read(forms, { where: Condition.isNull("nullable") })
    void Sparse.stream(forms, { where: Condition.eq("color", "red") })
    void Sparse.read(forms, { where: Condition.and(Condition.eq("raw", Uint8Array.of(1)), Condition.eq("code", "x")) })
    // @ts-expect-error a Date is not a number
    void Sparse.read(forms, { where: Condition.gt("fixed", new Date()) })
    // @ts-expect-error a bigint is not a 16-bit integer
    void Sparse.read(forms, { where: Condition.gt("fixed", 5n) })
    // @ts-expect-error three numbers are not one
    void Sparse.read(forms, { where: Condition.eq("three", 5) })
    // @ts-expect-error neither is any number of them
    void Sparse.read(forms, { where: Condition.in("many", [5]) })
    // @ts-expect-error no such field, in a negation
    void Sparse.read(forms, { where: Condition.not(Condition.or(Condition.eq("wide", 5), Condition.isNull("nope"))) })
    const mixed = [Condition.gt("wide", 1), Condition.gt("nope", 1)]
    // @ts-expect-error no such field, in a list
    void Sparse.read(forms, { where: Condition.and(...mixed) })
    // @ts-expect-error the fields of an untyped condition are unknown
    void Sparse.read(forms, { where: mixed[0] as Condition.Condition })

    const any = yield* TileArray.open("any")
    void Sparse.read(any, { where: Condition.gt("anything", "x") })
  })

/** All functions that take field names and conditions, as types. */
const asking = () =>
  Effect.gen(function* () {
    const forms = yield* TileArray.open("forms", Forms)
    const weather = yield* TileArray.open("weather", Weather)
    const wrong = Condition.gt("nope", 1)
    const count = { n: Aggregate.count() }
    // @ts-expect-error no such field
    void Sparse.delete(forms, wrong)
    // @ts-expect-error text is not a number
    void Sparse.delete(forms, Condition.gt("fixed", "x"))
    // @ts-expect-error no such field
    void Sparse.stream(forms, { where: wrong })
    // @ts-expect-error no such field
    void Sparse.batches(forms, { where: wrong }, layerDefault)
    // @ts-expect-error no such field
    void Sparse.explain(forms, { where: wrong })
    // @ts-expect-error no such dimension
    void Sparse.explain(forms, { region: { nope: 1 } })
    // @ts-expect-error no such field
    void Sparse.aggregate(forms, { largest: Aggregate.max("nope") })
    // @ts-expect-error no such field
    void Sparse.aggregate(forms, count, { by: ["nope"] })
    // @ts-expect-error no such field
    void Sparse.aggregate(forms, count, { where: wrong })
    // @ts-expect-error no such field
    void Sparse.distinct(forms, "nope")
    // @ts-expect-error no such field
    void Sparse.distinct(forms, "x", { where: wrong })
    // @ts-expect-error no such field
    void Dense.cells(weather, { select: ["nope"] })
    // @ts-expect-error no such field
    void Dense.cells(weather, { where: wrong })
    // @ts-expect-error no such field
    void Dense.aggregate(weather, { all: Aggregate.sum("nope") })

    const layers = yield* TileArray.open("layers", Layers)
    void Dense.read(layers, { region: { depth: [1.5, null] } })
    // @ts-expect-error no such label
    void Dense.read(layers, { region: { dpeth: 1 } })
    // @ts-expect-error a numeric label is not text
    void Dense.read(layers, { region: { depth: "deep" } })
    // @ts-expect-error conditions do not support labels
    void Dense.read(layers, { where: Condition.gt("depth", 5) })
    // @ts-expect-error no such label
    void TileArray.readLabel(layers, "nope")
  })

const dense = () =>
  Effect.gen(function* () {
    const a = yield* TileArray.open("weather", Weather, { at: 0 })
    exactly<typeof Weather>()(a.declared)

    const { columns, shape } = yield* Dense.read(a, { select: ["temperature"], region: { day: [1, 5], station: 3 } })
    exactly<ReadonlyArray<number>>()(shape)
    exactly<Float32Array>()(columns.temperature)
    // @ts-expect-error it was not selected
    void columns.note

    const all = yield* Dense.read(a)
    exactly<Float32Array>()(all.columns.temperature)
    exactly<Dense.VarColumn<Uint8Array>>()(all.columns.note)
    // @ts-expect-error dimensions of dense arrays are returned only if selected
    void all.columns.day

    const coordinates = yield* Dense.read(a, { select: ["day", "station"] })
    exactly<Int32Array>()(coordinates.columns.day)

    // @ts-expect-error no such field
    void Dense.read(a, { select: ["temprature"] })
    // @ts-expect-error no such dimension
    void Dense.read(a, { region: { dya: 1 } })
    // @ts-expect-error text is not a number
    void Dense.read(a, { region: { day: "1" } })
    // @ts-expect-error neither is bigint, of 32 bits
    void Dense.read(a, { region: { day: [1n, 5n] } })
    // @ts-expect-error no such option
    void Dense.read(a, { rnages: {} })
    // @ts-expect-error no such order
    void Dense.read(a, { order: "diagonal" })
    // @ts-expect-error a limit is a number
    void Dense.read(a, { limit: "5" })
    // @ts-expect-error a size has a unit of bytes
    void Dense.read(a, { memory: "5 apples" })
    // @ts-expect-error a timestamp is not a boolean
    void Dense.read(a, { at: true })
    // @ts-expect-error streams do not read into the caller's memory
    void Dense.stream(a, { out: { temperature: new Float32Array(9) } })

    // one query for all functions that accept queries
    const query = { select: ["temperature"], region: { day: [1, 5] }, where: Condition.gt("temperature", 7) } as const
    const fullQuery: Dense.Query<typeof Weather, "temperature"> = {
      ...query,
      order: "row",
      at: 5,
      limit: 9,
      memory: 2 ** 24,
    }
    exactly<Float32Array>()((yield* Dense.read(a, fullQuery)).columns.temperature)
    void Dense.stream(a, fullQuery)
    void Dense.explain(a, fullQuery)
    void Dense.batches(a, { ...fullQuery, signal: AbortSignal.timeout(5) }, layerDefault)
    // @ts-expect-error no such field
    const wrong: Dense.Query<typeof Weather> = { select: ["temprature"] }
    void wrong
    // @ts-expect-error the array is dense
    void Sparse.read(a)

    yield* Dense.read(a, { region: { day: [[1, 5], [7, null]], station: { points: Int32Array.of(1, 2) } } })
    yield* Dense.read(a, { select: ["temperature"], out: { temperature: new Float32Array(9) } })
    // @ts-expect-error float64 is not float32
    void Dense.read(a, { select: ["temperature"], out: { temperature: new Float64Array(9) } })
    // @ts-expect-error var-sized cells do not fit into one length
    void Dense.read(a, { select: ["note"], out: { note: new Uint8Array(9) } })
    // @ts-expect-error not selected
    void Dense.read(a, { select: ["note"], out: { temperature: new Float32Array(9) } })
  })

const sparse = () =>
  Effect.gen(function* () {
    const a = yield* TileArray.open("forms", Forms)
    const { columns, length } = yield* Sparse.read(a)
    exactly<number>()(length)
    exactly<BigUint64Array>()(columns.id)
    exactly<BigInt64Array>()(columns.at)
    exactly<Sparse.VarColumn<Uint8Array>>()(columns.name)
    exactly<Float32Array>()(columns.x)
    exactly<Int16Array>()(columns.fixed)
    exactly<BigInt64Array>()(columns.wide)
    exactly<Sparse.NullableColumn<Uint8Array>>()(columns.nullable)
    exactly<Sparse.VarColumn<Uint8Array>>()(columns.text)
    exactly<Sparse.NullableVarColumn<Uint16Array>>()(columns.nullableText)
    exactly<Float64Array>()(columns.three)
    exactly<Sparse.VarColumn<Uint32Array>>()(columns.many)
    exactly<BigInt64Array>()(columns.when)
    exactly<Sparse.NullableColumn<BigInt64Array>>()(columns.whenever)
    exactly<BigInt64Array>()(columns.duration)
    exactly<Sparse.VarColumn<Uint8Array>>()(columns.raw)
    exactly<Sparse.VarColumn<Int8Array>>()(columns.code)

    const dates = (yield* Sparse.read(a, { time: "date" })).columns
    exactly<ReadonlyArray<Date | null>>()(dates.at)
    exactly<ReadonlyArray<Date | null>>()(dates.when)
    exactly<ReadonlyArray<Date | null>>()(dates.whenever)
    exactly<BigInt64Array>()(dates.duration)
    exactly<Int16Array>()(dates.fixed)
    const moments = (yield* Sparse.read(a, { select: ["when"], time: "datetime" })).columns
    exactly<ReadonlyArray<DateTime.Utc | null>>()(moments.when)

    yield* Sparse.read(a, {
      region: { id: [1n, 5], at: [new Date(0), "2024-02-29"], name: ["a", null], x: { points: [0.5] } },
    })
    // @ts-expect-error a date is not a number
    void Sparse.read(a, { region: { id: new Date() } })
    // @ts-expect-error numbers are not dates: counts are bigint
    void Sparse.read(a, { region: { at: 5 } })
    // @ts-expect-error numbers are not text
    void Sparse.read(a, { region: { name: 5 } })
    // @ts-expect-error the array is sparse
    void Dense.read(a)
    // @ts-expect-error attributes have no ranges
    void Sparse.read(a, { region: { fixed: 5 } })
  })

const untyped = () =>
  Effect.gen(function* () {
    const a = yield* TileArray.open("weather")
    exactly<TileArray.TileArray>()(a)
    const { columns } = yield* Dense.read(a, { select: ["anything"], region: { any: [1, "2", 3n] as never } })
    exactly<Readonly<Record<string, Cells.Column>>>()(columns)
    exactly<Readonly<Record<string, Cells.Column>>>()((yield* Sparse.read(a)).columns)
    const named = (array: TileArray.AnyTileArray): string => array.uri
    named(a)
    named(yield* TileArray.declare(a, Weather))
    // @ts-expect-error its columns are other ones
    const plain: TileArray.TileArray = yield* TileArray.declare(a, Weather)
    exactly<TileArray.TileArray>()(TileArray.undeclare(plain))
    exactly<TileArray.TileArray<typeof Weather>>()(yield* TileArray.reopen(yield* TileArray.declare(a, Weather)))
  })

const errors = () => {
  const declared = TileArray.open("weather", Weather)
  exactly<TileArray.OpenError | SchemaMismatch>()(undefined as unknown as Error<typeof declared>)
  const plain = TileArray.open("weather")
  exactly<TileArray.OpenError>()(undefined as unknown as Error<typeof plain>)
}

const rows = () => {
  class Quake extends Schema.Class<Quake>("Quake")({ x: Schema.Number, text: Schema.NonEmptyString }) {}
  const quakes = TileArray.open("forms", Forms).pipe(
    Stream.flatMap((a) => Sparse.read(a, { select: ["x", "text"] })),
    Sparse.rows(Quake, { time: "bigint" }),
  )
  exactly<Quake>()(
    undefined as unknown as (typeof quakes extends Stream.Stream<infer A, infer _E, infer _R> ? A : never),
  )
}

/** Schemas keep their declared types. */
const schemas = () => {
  const general: ArraySchema.ArraySchema = Weather
  void general
  exactly<"dense">()(Weather.arrayType)
  exactly<"int32">()(Weather.dims.day.type)
  exactly<readonly [low: number, high: number] | null>()(Weather.dims.day.domain)
  exactly<readonly [low: bigint, high: bigint] | null>()(Forms.dims.at.domain)
  exactly<3>()(Forms.attrs.three.cellValNum)
  exactly<"var">()(Forms.attrs.text.cellValNum)
  exactly<true>()(Forms.attrs.nullable.nullable)
}

describe("types", () => {
  it("are checked by deno task check", () => {
    assertEquals(
      [dense, conditions, asking, sparse, untyped, errors, rows, schemas].every((f) => typeof f === "function"),
      true,
    )
  })
})
