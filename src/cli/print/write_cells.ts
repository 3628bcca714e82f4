/**
 * Cells as they are printed, batch by batch, in each of the formats.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { asCsv, asNdjson, csvHead, type CsvStyle, jsonObject, type PrintedCells, tableColumns } from "./cell_formats.ts"
import { firstBatch } from "./read_cells.ts"
import { type OutputError, print, say, type Terminal } from "./terminal.ts"
import { layOutTable, type TableColumn, widestCells } from "./text_table.ts"

/** A batch that is printed. */
export interface PrintedBatch extends PrintedCells {
  readonly last: boolean
  readonly total: number | undefined
}

/** What is printed. */
export interface PrintedSource<E, R> {
  /** The columns, for where there is no cell. */
  readonly empty: PrintedCells["columns"]
  readonly shape: ReadonlyArray<number> | undefined
  /** How many cells there are without a limit, if it is known. */
  readonly total: number | undefined
  readonly limit: number | undefined
  /** The cells, all columns of them or one; each run gives them anew. */
  readonly batches: (column?: string) => Stream.Stream<PrintedBatch, E, R>
}

type Write = <E, R>(terminal: Terminal, source: PrintedSource<E, R>) => Effect.Effect<void, E | OutputError, R>

function* chain(...parts: ReadonlyArray<Iterable<string>>): Generator<string> {
  for (const part of parts) yield* part
}

/** Lines below a head, which waits for the first of them: a read that fails at once prints nothing. */
const writeLines = <E, R>(
  terminal: Terminal,
  head: ReadonlyArray<string>,
  batches: Stream.Stream<PrintedBatch, E, R>,
  lines: (batch: PrintedBatch) => Iterable<string>,
): Effect.Effect<void, E | OutputError, R> =>
  Effect.suspend(() => {
    let above = head
    const each = (batch: PrintedBatch) =>
      Effect.suspend(() => {
        const pieces = chain(above, lines(batch))
        above = []
        return print(terminal, pieces)
      })
    return Effect.zipRight(Stream.runForEach(batches, each), Effect.suspend(() => print(terminal, above)))
  })

/** An object a line. */
export const writeNdjson: Write = (terminal, { batches }) => writeLines(terminal, [], batches(), asNdjson)

/** A line of names, then a line a cell. */
export const csvWriter = (style?: CsvStyle): Write => (terminal, { empty, batches }) =>
  writeLines(terminal, [csvHead(empty.map(({ name }) => name), style)], batches(), (batch) => asCsv(batch, style))

/** CSV with commas; null is empty. */
export const writeCsv: Write = csvWriter()

/** One JSON object. Its columns follow each other, so cells in several batches are read column by column. */
export const writeJson: Write = (terminal, { empty, shape, batches }) =>
  Effect.gen(function* () {
    const isWhole = yield* Effect.flatMap(firstBatch(batches()), (first) => {
      if (first?.last === false) return Effect.succeed(false)
      const { columns, length } = first ?? { columns: empty, length: 0 }
      const parts = columns.map((column, c) =>
        chain([jsonObject.columnHead(column.name, c)], jsonObject.cells(column, length, 0), [jsonObject.columnEnd])
      )
      return Effect.as(print(terminal, chain([jsonObject.begin], ...parts, [jsonObject.end(shape)])), true)
    })
    if (isWhole) return
    for (const [c, { name }] of empty.entries()) {
      // what was begun is ended when the next column is there
      const head = [c === 0 ? jsonObject.begin : jsonObject.columnEnd, jsonObject.columnHead(name, c)]
      let written = 0
      yield* writeLines(terminal, head, batches(name), ({ columns, length }) => {
        const pieces = jsonObject.cells(columns[0], length, written)
        written += length
        return pieces
      })
    }
    yield* print(terminal, [jsonObject.columnEnd, jsonObject.end(shape)])
  })

/** A table. Columns are as wide as their cells, so cells in several batches are read twice: to measure, and to print. */
export const printTable: Write = (terminal, { empty, total: existing, limit, batches }) =>
  Effect.gen(function* () {
    let [length, total] = [0, existing]
    let hidden = 0
    const isWhole = yield* Effect.flatMap(firstBatch(batches()), (first) => {
      if (first?.last === false) return Effect.succeed(false)
      length = first?.length ?? 0
      total ??= first?.total
      const table = layOutTable(tableColumns(first?.columns ?? empty), length, terminal.columns)
      hidden = table.hidden
      return Effect.as(print(terminal, table.lines), true)
    })
    if (!isWhole) {
      let widest: ReadonlyArray<number> = []
      let titles: ReadonlyArray<TableColumn> = []
      yield* Stream.runForEach(batches(), (batch) =>
        Effect.sync(() => {
          const columns = tableColumns(batch.columns)
          widest = widestCells(columns, batch.length, widest)
          length += batch.length
          total ??= batch.total
          // without the cells, which have to go
          titles = columns.map((column) => ({ ...column, cell: () => "" }))
        }))
      const table = layOutTable(titles, 0, terminal.columns, widest)
      hidden = table.hidden
      yield* writeLines(
        terminal,
        [...table.lines],
        batches(),
        ({ columns, length }) => table.more(tableColumns(columns), length),
      )
    }
    if (hidden > 0) {
      yield* say(terminal, `${hidden} more columns have no room; choose some with --select, or take --format csv`)
    }
    // fewer than the limit are all
    if (total === undefined && length < (limit ?? Infinity)) total = length
    if (total === undefined) {
      yield* say(terminal, `the first ${length} cells; there may be more`)
    } else if (length < total) yield* say(terminal, `the first ${length} of ${total} cells`)
    else if (length === 0) yield* say(terminal, "no cells")
  })
