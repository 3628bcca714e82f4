/**
 * Parses rows of CSV text that arrives in pieces: RFC 4180, by the package `papaparse`, which is loaded on first use.
 *
 * csv-parse 7.0.3 was measured as a replacement. Its `cast` reports whether a cell is quoted, so that `emptyInQuotes`
 * would not be needed, but it is called once per cell: 200 MB (5.8 million rows of five cells, one of them in quotes)
 * take 44.6 s, 24.2 s without `cast`, and 9.5 s here, on the same machine under the same load; the resident memory is
 * 124, 93 and 135 MB.
 *
 * @module
 */
import { withLineFeeds } from "./csv_lines.ts"
import { type CsvRow, LongRow } from "./long_row.ts"

/** Form of CSV text. */
export interface CsvForm {
  /** Separator between cells: one character. Default: a comma. */
  readonly delimiter?: string
  /** Text of null cells. Default: an empty cell; an empty text is then written `""`. */
  readonly null?: string
}

export type { CsvRow } from "./long_row.ts"

/** Parsed rows, and the first error in them. */
export interface CsvRows {
  readonly rows: ReadonlyArray<CsvRow>
  /** The invalid row, counted from 0 over all returned rows, and the reason; `undefined` if all rows are valid. */
  readonly problem: { readonly row: number; readonly reason: string } | undefined
}

/** Parses text in pieces of any size and returns the complete rows. The last piece completes the last row. */
export interface CsvReader {
  (text: string, last: boolean): CsvRows
  /** The same in steps, with a bounded amount of work between two yields unless a piece is long. */
  readonly steps: (text: string, last: boolean) => Generator<void, CsvRows, void>
}

/** The types of the package that are used here; the package declares none. */
interface Parsed {
  readonly data: Array<Array<string>>
  readonly errors: ReadonlyArray<{ readonly code: string; readonly row: number }>
  readonly meta: { readonly cursor: number }
}
interface ParserConfig {
  readonly delimiter: string
  readonly newline: string
  readonly step?: (parsed: Parsed) => void
}
interface Papa {
  readonly Parser: new (config: ParserConfig) => {
    readonly parse: (text: string, baseIndex: number, ignoreLastRow: boolean) => Parsed
  }
}

/** Maximum length of a row. A longer row must contain an unclosed quote. */
const MAX_ROW_LENGTH = 1 << 25

/** Maximum length of an incomplete row that is parsed together with others; longer ones are parsed separately. */
const MAX_SHARED_ROW_LENGTH = 1 << 17

/** The line ending after line endings are converted. */
const NEWLINE = "\n"

const reasons: Readonly<Record<string, string>> = {
  MissingQuotes: "a quote is opened and never closed",
  InvalidQuotes: 'text follows a closing quote; write a quote in a quoted cell twice: ""',
}

/** Returns for each cell of a row whether it is an empty text in quotes, according to the text of the row. */
const emptyInQuotes = (row: ReadonlyArray<string>, text: string, delimiter: string): ReadonlyArray<boolean> => {
  let at = 0
  return row.map((cell) => {
    const quoted = text[at] === '"'
    let length = cell.length
    if (quoted) {
      length += 2
      for (let i = cell.indexOf('"'); i >= 0; i = cell.indexOf('"', i + 1)) length++
    }
    // skip blanks after a closing quote
    const end = text.indexOf(delimiter, at + length)
    at = end < 0 ? text.length : end + delimiter.length
    return quoted && cell === ""
  })
}

