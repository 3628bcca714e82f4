/**
 * The one description of a query that `read`, `stream`, `batches` and `explain` take, and what is common to them: its names
 * are checked, and the array is seen as it was then.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { type InvalidOption, invalidOption } from "../../../platform/errors.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { SelectionError } from "../../array/open/errors.ts"
import { openedOf, type TileArray } from "../../array/open/handle.ts"
import type { OpenedArray, OpenError } from "../../array/open/open.ts"
import type { SchemaMismatch } from "../../array/open/schema_mismatch.ts"
import { reopen } from "../../array/tile_array.ts"
import type { ReadError } from "../options/read_error.ts"
import type { OutOfBounds } from "../selection/merge_ranges.ts"
import type { StreamOptions } from "../options/read_options.ts"
import type { Declared, TimeForm } from "../column/typed_columns.ts"

/** What a query can fail with: what reading can, and with `at` what opening can. */
export type QueryError = ReadError | OpenError | SchemaMismatch

/** The options of a query. */
export const NAMES: ReadonlyArray<string> = [
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

/** A query that is understood: the array as it was then, and what the engine is asked of it. */
export interface ResolvedQuery<S extends Declared> {
  readonly array: TileArray<S>
  readonly opened: OpenedArray
  readonly options: StreamOptions
}

/** What is looked at of the options of a query here. */
interface Given {
  readonly select?: ReadonlyArray<string>
  readonly at?: number | bigint | Date
  readonly time?: TimeForm
}

const times: ReadonlyArray<unknown> = [undefined, "bigint", "date", "datetime"] satisfies Array<TimeForm | undefined>
const outsides: ReadonlyArray<unknown> = [undefined, "error", "clip"] satisfies Array<OutOfBounds | undefined>

/** Whether a value is an object, as options are. */
export const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Why an option is not of its form; whether it fits the array is looked at later. */
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
  time: (value) => times.includes(value) ? undefined : 'it is "bigint", "date" or "datetime"',
}

/** Why options are refused: they are no object, a name means nothing, something is not of its form. */
export const checkForm = (uri: string, options: unknown, names: ReadonlyArray<string>): InvalidOption | undefined => {
  if (!isObject(options)) {
    const is = Array.isArray(options) ? "a list" : String(options)
    return invalidOption(uri, "options", `a query is an object such as { select: ["a"] }, not ${is}`, options)
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    return invalidOption(uri, unknown, `there is no such option; there are ${names.join(", ")}`)
  }
  for (const [name, problemOf] of Object.entries(problems)) {
    const value = (options as Readonly<Record<string, unknown>>)[name]
    const detail = problemOf(value)
    if (detail !== undefined) return invalidOption(uri, name, detail, value)
  }
  return undefined
}

/** The array at the moment of a query; what it was opened for begins where it began. */
const arrayAt = <S extends Declared>(
  array: TileArray<S>,
  at: number | bigint | Date | undefined,
): Effect.Effect<TileArray<S>, OpenError | SchemaMismatch, Storage | Codecs> =>
  at === undefined
    ? Effect.succeed(array)
    // an array without a schema comes back without one
    : reopen(array as never, { start: array.time.start, end: at }) as Effect.Effect<TileArray<S>, OpenError, Storage>

/** Checks a query of an array. `more` are the options that there are beside those of every query, `names` all others. */
export const resolveQuery = <S extends Declared>(
  array: TileArray<S>,
  options: Given,
  more: ReadonlyArray<string> = [],
  names: ReadonlyArray<string> = NAMES,
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
