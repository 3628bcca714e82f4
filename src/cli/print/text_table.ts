/**
 * Tables for terminals: aligned, no wider than the terminal, written row by row.
 */
import { cut, printable, textWidth } from "./text_width.ts"

/** A column of a table. */
export interface TableColumn {
  readonly title: string
  readonly align: "left" | "right"
  /** Text of a row's cell, safe to print. */
  readonly cell: (row: number) => string
  /** Whether a line separates it from the previous columns. */
  readonly ruled?: boolean
  /** Whether it is shortened first if there is too little space. */
  readonly elastic?: boolean
}

/** No column is made narrower than this. */
const NARROWEST = 6
/** No need to measure beyond what any terminal has. */
const WIDEST = 1000

/** Where the last columns have no room: their number. */
interface Layout {
  readonly widths: ReadonlyArray<number>
  readonly hidden: number
}

const gapOf = (column: TableColumn, index: number): number => index === 0 ? 0 : column.ruled === true ? 3 : 2

/** Columns with a higher value are shortened first. */
const ease = ({ align, elastic }: TableColumn): number => elastic === true ? 2 : align === "left" ? 1 : 0

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
      const easier = at < 0 ? 1 : ease(columns[i]) - ease(columns[at])
      if (easier > 0 || (easier === 0 && widths[i] > widths[at])) at = i
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

/** A table, laid out. */
export interface Table {
  /** How many of the last columns have no room. */
  readonly hidden: number
  /** Titles, a rule, rows. */
  readonly lines: Iterable<string>
  /** Further rows, of the same columns. */
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

/** How wide the cells of each column are, those of `before` among them. */
export const widestCells = (
  columns: ReadonlyArray<TableColumn>,
  rows: number,
  before: ReadonlyArray<number> = [],
): ReadonlyArray<number> =>
  columns.map(({ cell }, i) => {
    let widest = before[i] ?? 0
    for (let row = 0; row < rows && widest < WIDEST; row++) widest = Math.max(widest, textWidth(cell(row)))
    return widest
  })

/** Lays out a table of `rows` rows, and of others whose cells are as wide as `cells` says. */
export const layOutTable = (
  columns: ReadonlyArray<TableColumn>,
  rows: number,
  width: number,
  cells: ReadonlyArray<number> = widestCells(columns, rows),
): Table => {
  const natural = columns.map(({ title }, i) => Math.max(cells[i], textWidth(title)))
  // numbers keep all digits: a shortened number would be wrong
  const min = columns.map(({ align }, i) =>
    Math.min(natural[i], align === "right" ? Math.max(cells[i], NARROWEST) : NARROWEST)
  )
  const layout = layOut(columns, natural, min, width)
  return {
    hidden: layout.hidden,
    lines: linesOf(columns, rows, layout),
    more: (columns, rows) => rowsOf(columns, rows, layout),
  }
}

/**
 * Formats a table of texts, made safe to print; `right` names the right-aligned columns. The last column is shortened
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
