/**
 * Rows of CSV into the fields of an array.
 *
 * @module
 */
import type { TimeInput } from "../../array/open/open_options.ts"
import type { ByteSize } from "../../../platform/byte_size.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { failOn } from "../../../platform/attempt.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { CsvForm, CsvRow } from "./csv_rows.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { runSteps, turnIfDue } from "../../../platform/host/event_loop_turns.ts"
import { arrayOf } from "../../../schema/array/datatype.ts"
import type { Enumeration } from "../../../schema/array/enumeration.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import { type EnumerationError, loadEnumerations } from "../../array/enumeration/enumerations.ts"
import { cellReasonOf, type Conflict, reasonOf, WriteError } from "../../array/open/errors.ts"
import { nonEmptyDomain } from "../../array/describe/non_empty_domain.ts"
import type { OpenedArray, OpenError } from "../../array/open/open.ts"
import { fieldsOf } from "../../fragment/field.ts"
import type { CellWriter } from "../../write/fragment/cell_writer.ts"
import type { Checkpoints } from "../../write/fragment/checkpoints.ts"
import type { Steps } from "../../kernel/steps.ts"
import type { ColumnInput } from "../../write/input/column_input.ts"
import { openPlacedWriter } from "../../write/dense/scattered_writer.ts"
import { openSparseWriter } from "../../write/sparse/sparse_writer.ts"
import type { WriteFailure, WriteResult } from "../../write/result/write_result.ts"
import { type AppendedRows, type AppendError, guardAppend } from "../appended_rows.ts"
import { CellRefused, columnMaker } from "./csv_columns.ts"
import { CsvError, type CsvReason } from "./csv_error.ts"
import type { CsvInputError } from "./csv_input.ts"
import { type CsvTable, readRows } from "./csv_table.ts"
import type { FillError } from "../fill_array.ts"

/** What CSV is like, and how its rows are written. */
export interface CsvOptions extends CsvForm {
  /** The names of the columns, of CSV whose first row is data already. Default: they are the first row. */
  readonly columns?: ReadonlyArray<string>
  /**
   * The moment that the cells belong to, in whole milliseconds since 1970 (number or bigint) or as a Date. Default: now. Rows
   * with the same coordinates that are too far apart to be written together count in their order; with `at` they are refused.
   */
  readonly at?: TimeInput
  /**
   * How rows with the same coordinates are handled in sparse arrays without duplicates: `refuse` the import, or keep
   * the `first` of those that are written together. Default: `refuse`.
   */
  readonly duplicates?: "refuse" | "first"
  /** Bytes of rows that wait to be written together. Default: 256 MiB. */
  readonly memory?: ByteSize
  /** Is told from time to time how far the import is. */
  readonly onProgress?: (progress: CsvProgress) => void
}

/** How far an import is. */
export interface CsvProgress {
  /** Rows that were read. */
  readonly rows: number
  /** Bytes of the file that were read, and that it has; zeros where the text is a stream. */
  readonly bytesRead: number
  readonly bytes: number
}

/** What was imported. */
export interface ImportResult extends WriteResult {
  /** The array. */
  readonly uri: string
}

/** What importing can fail with. */
export type CsvImportError = CsvInputError | OpenError | EnumerationError | FillError | WriteFailure | Conflict

/** Rows that are written together, at least. */
const BATCH = 4096

/** Makes columns of rows; `first` is the number of the first row. Throws {@link CsvError}. */
type MakeColumns = (rows: ReadonlyArray<CsvRow>, first: number) => Steps<Readonly<Record<string, ColumnInput>>>

/** How rows become columns, and the row numbers in a dense array if no column contains them. */
interface RowColumns {
  readonly columns: MakeColumns
  readonly appended: (() => AppendedRows) | undefined
}

