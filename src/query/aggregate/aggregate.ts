/**
 * Aggregates that `Dense.aggregate` and `Sparse.aggregate` compute without returning cells.
 *
 * ```ts
 * import { Aggregate, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   const aggregates = { quakes: Aggregate.count(), deepest: Aggregate.max("depth") }
 *   return yield* Sparse.aggregate(quakes, aggregates, { region: { lat: [30, 46] } })
 * })
 * const { quakes, deepest } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(deepest, 33.5)
 * ```
 *
 * Null cells count in `count` and `nullCount` only. A sum of integers is an exact bigint that saturates at the limits
 * of 64 bits (`int64` for signed, `uint64` for unsigned integers), as in the engine; floats are added in cell order. A
 * NaN makes sums and means NaN, and is ignored by minimum and maximum. Without cells, the sum is 0, and minimum,
 * maximum and mean are null. Enumerated attributes are aggregated by their codes, as in the engine; keys of groups are
 * enumeration values.
 *
 * In dense arrays, cells that were never written count in `count` only, and only without a condition.
 *
 * @module
 */

/** Kind of an aggregate. */
export type AggregateKind = "count" | "sum" | "min" | "max" | "mean" | "nullCount"

/** An aggregate of a field; `count` has no field. */
export interface Aggregate<K extends AggregateKind = AggregateKind, F extends string = string> {
  /** Kind of the aggregate. */
  readonly kind: K
  /** Name of the attribute or dimension; `""` for `count`. */
  readonly field: F
}

/** Aggregates by result name. */
export type Aggregates = Readonly<Record<string, Aggregate>>

/**
 * Number of cells: `Aggregate.count()`.
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
 * Sum of a numeric field: `Aggregate.sum("depth")`. A number for floats, a bigint for integers.
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
 * Smallest value of a field of numbers, datetimes or text: `Aggregate.min("depth")`.
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
 * Largest value of a field of numbers, datetimes or text: `Aggregate.max("depth")`.
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
 * Mean of a numeric field, as a number: `Aggregate.mean("depth")`.
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
 * Number of null cells of a field: `Aggregate.nullCount("flag")`; 0 for fields that are not nullable.
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
