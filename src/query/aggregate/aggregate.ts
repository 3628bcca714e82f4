/**
 * Aggregates: what is asked of the cells of a read without having them, by `Dense.aggregate` and `Sparse.aggregate`.
 *
 * ```ts
 * import { Aggregate, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   const wanted = { quakes: Aggregate.count(), deepest: Aggregate.max("depth") }
 *   return yield* Sparse.aggregate(quakes, wanted, { region: { lat: [30, 46] } })
 * })
 * const { quakes, deepest } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(deepest, 33.5)
 * ```
 *
 * Nulls count in nothing but `count` and `nullCount`. A sum of integers is exact, as a bigint, and stops at the limits of 64 bits
 * (`int64` for signed ones, `uint64` for unsigned ones), as the engine's does; floats are added in the order of the cells. A NaN
 * makes sums and means NaN, and is neither a minimum nor a maximum. Of no cell the sum is 0; minimum, maximum and mean are
 * null. Of enumerated attributes codes are looked at, as engines do; the keys of groups are values.
 *
 * In dense arrays, cells that nobody wrote count in `count` only, where there is no condition.
 *
 * @module
 */

/** What is asked of a field. */
export type AggregateKind = "count" | "sum" | "min" | "max" | "mean" | "nullCount"

/** An aggregate of a field. `count` has none. */
export interface Aggregate<K extends AggregateKind = AggregateKind, F extends string = string> {
  /** What is asked. */
  readonly kind: K
  /** The name of the attribute or dimension; `""` for `count`. */
  readonly field: F
}

/** Aggregates by the names that their answers get. */
export type Aggregates = Readonly<Record<string, Aggregate>>

/**
 * How many cells there are: `Aggregate.count()`.
 *
 * ```ts
 * import { Aggregate, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   return yield* Sparse.aggregate(quakes, { n: Aggregate.count() }, { where: "depth > 20" })
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), { n: 2 })
 * ```
 */
export const count = (): Aggregate<"count", ""> => ({ kind: "count", field: "" })

/**
 * The sum of the cells of a field of numbers: `Aggregate.sum("depth")`. A number of floats, a bigint of integers.
 *
 * ```ts
 * import { Aggregate, Dense, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   return yield* Dense.aggregate(weather, { all: Aggregate.sum("temperature") }, { region: { day: 60 } })
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), { all: 31.5 })
 * ```
 */
export const sum = <const F extends string>(field: F): Aggregate<"sum", F> => ({ kind: "sum", field })

/**
 * The smallest cell of a field of numbers, dates or text: `Aggregate.min("depth")`.
 *
 * ```ts
 * import { Aggregate, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   return yield* Sparse.aggregate(quakes, { first: Aggregate.min("place"), south: Aggregate.min("lat") })
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), { first: "Crete", south: 35.2 })
 * ```
 */
export const min = <const F extends string>(field: F): Aggregate<"min", F> => ({ kind: "min", field })

/**
 * The largest cell of a field of numbers, dates or text: `Aggregate.max("depth")`.
 *
 * ```ts
 * import { Aggregate, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   return yield* Sparse.aggregate(quakes, { deepest: Aggregate.max("depth"), last: Aggregate.max("time") })
 * })
 * const { deepest, last } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals([deepest, last], [33.5, 1709251200n]) // dates are counts of their unit: here seconds
 * ```
 */
export const max = <const F extends string>(field: F): Aggregate<"max", F> => ({ kind: "max", field })

/**
 * The mean of the cells of a field of numbers, as a number: `Aggregate.mean("depth")`.
 *
 * ```ts
 * import { Aggregate, Dense, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   return yield* Dense.aggregate(weather, { mean: Aggregate.mean("temperature") }, { region: { day: 60 } })
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), { mean: 7.875 })
 * ```
 */
export const mean = <const F extends string>(field: F): Aggregate<"mean", F> => ({ kind: "mean", field })

/**
 * How many cells of a field are null: `Aggregate.nullCount("flag")`. None of a field that cannot have nulls.
 *
 * ```ts
 * import { Aggregate, ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Flags = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9]) }, attrs: { flag: Attr.nullable(Attr.uint8()) } })
 * const program = Effect.gen(function* () {
 *   const flags = yield* TileArray.create("mem://flags", Flags)
 *   yield* Sparse.write(flags, { x: [1, 2, 3], flag: [7, null, null] })
 *   return yield* Sparse.aggregate(yield* TileArray.reopen(flags), { missing: Aggregate.nullCount("flag") })
 * })
 * const answer = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(answer, { missing: 2 })
 * ```
 */
export const nullCount = <const F extends string>(field: F): Aggregate<"nullCount", F> => ({ kind: "nullCount", field })