/** How rows with these columns become cells of an array. */
const columnsFor = (
  array: OpenedArray,
  source: string,
  names: ReadonlyArray<string>,
  enumerations: ReadonlyArray<Enumeration>,
): Effect.Effect<RowColumns, CsvError> =>
  Effect.suspend((): Effect.Effect<RowColumns, CsvError> => {
    const { schema } = array
    const { dimensions, attributes, byName: fieldByName } = fieldsOf(schema)
    const refuse = (reason: CsvReason, column: string, detail: string) =>
      Effect.fail(new CsvError({ source, row: 0, column, reason, detail }))
    const unknown = names.find((name) => !fieldByName.has(name))
    if (unknown !== undefined) {
      const existing = [...fieldByName.keys()].map((name) => JSON.stringify(name)).join(", ")
      return refuse("UnknownName", unknown, `the array has no such field, but ${existing}`)
    }
    // a dense array of one dimension that no column names is one of rows
    const columnOf = new Map(names.map((name, column) => [name, column]))
    const numbered = schema.arrayType === "dense" && dimensions.length === 1 && !columnOf.has(dimensions[0].name)
      ? dimensions[0]
      : undefined
    const fields = [...dimensions, ...attributes].filter((field) => field !== numbered)
    const missing = fields.find((field) => !columnOf.has(field.name) && !field.nullable)
    if (missing !== undefined) {
      return refuse("Missing", missing.name, "there is no such column, and the array needs its cells")
    }
    const byName = new Map(enumerations.map((enumeration) => [enumeration.name, enumeration]))
    const makers = fields.map((field) => {
      const enumeration = field.enumeration === undefined ? undefined : byName.get(field.enumeration)
      return { field, column: columnOf.get(field.name) ?? -1, make: columnMaker(field, enumeration) }
    })
    let next = 0n
    if (numbered !== undefined) {
      const written = nonEmptyDomain(array)
      const { type, domain } = schema.dimensions[0]
      next = written === undefined ? BigInt(readScalar(type, domain)) : BigInt(readScalar(type, written[0].high)) + 1n
    }
    const first = next
    const nulls = (count: number): ColumnInput => new Array<null>(count).fill(null)
    const columns: MakeColumns = function* (rows, first) {
      const made: Record<string, ColumnInput> = {}
      for (const { field: { name }, column, make } of makers) {
        try {
          made[name] = column < 0 ? nulls(rows.length) : make(rows, column)
          yield
        } catch (error) {
          if (!(error instanceof CellRefused)) {
            throw error
          }
          throw new CsvError({
            source,
            row: first + error.row,
            column: name,
            reason: error.reason,
            detail: error.message,
          })
        }
      }
      if (numbered !== undefined) {
        const coordinates = new (arrayOf(numbered.type))(rows.length)
        const wide = coordinates instanceof BigInt64Array || coordinates instanceof BigUint64Array
        for (let i = 0; i < rows.length; i++, next++) coordinates[i] = (wide ? next : Number(next)) as never
        made[numbered.name] = coordinates
      }
      return made
    }
    const appended = (): AppendedRows => ({ first, last: next - 1n })
    return Effect.succeed({ columns, appended: numbered === undefined ? undefined : appended })
  })

/** Runs what throws {@link CsvError}, in steps. */
const attemptColumns = <A>(run: () => Steps<A>): Effect.Effect<A, CsvError> => runSteps(run, failOn(CsvError))

/** How the rows of a table are written. */
export interface WriteTableRequest {
  readonly time: readonly [number, number] | undefined
  readonly memory: number
  /** The progress of an earlier process, and the receiver of further progress. */
  readonly checkpoints?: Checkpoints
}

/** Writes all rows of a table. */
export const writeTable = <E, R>(
  array: OpenedArray,
  { source, names, first, rows: before }: CsvTable<E, R>,
  options: CsvOptions,
  { time, memory, checkpoints }: WriteTableRequest,
  onRows: (rows: number) => void,
): Effect.Effect<ImportResult, E | CsvImportError, R | Storage | Codecs | Scope.Scope> =>
  Effect.gen(function* () {
    const { name } = source
    const { columns, appended } = yield* columnsFor(array, name, names, yield* loadEnumerations(array))
    const request = { time, memory, onProgress: undefined, checkpoints }
    // an array that is being created has no other writers
    const guard = appended === undefined || checkpoints !== undefined ? undefined : yield* guardAppend(array, appended)
    const writer: CellWriter<Readonly<Record<string, unknown>>, AppendError> =
      yield* (array.schema.arrayType === "dense" ? openPlacedWriter(array, request, guard) : openSparseWriter(array, {
        ...request,
        order: "unordered",
        duplicates: options.duplicates ?? "refuse",
        maxFragmentSize: Infinity,
      }))
    /** Errors of cells as those of rows. */
    const located = <E1>(error: WriteFailure | E1): WriteFailure | E1 | CsvError =>
      error instanceof WriteError && error.cell !== undefined
        ? new CsvError({
          source: name,
          row: first + error.cell,
          column: error.field,
          reason: cellReasonOf(error.reason),
          detail: reasonOf(error, "row", first),
        })
        : error
    const refuse = (reason: CsvReason, row: number, detail: string) =>
      Effect.fail(new CsvError({ source: name, row, column: "", reason, detail }))
    let row = first
    let rows = before
    /** The row that is empty: at the end, several may be. */
    let empty: number | undefined
    for (;;) {
      rows = yield* readRows(source, BATCH, rows)
      if (rows.length === 0) break
      // short rows come in great numbers
      for (let from = 0; from < rows.length; from += BATCH) {
        const some = rows.slice(from, from + BATCH)
        for (const [i, { length, 0: cell }] of some.entries()) {
          const isEmpty = length === 1 && cell === null && names.length > 1
          if (empty !== undefined && !isEmpty) return yield* refuse("Syntax", empty, "it is empty, and others follow")
          if (isEmpty) empty ??= row + i
          else if (length !== names.length) {
            return yield* refuse(
              "WrongLength",
              row + i,
              `it has ${length} cells, and there are ${names.length} columns`,
            )
          }
        }
        const whole = empty === undefined ? some : some.slice(0, Math.max(0, empty - row))
        const made = yield* attemptColumns(() => columns(whole, row))
        yield* Effect.mapError(writer.write(made), located)
        row += some.length
        onRows(row - first)
        yield* turnIfDue
      }
      rows = []
    }
    const written = yield* Effect.mapError(writer.commit, located)
    return { ...written, uri: array.uri }
  })
