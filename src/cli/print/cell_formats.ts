/**
 * Formats cells as JSON, NDJSON, CSV or a table: generates pieces of text on demand.
 */
import type { CellPrinter, PrintedCell, PrintedValue } from "./cell_encoder.ts"
import type { TableColumn } from "./text_table.ts"
import { printable } from "./text_width.ts"

/** A column to print. */
export interface PrintedColumn {
  readonly name: string
  readonly json: CellPrinter
  readonly text: (index: number) => string
  readonly numeric: boolean
  /** True for coordinates printed next to the cells of a dense table. */
  readonly label: boolean
}

/** A batch of cells to print. */
export interface PrintedCells {
  readonly columns: ReadonlyArray<PrintedColumn>
  /** Number of cells of each column. */
  readonly length: number
}

const numberJson = (value: number): string => Object.is(value, -0) ? "-0" : String(value)

const valueJson = (value: PrintedValue): string => typeof value === "number" ? numberJson(value) : JSON.stringify(value)

/** Formats a cell as JSON text; −0 stays −0. */
export const cellJsonText = (cell: PrintedCell): string =>
  cell === null || typeof cell !== "object"
    ? valueJson(cell)
    : "hex" in cell
    ? JSON.stringify(cell)
    : `[${cell.map(valueJson).join(",")}]`

/**
 * Pieces of one JSON object: `{"columns": {name: [cells]}, "shape": […]}`. Columns are written one by one; the cells of
 * a column may arrive in several batches.
 */
export const jsonObject = {
  begin: '{"columns": {',
  columnHead: (name: string, index: number): string => `${index === 0 ? "" : ", "}${JSON.stringify(name)}: [`,
  /** The cells of a column; `written` is the number of cells written before. */
  *cells({ json }: PrintedColumn, length: number, written: number): Generator<string> {
    for (let i = 0; i < length; i++) yield (i === 0 && written === 0 ? "" : ",") + cellJsonText(json(i))
  },
  columnEnd: "]",
  end: (shape: ReadonlyArray<number> | undefined): string =>
    shape === undefined ? "}}\n" : `}, "shape": [${shape.join(", ")}]}\n`,
} as const

/** Formats each cell as an object on its own line. */
export function* asNdjson({ columns, length }: PrintedCells): Generator<string> {
  const keys = columns.map(({ name }, c) => `${c === 0 ? "" : ","}${JSON.stringify(name)}:`)
  for (let i = 0; i < length; i++) {
    let out = "{"
    for (let c = 0; c < columns.length; c++) out += keys[c] + cellJsonText(columns[c].json(i))
    yield out + "}\n"
  }
}

/** Form of CSV text. */
export interface CsvStyle {
  /** Separator between cells: one character. */
  readonly delimiter: string
  /** Text of null cells. */
  readonly null: string
}

const plain: CsvStyle = { delimiter: ",", null: "" }

const quoted = (text: string, { delimiter, null: none }: CsvStyle): string =>
  /["\r\n]/.test(text) || text === "" || text === none || text.includes(delimiter)
    ? `"${text.replaceAll('"', '""')}"`
    : text

const csvCell = (cell: PrintedCell, style: CsvStyle): string =>
  cell === null ? style.null : quoted(typeof cell === "string" ? cell : cellJsonText(cell), style)

/** Returns the header line of RFC 4180. */
export const csvHead = (names: ReadonlyArray<string>, style: CsvStyle = plain): string =>
  names.map((name) => quoted(name, style)).join(style.delimiter) + "\n"

/** Formats each cell as a line of RFC 4180 with line feeds. Null is empty, and an empty text is `""`. */
export function* asCsv({ columns, length }: PrintedCells, style: CsvStyle = plain): Generator<string> {
  for (let i = 0; i < length; i++) {
    let out = ""
    for (let c = 0; c < columns.length; c++) {
      out += (c === 0 ? "" : style.delimiter) + csvCell(columns[c].json(i), style)
    }
    yield out + "\n"
  }
}

/** Returns columns in the form of text tables. */
export const tableColumns = (columns: ReadonlyArray<PrintedColumn>): ReadonlyArray<TableColumn> =>
  columns.map(({ name, text, numeric, label }, c) => ({
    title: printable(name),
    align: numeric ? "right" : "left",
    cell: text,
    ruled: !label && c > 0 && columns[c - 1].label,
  }))
