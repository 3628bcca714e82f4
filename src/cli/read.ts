/**
 * `tessera read`.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../platform/codecs.ts"
import { Storage } from "../../platform/storage.ts"
import { makeTrace, withTrace } from "../../platform/with_trace.ts"
import { type EnumerationError, loadEnumerations } from "../array/enumerations.ts"
import type { OpenError } from "../array/open.ts"
import { fieldsOf } from "../fragment/field.ts"
import { cellEncoder } from "../query/cell_json.ts"
import type { Column } from "../query/column.ts"
import { attemptSelection, type ReadError } from "../query/read_error.ts"
import { type Order, selectedFields } from "../query/read_options.ts"
import { enumerationColumn } from "../query/resolve_enumeration.ts"
import type { PrintedColumn } from "./cell_formats.ts"
import { cellText, isNumeric } from "./cell_text.ts"
import { parseSize, sizeText } from "./byte_size.ts"
import { attemptUsage, openRequested, type SettingsError } from "./open.ts"
import type { Request } from "./arguments.ts"
import { parseRanges, parseSelect } from "./ranges.ts"
import { cellSource } from "./read_cells.ts"
import { countText, type Status, withProgress } from "./progress.ts"
import { type OutputError, quiet, type Terminal } from "./terminal.ts"
import { printable } from "./text_width.ts"
import { UsageError } from "./usage_error.ts"
import { writeCsv, writeJson, writeNdjson, writeTable } from "./write_cells.ts"

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

const noCell = (name: string, label: boolean): PrintedColumn => ({
  name,
  json: () => null,
  text: () => "",
  numeric: false,
  label,
})

const writers = { table: writeTable, json: writeJson, ndjson: writeNdjson, csv: writeCsv } as const

/** How far a read is. */
interface Done {
  /** The column that is read, and which of how many it is, where they are read one by one. */
  column: string | undefined
  cells: number
  expected: number | undefined
}

const statusOf = ({ column, cells, expected }: Done, bytes: number): Status => ({
  text: (column === undefined ? "" : `${column}: `) + countText(cells) +
    (expected === undefined ? "" : ` of ${countText(expected)}`) + ` cells, ${sizeText(bytes)} read`,
  ...(expected === undefined || expected === 0 ? {} : { part: cells / expected }),
})

/** Reads cells and prints them. */
export const runRead = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, ReadCommandError, Storage | Codecs> => {
  const done: Done = { column: undefined, cells: 0, expected: undefined }
  if (request.on("quiet")) return readAndPrint(request, quiet(terminal), done)
  const trace = makeTrace()
  const work = (around: Terminal) =>
    Effect.updateService(readAndPrint(request, around, done), Storage, (storage) => withTrace(storage, trace))
  return withProgress(terminal, () => statusOf(done, trace.bytesRead), work)
}

const readAndPrint = (
  request: Request,
  terminal: Terminal,
  done: Done,
): Effect.Effect<void, ReadCommandError, Storage | Codecs> =>
  Effect.gen(function* () {
    const format = yield* attemptUsage(() => formatOf(request))
    const limit = request.integer("limit")
    const size = request.text("memory")
    const memory = size === undefined ? undefined : yield* attemptUsage(() => parseSize("memory", size))
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
    const where = request.text("where")
    const source = yield* cellSource(array, {
      ...(where === undefined ? {} : { where }),
      ...(wanted === undefined ? {} : { select: wanted }),
      ...(memory === undefined ? {} : { memory }),
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
    const { shape, total } = source
    yield* writers[format](terminal, {
      empty: fields.map(({ name }) => noCell(name, labels.includes(name))),
      shape,
      total,
      limit,
      batches: (column) => {
        const its = fields.filter(({ name }) => column === undefined || name === column)
        Object.assign(done, {
          column: column === undefined
            ? undefined
            : `${printable(column)} (${fields.indexOf(its[0]) + 1} of ${fields.length})`,
          cells: 0,
          expected: source.expected,
        })
        return Stream.map(source.batches(column === undefined ? undefined : [column]), ({ columns, ...batch }) => {
          done.cells += batch.length
          return {
            ...batch,
            columns: its.map(({ name, enumeration }) =>
              printed(
                columns[name],
                enumeration === undefined ? undefined : values.get(enumeration),
                labels.includes(name),
              )
            ),
          }
        })
      },
    })
  })
