/**
 * Writes cells batch by batch in each of the output formats.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { asCsv, asNdjson, csvHead, type CsvStyle, jsonObject, type PrintedCells, tableColumns } from "./cell_formats.ts"
import { firstBatch } from "./read_cells.ts"
import { type OutputError, print, say, type Terminal } from "./terminal.ts"
import { layOutTable, type TableColumn, widestCells } from "./text_table.ts"

/** A batch of cells to print. */
export interface PrintedBatch extends PrintedCells {
  readonly last: boolean
  readonly total: number | undefined
}

/** A source of cells to print. */
export interface PrintedSource<E, R> {
  /** The columns without cells, for results without batches. */
  readonly empty: PrintedCells["columns"]
  readonly shape: ReadonlyArray<number> | undefined
  /** Number of cells without the limit, if known. */
  readonly total: number | undefined
  readonly limit: number | undefined
  /** Returns the cells of all columns, or of one. Each run reads them again. */
  readonly batches: (column?: string) => Stream.Stream<PrintedBatch, E, R>
}

type Write = <E, R>(terminal: Terminal, source: PrintedSource<E, R>) => Effect.Effect<void, E | OutputError, R>

function* chain(...parts: ReadonlyArray<Iterable<string>>): Generator<string> {
  for (const part of parts) yield* part
}

/**
 * Writes a header and lines. The header is written with the first line, so that a read that fails immediately prints
 * nothing.
 */
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

/** Writes one object per line. */
export const writeNdjson: Write = (terminal, { batches }) => writeLines(terminal, [], batches(), asNdjson)

/** Writes a header line, then one line per cell. */
export const csvWriter = (style?: CsvStyle): Write => (terminal, { empty, batches }) =>
  writeLines(terminal, [csvHead(empty.map(({ name }) => name), style)], batches(), (batch) => asCsv(batch, style))

/** Writes CSV with commas; null is empty. */
export const writeCsv: Write = csvWriter()

/** Writes one JSON object. Its columns follow each other, so cells in several batches are read column by column. */
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
      // end the previous column when the next one is available
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

/**
 * Writes a table. The widths of columns depend on all cells, so cells in several batches are read twice: to measure and
 * to print.
 */
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
          // release the cells of the batch
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
    // if fewer cells than the limit were read, all cells were read
    if (total === undefined && length < (limit ?? Infinity)) total = length
    if (total === undefined) {
      yield* say(terminal, `the first ${length} cells; there may be more`)
    } else if (length < total) yield* say(terminal, `the first ${length} of ${total} cells`)
    else if (length === 0) yield* say(terminal, "no cells")
  })
