/**
 * The query options that `read`, `stream`, `batches` and `explain` share: validates option names and values, and opens
 * the array at the requested time.
 *
 * @module
 */
import type { TimeInput } from "../../array/open/open_options.ts"
import * as Effect from "effect/Effect"
import { type InvalidOption, invalidOption, unknownOption } from "../../../platform/errors.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { openedOf, type TileArray } from "../../array/open/handle.ts"
import type { OpenedArray, OpenError } from "../../array/open/open.ts"
import type { SchemaMismatch } from "../../array/open/schema_mismatch.ts"
import { reopen } from "../../array/tile_array.ts"
import type { ReadError } from "../options/read_error.ts"
import type { OutOfBounds } from "../selection/merge_ranges.ts"
import { limitProblem } from "../batch/row_limit.ts"
import { memoryProblem } from "../options/memory_budget.ts"
import { orderProblem, orders, type StreamOptions } from "../options/read_options.ts"
import type { Declared, TimeForm } from "../column/typed_columns.ts"

/** Errors of a query: those of reading, and with `at` those of opening. */
export type QueryError = ReadError | OpenError | SchemaMismatch

/** Names of the query options. */
export const QUERY_OPTIONS: ReadonlyArray<string> = [
  "select",
  "region",
  "where",
  "order",
  "outOfBounds",
  "at",
  "limit",
  "memory",
  "time",
]

/** A validated query: the array at the requested time, and the read options. */
export interface ResolvedQuery<S extends Declared> {
  readonly array: TileArray<S>
  readonly opened: OpenedArray
  readonly options: StreamOptions
}

/** The options that this module checks. */
export interface QueryInput {
  readonly select?: ReadonlyArray<string>
  readonly at?: TimeInput
  readonly time?: TimeForm
}

const times: ReadonlyArray<unknown> = [undefined, "bigint", "date", "datetime"] satisfies Array<TimeForm | undefined>
const outsides: ReadonlyArray<unknown> = [undefined, "error", "clip"] satisfies Array<OutOfBounds | undefined>

/** Returns whether a value is an object. Options must be objects. */
export const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Returns why the value of an option has the wrong form, by option name. Whether the value fits the array is checked
 * later.
 */
const problems: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  select: (value) =>
    value === undefined || (Array.isArray(value) && value.every((name) => typeof name === "string"))
      ? undefined
      : 'it is a list of names: ["a", "b"]',
  region: (value) => value === undefined || isObject(value) ? undefined : "it is an object: { x: [1, 5] }",
  where: (value) =>
    value === undefined || typeof value === "string" || isObject(value)
      ? undefined
      : 'it is a condition, or its text: "a > 5"',
  outOfBounds: (value) => outsides.includes(value) ? undefined : 'it is "error" or "clip"',
  out: (value) =>
    value === undefined || isObject(value) ? undefined : "it is an object with buffers by field: { a: buffer }",
  order: orderProblem,
  limit: limitProblem,
  memory: memoryProblem,
  time: (value) => times.includes(value) ? undefined : 'it is "bigint", "date" or "datetime"',
}

/** Accepted values of options with a fixed set of values. */
const choices: Readonly<Record<string, ReadonlyArray<string>>> = {
  order: orders,
  outOfBounds: ["error", "clip"],
  time: ["bigint", "date", "datetime"],
}

/** Returns why options are invalid: not an object, an unknown name, or a value of the wrong form. */
export const checkForm = (uri: string, options: unknown, names: ReadonlyArray<string>): InvalidOption | undefined => {
  if (!isObject(options)) {
    const is = Array.isArray(options) ? "a list" : String(options)
    return invalidOption(uri, "options", `a query is an object such as { select: ["a"] }, not ${is}`, options)
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    return unknownOption(uri, unknown, names)
  }
  for (const [name, problemOf] of Object.entries(problems)) {
    const value = (options as Readonly<Record<string, unknown>>)[name]
    const detail = problemOf(value)
    if (detail !== undefined) return invalidOption(uri, name, detail, value, { accepted: choices[name] })
  }
  return undefined
}

/** Reopens the array at the time of a query; the start of its time range does not change. */
const arrayAt = <S extends Declared>(
  array: TileArray<S>,
  at: TimeInput | undefined,
): Effect.Effect<TileArray<S>, OpenError | SchemaMismatch, Storage | Codecs> =>
  at === undefined
    ? Effect.succeed(array)
    // an array opened without a schema is reopened without one
    : reopen(array as never, { start: array.time.start, end: at }) as Effect.Effect<TileArray<S>, OpenError, Storage>

/** Validates a query. `more` lists additional option names; `names` replaces the list of all other names. */
export const resolveQuery = <S extends Declared>(
  array: TileArray<S>,
  options: QueryInput,
  more: ReadonlyArray<string> = [],
  names: ReadonlyArray<string> = QUERY_OPTIONS,
): Effect.Effect<ResolvedQuery<S>, QueryError, Storage | Codecs> => {
  const wrong = checkForm(array.uri, options, [...names, ...more])
  if (wrong !== undefined) return Effect.fail(wrong)
  return Effect.map(arrayAt(array, options.at), (array) => {
    const { declared } = array
    const select = declared === undefined || options.select !== undefined
      ? options.select
      : declared.arrayType === "dense"
      ? declared.attributeNames
      : [...declared.dimensionNames, ...declared.attributeNames]
    return {
      array,
      opened: openedOf(array),
      options: (select === undefined ? options : { ...options, select }) as StreamOptions,
    }
  })
}