/** Loads the parser and creates a reader. */
export const loadCsvReader = async (form: CsvForm = {}): Promise<CsvReader> => {
  const { Parser } = ((await import("papaparse")) as unknown as { readonly default: Papa }).default
  const delimiter = form.delimiter ?? ","
  const none = form.null ?? ""
  let rest = ""
  let before = 0
  let isStarted = false
  let longRow: LongRow | undefined

  /** parses rows and distinguishes their empty cells: quoted ones are empty texts */
  const parseWithEmptyCells = (
    text: string,
    ignoreLast: boolean,
  ): { readonly parsed: Parsed; rows: Array<CsvRow> } => {
    const rows: Array<CsvRow> = []
    const errors: Array<Parsed["errors"][number]> = []
    let from = 0
    const step = ({ data: [row], errors: values, meta: { cursor } }: Parsed): void => {
      for (const { code } of values) errors.push({ code, row: rows.length })
      const isQuoted = row.includes("") ? emptyInQuotes(row, text.slice(from, cursor), delimiter) : undefined
      rows.push(isQuoted === undefined ? row : row.map((cell, i) => cell === "" && !isQuoted[i] ? null : cell))
      from = cursor
    }
    const { meta } = new Parser({ delimiter, newline: NEWLINE, step }).parse(text, 0, ignoreLast)
    return { parsed: { data: [], errors, meta }, rows }
  }

  const tooLong = (row: number): CsvRows["problem"] =>
    (longRow?.length ?? rest.length) <= MAX_ROW_LENGTH
      ? undefined
      : { row, reason: `it is longer than ${MAX_ROW_LENGTH} characters; ${reasons.MissingQuotes}, it seems` }

  /** continues a long row, and then parses the rows after it */
  const continueRow = function* (row: LongRow, piece: string, last: boolean): Generator<void, CsvRows, void> {
    const complete = yield* row.feed(piece, last)
    if (complete === undefined) return { rows: [], problem: tooLong(before) }
    longRow = undefined
    const first = before++
    if (complete.problem !== undefined) {
      return { rows: [complete.row], problem: { row: first, reason: reasons[complete.problem] } }
    }
    const { rows, problem } = complete.rest === "" ? { rows: [], problem: undefined } : read(complete.rest, last)
    return { rows: [complete.row, ...rows], problem }
  }

  const steps: CsvReader["steps"] = function* (piece, last) {
    const csvRows = longRow === undefined ? read(piece, last) : yield* continueRow(longRow, piece, last)
    if (longRow === undefined && rest.length > MAX_SHARED_ROW_LENGTH) {
      const start = rest
      rest = ""
      longRow = new LongRow(delimiter, none)
      // ignore the result: the row is incomplete
      yield* longRow.feed(start, false)
    }
    return csvRows
  }

  const read = (piece: string, last: boolean): CsvRows => {
    // remove the byte order mark from the first cell
    const input = rest + (isStarted ? piece : piece.replace(/^\ufeff/, ""))
    isStarted ||= piece !== ""
    // a carriage return at the end may be half of a line ending
    const half = !last && input.endsWith("\r") ? "\r" : ""
    let text = withLineFeeds(input.slice(0, input.length - half.length), delimiter)
    // no row starts after the last line ending
    const endsRow = last && text.endsWith(NEWLINE)
    if (endsRow) text = text.slice(0, -NEWLINE.length)
    if (text === "") {
      rest = half
      return { rows: endsRow ? [[none === "" ? null : ""]] : [], problem: undefined }
    }
    let rows: Array<CsvRow>
    let parsed: Parsed
    if (none === "" && text.includes('""')) ({ parsed, rows } = parseWithEmptyCells(text, !last))
    else {
      parsed = new Parser({ delimiter, newline: NEWLINE }).parse(text, 0, !last)
      rows = parsed.data
      for (const row of rows) for (let i = 0; i < row.length; i++) if (row[i] === none) row[i] = null
    }
    rest = last ? "" : text.slice(parsed.meta.cursor) + half
    // report errors of an incomplete row only once it is complete
    const error = parsed.errors.find(({ row }) => row < rows.length)
    const problem = error === undefined
      ? tooLong(before + rows.length)
      : { row: before + error.row, reason: reasons[error.code] ?? error.code }
    before += rows.length
    return { rows, problem }
  }

  const reader = (piece: string, last: boolean): CsvRows => {
    const all = steps(piece, last)
    for (;;) {
      const next = all.next()
      if (next.done === true) return next.value
    }
  }
  return Object.assign(reader, { steps })
}
