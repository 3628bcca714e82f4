/**
 * Prepares the cells that a command prints, according to its options, and reports the progress of reading them.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { makeCounters, withCounters } from "../../../platform/storage/middleware/counters.ts"
import { type EnumerationError, loadEnumerations } from "../../array/enumeration/enumerations.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { fieldsOf, TIMESTAMPS } from "../../fragment/field.ts"
import type { Column } from "../../query/column/column.ts"
import { attemptSelection, type ReadError } from "../../query/options/read_error.ts"
import { selectedFields } from "../../query/options/read_options.ts"
import { enumerationColumn } from "../../query/column/resolve_enumeration.ts"
import type { Request } from "../parse/arguments.ts"
import { sizeText } from "../parse/byte_size.ts"
import type { PrintedColumn } from "../print/cell_formats.ts"
import type { Encode } from "../print/cell_encoder.ts"
import { cellText, isNumeric } from "../print/cell_text.ts"
import { countText, type Status, withProgress } from "../print/progress.ts"
import { queryOf } from "../parse/query.ts"
import { cellSource } from "../print/read_cells.ts"
import { quietTerminal, type Terminal } from "../print/terminal.ts"
import { printable } from "../print/text_width.ts"
import { timeText } from "../parse/time.ts"
import { UsageError } from "../parse/usage_error.ts"
import type { PrintedSource } from "../print/write_cells.ts"

/** Returns a column to print; codes are replaced by `values`, if present. */
const printedColumn = (
  column: Column,
  values: Column | undefined,
  label: boolean,
  encode: Encode,
  raw: boolean,
): PrintedColumn => {
  const { name } = column
  if (values === undefined) {
    if (name === TIMESTAMPS) {
      const text = (i: number) => timeText(Number(column.values[i]))
      return { name, json: raw ? encode(column) : text, text, numeric: false, label }
    }
    return { name, json: encode(column), text: cellText(column), numeric: isNumeric(column), label }
  }
  const [json, text] = [encode(values), cellText(values)]
  const { values: codes, validity } = column
  // codes outside the enumeration are printed as null
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

/** Progress of a read. */
export interface ReadProgress {
  /** The current column and its number, if columns are read one by one. */
  column: string | undefined
  cells: number
  expected: number | undefined
}

const statusOf = ({ column, cells, expected }: ReadProgress, bytes: number): Status => ({
  text: (column === undefined ? "" : `${column}: `) + countText(cells) +
    (expected === undefined ? "" : ` of ${countText(expected)}`) + ` cells, ${sizeText(bytes)} read`,
  ...(expected === undefined || expected === 0 ? {} : { part: cells / expected }),
})

/** The printed fields and their form. */
export interface Printing {
  /** Whether the coordinates of a dense array precede its attributes if no columns are selected. */
  readonly coordinates: boolean
  /** Whether the coordinates are the labels of a table. */
  readonly labels: boolean
  /** Creates the encoder of a column's cells as JSON. */
  readonly encode: Encode
}

/** Returns the cells that the options request. */
export const printedSource = (
  request: Request,
  array: OpenedArray,
  { coordinates, labels: asLabels, encode }: Printing,
  done: ReadProgress,
): Effect.Effect<
  PrintedSource<ReadError, Storage | Codecs>,
  UsageError | ReadError | EnumerationError,
  Storage | Codecs
> =>
  Effect.gen(function* () {
    const query = yield* queryOf(request, array)
    const { select, limit } = query
    const { schema } = array
    const { dimensions, attributes } = fieldsOf(schema)
    const matching = request.on("matching")
    if (matching && (query.order ?? "row") !== "row") {
      const reason = `${request.command}: --matching answers cells row by row; leave --order out`
      return yield* Effect.fail(new UsageError({ detail: reason }))
    }
    const before = (coordinates || matching) && schema.arrayType === "dense" && select === undefined
      ? dimensions.map((d) => d.name).filter((name) => !attributes.some((a) => a.name === name))
      : []
    const labels = asLabels ? before : []
    const requested = before.length > 0 ? [...before, ...attributes.map((a) => a.name)] : select
    const fields = yield* attemptSelection(() => selectedFields(array, requested))
    const source = yield* cellSource(array, requested === undefined ? query : { ...query, select: requested }, matching)

    const values = new Map<string, Column>()
    if (!request.on("codes")) {
      const names = fields.map((f) => f.enumeration).filter((name) => name !== undefined)
      for (const enumeration of yield* loadEnumerations(array, names)) {
        values.set(enumeration.name, enumerationColumn(enumeration))
      }
    }
    const { shape, total } = source
    return {
      empty: fields.map(({ name }) => noCell(name, labels.includes(name))),
      shape,
      total,
      limit,
      batches: (column) => {
        const currentFields = fields.filter(({ name }) => column === undefined || name === column)
        Object.assign(done, {
          column: column === undefined
            ? undefined
            : `${printable(column)} (${fields.indexOf(currentFields[0]) + 1} of ${fields.length})`,
          cells: 0,
          expected: source.expected,
        })
        return Stream.map(source.batches(column === undefined ? undefined : [column]), ({ columns, ...batch }) => {
          done.cells += batch.length
          return {
            ...batch,
            columns: currentFields.map(({ name, enumeration }) =>
              printedColumn(
                columns[name],
                enumeration === undefined ? undefined : values.get(enumeration),
                labels.includes(name),
                encode,
                request.on("raw"),
              )
            ),
          }
        })
      },
    }
  })

/** Runs an effect that reads and prints cells, and shows its progress unless the request has `--quiet`. */
export const withReadProgress = <A, E, R>(
  request: Request,
  terminal: Terminal,
  run: (terminal: Terminal, done: ReadProgress) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R | Storage> => {
  const done: ReadProgress = { column: undefined, cells: 0, expected: undefined }
  if (request.on("quiet")) return run(quietTerminal(terminal), done)
  const trace = makeCounters()
  const work = (around: Terminal) =>
    Effect.updateService(run(around, done), Storage, (storage) => withCounters(storage, trace))
  return withProgress(terminal, () => statusOf(done, trace.bytesRead), work)
}
