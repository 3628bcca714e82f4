/**
 * A model of arrays as a list of events: writes, deletes and schema evolutions, each with its timestamp. The cells at a
 * timestamp are computed one by one.
 */
import * as fc from "effect/FastCheck"
import { Condition } from "../../mod.ts"

/** A value of a cell; enumerated cells are represented by the values of the enumeration. */
export type Value = number | string | null

/** A cell: its coordinates and attributes. */
export type Cell = Readonly<Record<string, Value>>

/** A condition that the model can evaluate. */
export type Wish =
  | { readonly op: "lt" | "le" | "gt" | "ge" | "eq" | "ne"; readonly field: string; readonly value: number | string }
  | { readonly op: "in" | "notIn"; readonly field: string; readonly values: ReadonlyArray<number | string> }
  | { readonly op: "isNull" | "notNull"; readonly field: string }
  | { readonly op: "and" | "or"; readonly wishes: ReadonlyArray<Wish> }
  | { readonly op: "not"; readonly wish: Wish }

/**
 * An event of an array. Writes contain all possible attributes; only the attributes of the schema at that time are
 * written.
 */
export type Event =
  | { readonly kind: "write"; readonly cells: ReadonlyArray<Cell>; readonly box: Box }
  | { readonly kind: "delete"; readonly wish: Wish }
  | { readonly kind: "add"; readonly attribute: string }
  | { readonly kind: "drop"; readonly attribute: string }
  | { readonly kind: "extend"; readonly value: string }

/** The first and the last coordinate of each dimension. */
export type Box = { readonly x: readonly [number, number]; readonly y: readonly [number, number] }

/** The schema at a time. */
export interface Moment {
  readonly attributes: ReadonlyArray<string>
  /** The values of the enumeration, in order. */
  readonly colors: ReadonlyArray<string>
}

/** The sizes of the domain: coordinates start at 0. */
export const DOMAIN_SIZE = { x: 8, y: 5 }

/** Returns the timestamp of event number `i`. */
export const timeOf = (i: number): number => 10 * (i + 1)

/** The initial attributes of schemas, and the attributes that evolutions add. */
export const INITIAL_ATTRIBUTES = ["a", "n", "s", "color"]
export const ADDED_ATTRIBUTES = ["late", "later"]

/** The fill values. */
export const fills: Cell = { a: -(2 ** 31), n: null, s: "\0", color: null, late: -(2 ** 15), later: null }

/** Returns the schema after the events up to a timestamp. */
export const momentAt = (events: ReadonlyArray<Event>, end: number): Moment => {
  let attributes: ReadonlyArray<string> = INITIAL_ATTRIBUTES
  let colors: ReadonlyArray<string> = ["red", "green"]
  events.forEach((event, i) => {
    if (timeOf(i) > end) return
    if (event.kind === "add") attributes = [...attributes, event.attribute]
    if (event.kind === "drop") attributes = attributes.filter((name) => name !== event.attribute)
    if (event.kind === "extend") colors = [...colors, event.value]
  })
  return { attributes, colors }
}

/**
 * Whether a cell matches a condition. A null matches no comparison, and the value of an enumerated cell always belongs
 * to the enumeration.
 */
export const holds = (wish: Wish, cell: Cell, colors: ReadonlyArray<string>, isNot = false): boolean => {
  if ("wish" in wish) return holds(wish.wish, cell, colors, !isNot)
  if ("wishes" in wish) {
    const isMatch = (one: Wish): boolean => holds(one, cell, colors, isNot)
    return (wish.op === "and") === isNot ? wish.wishes.some(isMatch) : wish.wishes.every(isMatch)
  }
  const value = cell[wish.field]
  if (!("value" in wish || "values" in wish)) return (value === null) === ((wish.op === "isNull") !== isNot)
  if (value === null) return false
  if ("values" in wish) return wish.values.includes(value) === ((wish.op === "in") !== isNot)
  const isColor = wish.field === "color"
  const entry = isColor ? colors.indexOf(value as string) : value
  const request = isColor ? colors.indexOf(wish.value as string) : wish.value
  if (request === -1 && isColor) return (wish.op === "ne" && !isNot) || (wish.op === "eq" && isNot)
  const is = {
    lt: entry < request,
    le: entry <= request,
    gt: entry > request,
    ge: entry >= request,
    eq: entry === request,
    ne: entry !== request,
  }
  return is[wish.op] !== isNot
}

