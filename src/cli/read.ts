/**
 * `tessera read`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import { type EnumerationError, loadEnumerations } from "../array/enumerations.ts"
import type { OpenedArray, OpenError } from "../array/open.ts"
import { fieldsOf } from "../fragment/field.ts"
import { cellEncoder } from "../query/cell_json.ts"
import type { Column } from "../query/column.ts"
import { readDense } from "../query/read_dense.ts"
import { attemptSelection, type ReadError } from "../query/read_error.ts"
import { type Order, type ReadOptions, selectedFields } from "../query/read_options.ts"
import { readSparse } from "../query/read_sparse.ts"
import { enumerationColumn } from "../query/resolve_enumeration.ts"
import { asCsv, asJson, asNdjson, asTable, type PrintedCells, type PrintedColumn } from "./cell_formats.ts"
import { cellText, isNumeric } from "./cell_text.ts"
import { limitDense } from "./limit.ts"
import { attemptUsage, openRequested, type SettingsError } from "./open.ts"
import type { Request } from "./arguments.ts"
import { parseRanges, parseSelect } from "./ranges.ts"
import { type OutputError, print, say, type Terminal } from "./terminal.ts"
import { UsageError } from "./usage_error.ts"

/** What reading can fail with. */
export type ReadCommandError = SettingsError | OpenError | ReadError | EnumerationError | OutputError

type Format = "table" | "json" | "ndjson" | "csv"

const formatOf = (request: Request): Format => {
  const format = request.text("format") as Format | undefined
  if (!request.on("json")) return format ?? "table"
  if (format !== undefined && format !== "json") {
    throw new UsageError({ reason: `read: --json is --format json, not ${format}` })
  }
  return "json"
}

/** A column of codes as its values; others as they are. */
const printed = (column: Column, values: Column | undefined, label: boolean): PrintedColumn => {
  const { name } = column
  if (values === undefined) {
    return { name, json: cellEncoder(column), text: cellText(column), numeric: isNumeric(column), label }
  }
  const [json, text] = [cellEncoder(values), cellText(values)]
  const { values: codes, validity } = column
  // a code that the enumeration lacks is a missing value
  const codeAt = (i: number): number => {
    const code = validity !== undefined && validity[i] === 0 ? -1 : Number(codes[i])
    return code >= 0 && code < values.length ? code : -1
  }
  return {
    name,
    json: (i) => codeAt(i) < 0 ? null : json(codeAt(i)),
    text: (i) => codeAt(i) < 0 ? "null" : text(codeAt(i)),
    numeric: isNumeric(values),
    label,
  }
}

interface Answer {
  readonly columns: Readonly<Record<string, Column>>
  readonly length: number
  readonly shape: ReadonlyArray<number> | undefined
  /** How many cells there are without a limit. */
  readonly total: number
}

const productOf = (shape: ReadonlyArray<number>): number => shape.reduce((product, n) => product * n, 1)

const readCells = (
  array: OpenedArray,
  options: ReadOptions,
  limit: number | undefined,
): Effect.Effect<Answer, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const order = options.order ?? "row"
    if (array.schema.arrayType === "sparse") {
      const { columns, length } = yield* readSparse(array, options)
      return { columns, length: Math.min(length, limit ?? length), shape: undefined, total: length }
    }
    const box = limit === undefined || order === "global"
      ? undefined
      : yield* attemptSelection(() =>
        limitDense(array, options.ranges ?? {}, options.outside ?? "error", order === "col" ? "col" : "row", limit)
      )
    const { columns, shape } = yield* readDense(array, box === undefined ? options : { ...options, ranges: box.ranges })
    const whole = box?.shape ?? shape
    return { columns, length: Math.min(productOf(shape), limit ?? Infinity), shape: whole, total: productOf(whole) }
  })

/** Reads cells and prints them. */
export const runRead = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, ReadCommandError, Storage | Codecs> =>
  Effect.gen(function* () {
    const format = yield* attemptUsage(() => formatOf(request))
    const limit = request.integer("limit")
    const array = yield* openRequested(request, terminal)
    const { schema } = array
    const { byName, dimensions, attributes } = fieldsOf(schema)
    const [select, ranges] = yield* attemptUsage(() =>
      [
        parseSelect(new Set(byName.keys()), request.texts("select")),
        parseRanges(schema, request.texts("range")),
      ] as const
    )
    // a table of a dense array says which cells they are, unless its columns were chosen
    const labels = format === "table" && schema.arrayType === "dense" && select === undefined
      ? dimensions.map((d) => d.name).filter((name) => !attributes.some((a) => a.name === name))
      : []
    const wanted = labels.length > 0 ? [...labels, ...attributes.map((a) => a.name)] : select
    const fields = yield* attemptSelection(() => selectedFields(array, wanted))
    const answer = yield* readCells(array, {
      ...(wanted === undefined ? {} : { select: wanted }),
      ranges,
      order: request.text("order") as Order | undefined ?? "row",
      outside: request.on("crop") ? "crop" : "error",
    }, limit)

    const values = new Map<string, Column>()
    if (!request.on("codes")) {
      const names = fields.map((f) => f.enumeration).filter((name) => name !== undefined)
      for (const enumeration of yield* loadEnumerations(array, names)) {
        values.set(enumeration.name, enumerationColumn(enumeration))
      }
    }
    const cells: PrintedCells = {
      columns: fields.map(({ name, enumeration }) =>
        printed(
          answer.columns[name],
          enumeration === undefined ? undefined : values.get(enumeration),
          labels.includes(name),
        )
      ),
      length: answer.length,
      shape: answer.shape,
    }
    switch (format) {
      case "json":
        return yield* print(terminal, asJson(cells))
      case "ndjson":
        return yield* print(terminal, asNdjson(cells))
      case "csv":
        return yield* print(terminal, asCsv(cells))
      case "table": {
        const { hidden, lines } = asTable(cells, terminal.columns)
        yield* print(terminal, lines)
        if (hidden > 0) {
          yield* say(terminal, `${hidden} more columns have no room; choose some with --select, or take --format csv`)
        }
        if (cells.length < answer.total) yield* say(terminal, `the first ${cells.length} of ${answer.total} cells`)
        else if (cells.length === 0) yield* say(terminal, "no cells")
      }
    }
  })
