/**
 * Conditions on cells, built from functions or parsed from text.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const deep = Condition.and(Condition.gt("depth", 400), Condition.in("place", ["Tonga", "Fiji"]))
 * assertEquals(Condition.fields(deep), ["depth", "place"])
 * assertEquals(Condition.format(deep), 'depth > 400 and place in ["Tonga", "Fiji"]')
 *
 * const parsed = Condition.parse('depth > 400 and place in ["Tonga", "Fiji"]')
 * assertEquals(Condition.format(parsed), Condition.format(deep))
 * ```
 *
 * A null matches no comparison, not even `ne`; use `isNull` and `notNull` to test for it. Numbers compare with numbers,
 * 64-bit integers also with bigints, dates with `Date`, `DateTime`, ISO text or counts of their unit, text with strings
 * or bytes, enumerated attributes with the values of their enumeration. Cells that are older than an attribute have its
 * fill value, or null, in conditions as in results; in engines they match no condition.
 *
 * @module
 */
import type { SetOp } from "../../schema/condition_ast.ts"
import {
  type Comparison,
  type Condition,
  type ConditionTree,
  type ConditionValue,
  fieldNames,
  type Term,
  type TermsOf,
} from "./condition_tree.ts"

export type {
  Comparison,
  Condition,
  ConditionTree,
  ConditionValue,
  FieldTest,
  Place,
  Term,
  TermsOf,
} from "./condition_tree.ts"
export type { TermsIn } from "./typed_terms.ts"
export { format } from "./format.ts"
export { parse } from "./parse.ts"

/** Any value but null, which has tests of its own. */
export type Comparable = Exclude<ConditionValue, null>

/** Creates a condition from a field and a value. */
export type Comparing = <const F extends string, V extends Comparable>(field: F, value: V) => Condition<readonly [F, V]>

const comparing = (op: Comparison): Comparing => (field, value) => ({ op, field, values: [value] })

/**
 * Matches cells whose `field` is less than `value`: `Condition.lt("depth", 400)`.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Condition.format(Condition.lt("depth", 400)), "depth < 400")
 * ```
 */
export const lt: Comparing = comparing("lt")
/**
 * Matches cells whose `field` is at most `value`: `Condition.le("depth", 400)`.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Condition.format(Condition.le("depth", 400)), "depth <= 400")
 * ```
 */
export const le: Comparing = comparing("le")
/**
 * Matches cells whose `field` is greater than `value`: `Condition.gt("depth", 400)`.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Condition.format(Condition.gt("depth", 400)), "depth > 400")
 * ```
 */
export const gt: Comparing = comparing("gt")
/**
 * Matches cells whose `field` is at least `value`: `Condition.ge("depth", 400)`.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Condition.format(Condition.ge("depth", 400)), "depth >= 400")
 * ```
 */
export const ge: Comparing = comparing("ge")
/**
 * Matches cells whose `field` is equal to `value`: `Condition.eq("place", "Tonga")`.
 *
 * ```ts
 * import { Condition, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   return yield* Sparse.read(quakes, { select: ["depth"], where: Condition.eq("place", "Niigata") })
 * })
 * const { columns } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(columns.depth.values, Float32Array.of(10))
 * ```
 */
export const eq: Comparing = comparing("eq")
/**
 * Matches cells whose `field` differs from `value` and is not null: `Condition.ne("place", "Tonga")`.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Condition.format(Condition.ne("place", "Tonga")), 'place != "Tonga"')
 * ```
 */
export const ne: Comparing = comparing("ne")

/** Creates a condition from a field and several values. */
export type Containing = <const F extends string, V extends Comparable>(
  field: F,
  values: Iterable<V>,
) => Condition<readonly [F, V]>

const containing = (op: SetOp): Containing => (field, values) => ({ op, field, values: [...values] })

/**
 * Matches cells whose `field` is one of `values`: `Condition.in("place", ["Tonga", "Fiji"])`.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Condition.format(Condition.in("place", ["Tonga", "Fiji"])), 'place in ["Tonga", "Fiji"]')
 * ```
 */
const isIn: Containing = containing("in")
export { isIn as in }
/**
 * Matches cells whose `field` is not among `values` and not null: `Condition.notIn("place", ["Tonga", "Fiji"])`.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Condition.format(Condition.notIn("place", ["Tonga", "Fiji"])), 'place not in ["Tonga", "Fiji"]')
 * ```
 */
export const notIn: Containing = containing("not_in")

/**
 * Matches cells whose `field` is null: `Condition.isNull("flag")`. No cell matches if the field is not nullable.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Condition.format(Condition.isNull("flag")), "flag == None")
 * ```
 */
export const isNull = <const F extends string>(field: F): Condition<readonly [F, null]> => ({
  op: "eq",
  field,
  values: [null],
})

/**
 * Matches cells whose `field` is not null: `Condition.notNull("flag")`. All cells match if the field is not nullable.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Condition.format(Condition.notNull("flag")), "flag != None")
 * ```
 */
export const notNull = <const F extends string>(field: F): Condition<readonly [F, null]> => ({
  op: "ne",
  field,
  values: [null],
})

/**
 * Matches cells that satisfy all conditions; without conditions, all cells.
 *
 * ```ts
 * import { Cells, Condition, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   const where = Condition.and(Condition.gt("depth", 20), Condition.lt("lat", 36))
 *   return yield* Sparse.read(quakes, { select: ["place"], where })
 * })
 * const { columns } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(Cells.texts(columns.place), ["Crete"])
 * ```
 */
export const and = <C extends ReadonlyArray<Condition>>(...conditions: C): Condition<TermsOf<C[number]>> => ({
  op: "and",
  conditions,
})

/**
 * Matches cells that satisfy at least one of the conditions; without conditions, no cell.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const shallowOrNear = Condition.or(Condition.lt("depth", 20), Condition.eq("place", "Crete"))
 * assertEquals(Condition.format(shallowOrNear), 'depth < 20 or place == "Crete"')
 * ```
 */
export const or = <C extends ReadonlyArray<Condition>>(...conditions: C): Condition<TermsOf<C[number]>> => ({
  op: "or",
  conditions,
})

/**
 * Negates a condition like the engine: comparisons are inverted, so that a null still matches no comparison.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Condition.format(Condition.not(Condition.gt("depth", 400))), "not depth > 400")
 * ```
 */
export const not = <T extends Term>(condition: Condition<T>): Condition<T> => ({ op: "not", condition })

/**
 * Returns the names of the fields of a condition without duplicates, in the order of first use.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Condition.fields(Condition.parse("depth > 3 and lat < 4 or depth == 0")), ["depth", "lat"])
 * ```
 */
export const fields = (condition: ConditionTree): ReadonlyArray<string> => [...fieldNames(condition)]