/** Returns the condition of the library for a condition of the model. */
export const conditionOf = (wish: Wish): Condition.Condition => {
  if ("wish" in wish) return Condition.not(conditionOf(wish.wish))
  if ("wishes" in wish) return Condition[wish.op](...wish.wishes.map(conditionOf))
  if ("values" in wish) return Condition[wish.op](wish.field, wish.values)
  if ("value" in wish) return Condition[wish.op](wish.field, wish.value)
  return Condition[wish.op](wish.field)
}

const keyOf = ({ x, y }: Cell): string => `${x} ${y}`

/**
 * Returns the cells in a range of timestamps, with the attributes at its end. Arrays without duplicates contain the
 * newest cell of each place. Deletes remove matching cells that were written earlier, and cells whose compared
 * attribute is null.
 */
export const cellsAt = (
  events: ReadonlyArray<Event>,
  { start, end }: { readonly start: number; readonly end: number },
  duplicates: boolean,
): ReadonlyArray<Cell> => {
  const { attributes, colors } = momentAt(events, end)
  const matches: Array<{ readonly key: string; readonly time: number; readonly cell: Cell }> = []
  events.forEach((event, i) => {
    const time = timeOf(i)
    if (event.kind !== "write" || time < start || time > end) return
    const there = momentAt(events, time).attributes
    for (const cell of event.cells) {
      const of = (name: string): Value => there.includes(name) ? cell[name] : fills[name]
      const values = Object.fromEntries(
        ["x", "y", ...attributes].map((name) => [name, name === "x" || name === "y" ? cell[name] : of(name)]),
      )
      const key = keyOf(cell)
      const older = duplicates ? -1 : matches.findIndex((one) => one.key === key)
      if (older >= 0) matches.splice(older, 1)
      matches.push({ key, time, cell: values })
    }
  })
  return matches.flatMap(({ time, cell }) => {
    const deletion = events.some((event, i) =>
      event.kind === "delete" && timeOf(i) >= start && timeOf(i) <= end && timeOf(i) >= time &&
      !holds(event.wish, cell, colors, true)
    )
    return deletion ? [] : [cell]
  })
}

// Generators.
const color = fc.constantFrom("red", "green", "blue", "pink")
const values: Readonly<Record<string, fc.Arbitrary<number | string>>> = {
  x: fc.integer({ min: -1, max: DOMAIN_SIZE.x }),
  y: fc.integer({ min: 0, max: DOMAIN_SIZE.y - 1 }),
  a: fc.integer({ min: -1, max: 5 }),
  n: fc.constantFrom(-0.5, 0, 1, 1.5, 2),
  s: fc.constantFrom("", "a", "b", "ab", "ä"),
  color,
  late: fc.constantFrom(0, 1, -(2 ** 15)),
  later: fc.constantFrom("", "a", "z"),
}
const nullable = ["n", "color", "later"]

/** Generates conditions on fields; `nulls`: whether comparisons with null are included. */
export const wishes = (fields: ReadonlyArray<string>, nulls = true): fc.Arbitrary<Wish> => {
  const test: fc.Arbitrary<Wish> = fc.constantFrom(...fields).chain((field) =>
    fc.oneof(
      fc.record({
        op: fc.constantFrom("lt" as const, "le" as const, "gt" as const, "ge" as const, "eq" as const, "ne" as const),
        field: fc.constant(field),
        value: values[field],
      }),
      fc.record({
        op: fc.constantFrom("in" as const, "notIn" as const),
        field: fc.constant(field),
        values: fc.array(values[field], { minLength: 1, maxLength: 3 }),
      }),
      ...(nulls
        ? [fc.record({ op: fc.constantFrom("isNull" as const, "notNull" as const), field: fc.constant(field) })]
        : []),
    )
  )
  const { wish } = fc.letrec<{ readonly wish: Wish }>((tie) => ({
    wish: fc.oneof(
      { maxDepth: 2 },
      test,
      fc.record({
        op: fc.constantFrom("and" as const, "or" as const),
        wishes: fc.array(tie("wish"), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ op: fc.constant("not" as const), wish: tie("wish") }),
    ),
  }))
  return wish
}

const pair = (length: number): fc.Arbitrary<readonly [number, number]> =>
  fc.tuple(fc.nat(length - 1), fc.nat(length - 1)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)])

/** Generates boxes in the domain. */
export const boxes: fc.Arbitrary<Box> = fc.record({ x: pair(DOMAIN_SIZE.x), y: pair(DOMAIN_SIZE.y) })

/**
 * Generates the attributes of a cell; colors are numbers, which later select one of the existing values of the
 * enumeration.
 */
