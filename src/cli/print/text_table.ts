/**
 * Formats tables for terminals: aligned, not wider than the terminal, row by row.
 */
import { cut, printable, textWidth } from "./text_width.ts"

/** A column of a table. */
export interface TableColumn {
  readonly title: string
  readonly align: "left" | "right"
  /** Text of the cell in a row, safe to print. */
  readonly cell: (row: number) => string
  /** Whether a vertical line separates the column from the previous ones. */
  readonly ruled?: boolean
  /** Whether the column is shortened before others if there is too little space. */
  readonly elastic?: boolean
}

/** Minimum width of a shortened column. */
const MIN_COLUMN_WIDTH = 6
/** Maximum width that is measured; no terminal is wider. */
const MAX_MEASURED_WIDTH = 1000

/** Widths of the shown columns, and number of hidden columns at the end. */
interface Layout {
  readonly widths: ReadonlyArray<number>
  readonly hidden: number
}

const gapOf = (column: TableColumn, index: number): number => index === 0 ? 0 : column.ruled === true ? 3 : 2

/** Returns the priority of shortening a column; columns with higher values are shortened first. */
const shorteningPriority = ({ align, elastic }: TableColumn): number => elastic === true ? 2 : align === "left" ? 1 : 0

const layOut = (
  columns: ReadonlyArray<TableColumn>,
  natural: ReadonlyArray<number>,
  min: ReadonlyArray<number>,
  width: number,
): Layout => {
  const total = (widths: ReadonlyArray<number>): number =>
    widths.reduce((sum, w, i) => sum + w + gapOf(columns[i], i), 0)
  let shown = columns.length
  // " …" marks omitted columns
  while (shown > 1 && total(min.slice(0, shown)) + (shown < columns.length ? 3 : 0) > width) shown--
  const hidden = columns.length - shown
  const available = width - (hidden > 0 ? 3 : 0)
  const widths = natural.slice(0, shown)
  for (let over = total(widths) - available; over > 0; over--) {
    // the widest of the columns that are shortened first
    let at = -1
    for (let i = 0; i < shown; i++) {
      if (widths[i] <= min[i]) continue
      const priority = at < 0 ? 1 : shorteningPriority(columns[i]) - shorteningPriority(columns[at])
      if (priority > 0 || (priority === 0 && widths[i] > widths[at])) at = i
    }
    if (at < 0) break
    widths[at]--
  }
  return { widths, hidden }
}

const line = (
  columns: ReadonlyArray<TableColumn>,
  { widths, hidden }: Layout,
  cell: (column: TableColumn, index: number) => string,
  more: string,
): string => {
  let out = ""
  for (let i = 0; i < widths.length; i++) {
    const column = columns[i]
    if (i > 0) out += column.ruled === true ? " │ " : "  "
    const text = cut(cell(column, i), widths[i])
    const padding = " ".repeat(Math.max(0, widths[i] - textWidth(text)))
    out += column.align === "right" ? padding + text : text + padding
  }
  return (hidden > 0 ? `${out}  ${more}` : out).trimEnd() + "\n"
}

/** The layout of a table and its lines. */
export interface Table {
  /** Number of columns at the end that do not fit. */
  readonly hidden: number
  /** Header, rule and rows. */
  readonly lines: Iterable<string>
  /** Formats further rows of the same columns. */
  readonly more: (columns: ReadonlyArray<TableColumn>, rows: number) => Iterable<string>
}

function* rowsOf(columns: ReadonlyArray<TableColumn>, rows: number, layout: Layout): Generator<string> {
  for (let row = 0; row < rows; row++) yield line(columns, layout, (column) => column.cell(row), "…")
}

function* linesOf(columns: ReadonlyArray<TableColumn>, rows: number, layout: Layout): Generator<string> {
  yield line(columns, layout, (column) => column.title, "…")
  let rule = ""
  layout.widths.forEach((w, i) => {
    rule += (i === 0 ? "" : columns[i].ruled === true ? "─┼─" : "──") + "─".repeat(w)
  })
  yield rule + "\n"
  yield* rowsOf(columns, rows, layout)
}

/** Returns the maximum width of the cells of each column, including the widths in `before`. */
export const widestCells = (
  columns: ReadonlyArray<TableColumn>,
  rows: number,
  before: ReadonlyArray<number> = [],
): ReadonlyArray<number> =>
  columns.map(({ cell }, i) => {
    let widest = before[i] ?? 0
    for (let row = 0; row < rows && widest < MAX_MEASURED_WIDTH; row++) widest = Math.max(widest, textWidth(cell(row)))
    return widest
  })

/** Lays out a table of `rows` rows. `cells` are the maximum widths of all cells, including those of later rows. */
export const layOutTable = (
  columns: ReadonlyArray<TableColumn>,
  rows: number,
  width: number,
  cells: ReadonlyArray<number> = widestCells(columns, rows),
): Table => {
  const natural = columns.map(({ title }, i) => Math.max(cells[i], textWidth(title)))
  // do not shorten numbers: a shortened number would be wrong
  const min = columns.map(({ align }, i) =>
    Math.min(natural[i], align === "right" ? Math.max(cells[i], MIN_COLUMN_WIDTH) : MIN_COLUMN_WIDTH)
  )
  const layout = layOut(columns, natural, min, width)
  return {
    hidden: layout.hidden,
    lines: linesOf(columns, rows, layout),
    more: (columns, rows) => rowsOf(columns, rows, layout),
  }
}

/**
 * Formats a table of texts, made safe to print. `right` lists the right-aligned columns. The last column is shortened
 * first.
 */
export const textTable = (
  titles: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  width: number,
  right: ReadonlyArray<string> = [],
): Iterable<string> =>
  layOutTable(
    titles.map((title, i) => ({
      title: printable(title),
      align: right.includes(title) ? "right" : "left",
      cell: (row) => printable(rows[row][i]),
      elastic: i === titles.length - 1,
    })),
    rows.length,
    width,
  ).lines
