/**
 * Aggregates in the form that users receive: one object for all cells, or one object per group with its keys and
 * aggregates.
 */
import * as Effect from "effect/Effect"
import { invalidOption } from "../../../platform/errors.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import type { Aggregates } from "./aggregate.ts"
import { aggregateDense } from "./dense.ts"
import { aggregateGroups, type GroupOptions } from "./group_by.ts"
import { aggregateSparse } from "./sparse.ts"
import { type CellValue, values } from "../column/cell_values.ts"
import type { ReadError } from "../options/read_error.ts"
import type { StreamOptions } from "../options/read_options.ts"
import type { AggregateValue } from "./accumulator.ts"

type NamedValues = Readonly<Record<string, CellValue | AggregateValue>>

/** Computes aggregates: one object, or one per group. */
export const runAggregates = (
  array: OpenedArray,
  aggregates: Aggregates,
  options: GroupOptions,
): Effect.Effect<NamedValues | ReadonlyArray<NamedValues>, ReadError, Storage | Codecs> => {
  const { by } = options
  if (by !== undefined && (!Array.isArray(by) || by.some((name) => typeof name !== "string"))) {
    return Effect.fail(invalidOption(array.uri, "by", 'it is a list of names: ["a", "b"]', by))
  }
  if (by === undefined || by.length === 0) {
    return (array.schema.arrayType === "dense" ? aggregateDense : aggregateSparse)(array, aggregates, options)
  }
  return Effect.map(aggregateGroups(array, aggregates, options), ({ length, keys, aggregates: answers }) => {
    const columns = [
      ...keys.map((column) => [column.name, values(column)] as const),
      ...Object.entries(answers),
    ]
    return Array.from({ length }, (_, g) => Object.fromEntries(columns.map(([name, item]) => [name, item[g]])))
  })
}

/** Default maximum number of distinct values. */
const DEFAULT_MAX_VALUES = 2 ** 20

/** Returns the distinct values of a field, sorted. */
export const distinctValues = (
  array: OpenedArray,
  field: string,
  { maxValues = DEFAULT_MAX_VALUES, ...options }: StreamOptions & { readonly maxValues?: number },
): Effect.Effect<ReadonlyArray<CellValue>, ReadError, Storage | Codecs> =>
  Effect.map(
    aggregateGroups(array, {}, { ...options, by: [field], maxGroups: maxValues }, "values"),
    ({ keys: [column] }) => values(column),
  )