const attributes = fc.record({
  a: fc.integer({ min: 0, max: 4 }),
  n: fc.option(fc.constantFrom(0, 1, 1.5), { nil: null }),
  s: fc.constantFrom("", "a", "b", "ab", "ä"),
  color: fc.option(fc.nat(2), { nil: null }),
  late: fc.integer({ min: 0, max: 3 }),
  later: fc.option(fc.constantFrom("", "a", "z"), { nil: null }),
})
const place = fc.record({ x: fc.nat(DOMAIN_SIZE.x - 1), y: fc.nat(DOMAIN_SIZE.y - 1) })

/** Generates valid sequences of events of an array: only existing attributes are dropped. */
export const histories = (kind: "dense" | "sparse", duplicates: boolean): fc.Arbitrary<ReadonlyArray<Event>> => {
  const sparseWrite = fc.uniqueArray(fc.tuple(place, attributes), {
    minLength: 1,
    maxLength: 12,
    selector: ([{ x, y }], i = 0) => duplicates ? `${i}` : `${x} ${y}`,
  }).map((cells) => ({
    kind: "write" as const,
    box: { x: [0, 0], y: [0, 0] } as Box,
    cells: cells.map(([p, a]) => ({ ...p, ...a })),
  }))
  const denseWrite = boxes.chain((box) => {
    const [w, h] = [box.x[1] - box.x[0] + 1, box.y[1] - box.y[0] + 1]
    return fc.array(attributes, { minLength: w * h, maxLength: w * h }).map((cells) => ({
      kind: "write" as const,
      box,
      cells: cells.map((cell, i) => ({ x: box.x[0] + Math.floor(i / h), y: box.y[0] + i % h, ...cell })),
    }))
  })
  const write: fc.Arbitrary<Event> = kind === "dense" ? denseWrite : sparseWrite
  const change: fc.Arbitrary<Event> = fc.oneof(
    fc.record({ kind: fc.constant("add" as const), attribute: fc.constantFrom(...ADDED_ATTRIBUTES) }),
    fc.record({ kind: fc.constant("drop" as const), attribute: fc.constantFrom("n", "s") }),
    fc.record({ kind: fc.constant("extend" as const), value: fc.constant("blue") }),
  )
  // deletes use only attributes that are never dropped
  const deletion: fc.Arbitrary<Event> = fc.record({
    kind: fc.constant("delete" as const),
    wish: wishes(["a", "x", "y"], false),
  })
  const event = kind === "dense"
    ? fc.oneof({ weight: 4, arbitrary: write }, { weight: 1, arbitrary: change })
    : fc.oneof({ weight: 4, arbitrary: write }, { weight: 2, arbitrary: deletion }, { weight: 1, arbitrary: change })
  return fc.tuple(write, fc.array(event, { maxLength: 5 })).map(([first, rest]) => possible([first, ...rest]))
}

const possible = (events: ReadonlyArray<Event>): ReadonlyArray<Event> => {
  const out: Array<Event> = []
  for (const event of events) {
    const { attributes, colors } = momentAt(out, Infinity)
    const ever = out.flatMap((one) => one.kind === "add" ? [one.attribute] : [])
    if (event.kind === "add" && ever.includes(event.attribute)) continue
    if (event.kind === "drop" && !attributes.includes(event.attribute)) continue
    if (event.kind === "extend" && colors.includes(event.value)) continue
    if (event.kind !== "write") out.push(event)
    else {
      const named = event.cells.map((cell) => ({
        ...cell,
        color: cell.color === null ? null : colors[cell.color as number % colors.length],
      }))
      out.push({ ...event, cells: named })
    }
  }
  return out
}

/** A query of an array after some events. */
export interface Query {
  readonly start: number
  readonly end: number
  readonly box: Box | undefined
  readonly wish: Wish | undefined
  readonly order: "row" | "col" | "global" | "unordered"
}

/** Generates queries of a history, on fields that exist at the query's time. */
export const queries = (events: ReadonlyArray<Event>): fc.Arbitrary<Query> =>
  fc.record({
    from: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(events.length) }),
    to: fc.oneof({ weight: 1, arbitrary: fc.constant(events.length) }, { weight: 1, arbitrary: fc.nat(events.length) }),
  }).chain(({ from, to }) => {
    const [start, end] = [10 * Math.min(from, to), 10 * Math.max(from, to)]
    return fc.record({
      start: fc.constant(start),
      end: fc.constant(end),
      box: fc.option(boxes, { nil: undefined }),
      wish: fc.option(wishes(["x", "y", ...momentAt(events, end).attributes]), { nil: undefined, freq: 4 }),
      order: fc.constantFrom("row" as const, "col" as const, "global" as const, "unordered" as const),
    })
  })

/** Whether an attribute may be null. */
export const isNullable = (name: string): boolean => nullable.includes(name)
