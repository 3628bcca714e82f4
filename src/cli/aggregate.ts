/**
 * `tessera read --agg`: answers instead of cells.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import type { Datatype } from "../../schema/datatype.ts"
import { type CellJson, scalarJson } from "../../schema/scalar.ts"
import { isTemporal } from "../../schema/datatype.ts"
import type { OpenedArray } from "../array/open.ts"
import { fieldsOf } from "../fragment/field.ts"
import { aggregateDense } from "../query/aggregate_dense.ts"
import { aggregateSparse } from "../query/aggregate_sparse.ts"
import type { ReadError } from "../query/read_error.ts"
import { type AggregateValue, answerType } from "../query/totals.ts"
import type { Request } from "./arguments.ts"
import type { PrintedColumn } from "./cell_formats.ts"
import { jsonText, scalarText } from "./cell_text.ts"
import { attemptUsage } from "./open.ts"
import { parseAggregates } from "./parse_aggregates.ts"
import { queryOf, refuseBeside } from "./query.ts"
import type { UsageError } from "./usage_error.ts"
import type { PrintedSource } from "./write_cells.ts"

/** A column of answers. */
const answerColumn = (name: string, type: Datatype, values: ReadonlyArray<AggregateValue>): PrintedColumn => {
  const scalar = scalarText(type)
  const json = (i: number): CellJson => {
    const value = values[i]
    return value === null || typeof value === "string" ? value : scalarJson(value)
  }
  return {
    name,
    json,
    text: (i) => {
      const value = values[i]
      return value === null || typeof value === "string" ? jsonText(value) : scalar(value)
    },
    numeric: values.every((value) => typeof value !== "string") && !isTemporal(type) && type !== "bool",
    label: false,
  }
}

/** The answers that the options of a command ask for, as cells to print: a column for each, in one row. */
export const answerSource = (
  request: Request,
  array: OpenedArray,
): Effect.Effect<PrintedSource<never, never>, UsageError | ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    yield* refuseBeside(request, "agg", ["select", "order", "limit", "codes", "timestamps", "explain"])
    const { schema } = array
    const aggregates = yield* attemptUsage(() =>
      parseAggregates(new Set(fieldsOf(schema).byName.keys()), request.texts("agg"))
    )
    const query = yield* queryOf(request, array)
    const answer = yield* (schema.arrayType === "dense" ? aggregateDense : aggregateSparse)(array, aggregates, query)
    const columns = Object.entries(aggregates).map(([name, asked]) =>
      answerColumn(name, answerType(schema, asked), [answer[name]])
    )
    return {
      empty: columns,
      shape: undefined,
      total: 1,
      limit: undefined,
      batches: () => Stream.make({ columns, length: 1, last: true, total: 1 }),
    }
  })
