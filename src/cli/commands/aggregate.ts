/**
 * `tessera read --agg`: prints aggregates instead of cells.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { type Datatype, isTemporal } from "../../../schema/array/datatype.ts"
import { scalarJson } from "../../../schema/array/scalar.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { fieldsOf } from "../../fragment/field.ts"
import { aggregateDense } from "../../query/aggregate/dense.ts"
import { aggregateGroups } from "../../query/aggregate/group_by.ts"
import { aggregateSparse } from "../../query/aggregate/sparse.ts"
import { cellEncoder } from "../../query/column/cell_json.ts"
import type { Column } from "../../query/column/column.ts"
import type { ReadError } from "../../query/options/read_error.ts"
import { aggregateType, type AggregateValue } from "../../query/aggregate/accumulator.ts"
import type { Request } from "../parse/arguments.ts"
import { type PrintedCell, printedCells, printedValue } from "../print/cell_encoder.ts"
import type { PrintedColumn } from "../print/cell_formats.ts"
import { cellText, isNumeric, jsonText, scalarText } from "../print/cell_text.ts"
import { attemptUsage } from "../parse/settings.ts"
import { parseAggregates } from "../parse/parse_aggregates.ts"
import { queryOf, rejectWith } from "../parse/query.ts"
import { parseSelect } from "../parse/ranges.ts"
import type { UsageError } from "../parse/usage_error.ts"
import type { PrintedSource } from "../print/write_cells.ts"

/** Returns a column with the values of an aggregate. */
const aggregateColumn = (
  name: string,
  type: Datatype,
  values: ReadonlyArray<AggregateValue>,
  raw: boolean,
): PrintedColumn => {
  const scalar = scalarText(type)
  const json = (i: number): PrintedCell => {
    const value = values[i]
    if (value === null || typeof value === "string") return value
    return raw ? scalarJson(value) : printedValue(type, value)
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

/** Returns a column with the keys of the groups. */
const keyColumn = (column: Column, raw: boolean): PrintedColumn => ({
  name: column.name,
  json: (raw ? cellEncoder : printedCells)(column),
  text: cellText(column),
  numeric: isNumeric(column),
  label: true,
})

/** Returns aggregates as cells to print. */
const sourceOf = (columns: ReadonlyArray<PrintedColumn>, length: number): PrintedSource<never, never> => ({
  empty: columns,
  shape: undefined,
  total: length,
  limit: undefined,
  batches: () => length === 0 ? Stream.empty : Stream.make({ columns, length, last: true, total: length }),
})

/** Returns the aggregates that the options request as cells to print: one column per aggregate, one row per group. */
export const aggregateSource = (
  request: Request,
  array: OpenedArray,
): Effect.Effect<PrintedSource<never, never>, UsageError | ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const option = request.on("agg") ? "agg" : "by"
    yield* rejectWith(request, option, ["select", "order", "limit", "codes", "timestamps", "explain"])
    const { schema } = array
    const raw = request.on("raw")
    const names = new Set(fieldsOf(schema).byName.keys())
    const [aggregates, by] = yield* attemptUsage(() =>
      [parseAggregates(names, request.texts("agg")), parseSelect(names, request.texts("by"), "by")] as const
    )
    const query = yield* queryOf(request, array)
    if (by !== undefined) {
      const { keys, aggregates: answers, length } = yield* aggregateGroups(array, aggregates, { ...query, by })
      const aggregateColumns = Object.entries(aggregates).map(([name, aggregate]) =>
        aggregateColumn(name, aggregateType(schema, aggregate), answers[name], raw)
      )
      return sourceOf([...keys.map((key) => keyColumn(key, raw)), ...aggregateColumns], length)
    }
    const answer = yield* (schema.arrayType === "dense" ? aggregateDense : aggregateSparse)(array, aggregates, query)
    const columns = Object.entries(aggregates).map(([name, aggregate]) =>
      aggregateColumn(name, aggregateType(schema, aggregate), [answer[name]], raw)
    )
    return sourceOf(columns, 1)
  })
