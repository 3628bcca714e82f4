/**
 * CSV as a table: column names and rows.
 */
import * as Effect from "effect/Effect"
import type { CsvRow } from "./csv_rows.ts"
import { CsvError, type CsvReason } from "./csv_error.ts"
import type { CsvInputError, CsvSource } from "./csv_input.ts"

/** A table: column names, the rows read so far, and the source of the remaining rows. */
export interface CsvTable<E, R> {
  readonly source: CsvSource<E, R>
  readonly names: ReadonlyArray<string>
  /** Number of the first of the rows. */
  readonly first: number
  readonly rows: ReadonlyArray<CsvRow>
}

/** Returns the next rows: at least the requested number, or all remaining ones. */
export const readRows = <E, R>(
  { next }: CsvSource<E, R>,
  max: number,
  before: ReadonlyArray<CsvRow> = [],
): Effect.Effect<ReadonlyArray<CsvRow>, E | CsvInputError, R> =>
  Effect.gen(function* () {
    if (before.length >= max) return before
    const rows = [...before]
    while (rows.length < max) {
      const more = yield* next
      if (more === undefined) break
      for (const row of more) rows.push(row)
    }
    return rows
  })

/** Opens CSV and reads the column names. */
export const openTable = <E, R>(
  source: CsvSource<E, R>,
  columns: ReadonlyArray<string> | undefined,
): Effect.Effect<CsvTable<E, R>, E | CsvInputError, R> =>
  Effect.gen(function* () {
    const rows = yield* readRows(source, 1)
    const refuse = (reason: CsvReason, column: string, detail: string) =>
      Effect.fail(new CsvError({ source: source.name, row: columns === undefined ? 1 : 0, column, reason, detail }))
    if (columns === undefined && rows.length === 0) {
      return yield* refuse(
        "Empty",
        "",
        "it is empty; add a row with column names, or pass the names",
      )
    }
    const names = columns ?? rows[0].map((name) => name ?? "")
    const unnamed = names.indexOf("")
    if (unnamed >= 0) {
      return yield* refuse(
        "InvalidName",
        "",
        `column ${unnamed + 1} has no name; pass the column names if this row does not contain them`,
      )
    }
    const seen = new Set<string>()
    const twice = names.find((name) => seen.size === seen.add(name).size)
    if (twice !== undefined) return yield* refuse("Duplicate", twice, "there are two columns of this name")
    return columns === undefined ? { source, names, first: 2, rows: rows.slice(1) } : { source, names, first: 1, rows }
  })
