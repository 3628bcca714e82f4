/**
 * Conditions on cells, put together from functions or read from text.
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
 * A null fulfils no comparison, not even `ne`; `isNull` and `notNull` ask for it. Numbers compare with numbers, 64-bit integers
 * also with bigints, dates with `Date`, `DateTime`, ISO text or counts of their unit, text with strings or bytes, enumerated
 * attributes with the values of their enumeration. Cells that are older than an attribute have its fill value, or null, as they
 * are read; engines let none of them fulfil anything.
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

/** Makes a condition of a field and a value. */
export type Comparing = <const F extends string, V extends Comparable>(field: F, value: V) => Condition<readonly [F, V]>

const comparing = (op: Comparison): Comparing => (field, value) => ({ op, field, values: [value] })

/**
 * Cells whose `field` is less than `value`: `Condition.lt("depth", 400)`.
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
 * Cells whose `field` is at most `value`: `Condition.le("depth", 400)`.
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
 * Cells whose `field` is greater than `value`: `Condition.gt("depth", 400)`.
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
 * Cells whose `field` is at least `value`: `Condition.ge("depth", 400)`.
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
 * Cells whose `field` is `value`: `Condition.eq("place", "Tonga")`.
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
 * Cells whose `field` is another than `value`, and not null: `Condition.ne("place", "Tonga")`.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Condition.format(Condition.ne("place", "Tonga")), 'place != "Tonga"')
 * ```
 */
export const ne: Comparing = comparing("ne")

/** Makes a condition of a field and several values. */
export type Containing = <const F extends string, V extends Comparable>(
  field: F,
  values: Iterable<V>,
) => Condition<readonly [F, V]>

const containing = (op: SetOp): Containing => (field, values) => ({ op, field, values: [...values] })

/**
 * Cells whose `field` is one of `values`: `Condition.in("place", ["Tonga", "Fiji"])`.
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
 * Cells whose `field` is none of `values`, and not null: `Condition.notIn("place", ["Tonga", "Fiji"])`.
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
 * Cells whose `field` is null: `Condition.isNull("flag")`. None where the field is not nullable.
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
 * Cells whose `field` is not null: `Condition.notNull("flag")`. All where the field is not nullable.
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
 * Cells that fulfil all conditions; all cells if there is none.
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
 * Cells that fulfil one of the conditions at least; no cell if there is none.
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
 * The opposite of a condition, as the engine has it: comparisons turn round, and a null fulfils them as little as before.
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
 * The names of the fields that a condition looks at, each once, in the order of the condition.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Condition.fields(Condition.parse("depth > 3 and lat < 4 or depth == 0")), ["depth", "lat"])
 * ```
 */
export const fields = (condition: ConditionTree): ReadonlyArray<string> => [...fieldNames(condition)]
