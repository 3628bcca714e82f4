/**
 * Writes rows of CSV to the fields of an array.
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

/** Form of the CSV text, and options of writing its rows. */
export interface CsvOptions extends CsvForm {
  /** Names of the columns, for CSV without a header row. Default: the first row. */
  readonly columns?: ReadonlyArray<string>
  /**
   * Write time of the cells, in whole milliseconds since 1970 (number or bigint) or as a Date. Default: now. If two
   * rows with the same coordinates are too far apart to be buffered together, the later one replaces the earlier one;
   * with `at` they are rejected.
   */
  readonly at?: TimeInput
  /**
   * Handling of rows with the same coordinates in sparse arrays without duplicates: `refuse` rejects the import,
   * `first` keeps the first of those that are written together. Default: `refuse`.
   */
  readonly duplicates?: "refuse" | "first"
  /** Maximum size of the buffered rows that are written together. Default: 256 MiB. */
  readonly memory?: ByteSize
  /** Called from time to time with the progress of the import. */
  readonly onProgress?: (progress: CsvProgress) => void
}

/** Progress of an import. */
export interface CsvProgress {
  /** Number of rows read so far. */
  readonly rows: number
  /** Number of bytes read so far, and size of the file; 0 for streams. */
  readonly bytesRead: number
  readonly bytes: number
}

/** Result of an import. */
export interface ImportResult extends WriteResult {
  /** URI of the array. */
  readonly uri: string
}

/** Errors of an import. */
export type CsvImportError = CsvInputError | OpenError | EnumerationError | FillError | WriteFailure | Conflict

/** Maximum number of rows that are converted together. */
const BATCH_ROWS = 4096

/** Converts rows to columns; `first` is the number of the first row. Throws {@link CsvError}. */
type MakeColumns = (rows: ReadonlyArray<CsvRow>, first: number) => Steps<Readonly<Record<string, ColumnInput>>>

/** A converter of rows to columns, and the row numbers in a dense array if no column contains them. */
interface RowColumns {
  readonly columns: MakeColumns
  readonly appended: (() => AppendedRows) | undefined
}

/** Returns the converter of rows with these columns to cells of an array. */
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
      return refuse("UnknownName", unknown, `the array has no such field; it has ${existing}`)
    }
    // in a dense array with one dimension and no column of its name, the dimension numbers the rows
    const columnOf = new Map(names.map((name, column) => [name, column]))
    const numbered = schema.arrayType === "dense" && dimensions.length === 1 && !columnOf.has(dimensions[0].name)
      ? dimensions[0]
      : undefined
    const fields = [...dimensions, ...attributes].filter((field) => field !== numbered)
    const missing = fields.find((field) => !columnOf.has(field.name) && !field.nullable)
    if (missing !== undefined) {
      return refuse("Missing", missing.name, "the column is missing, and the array requires its cells")
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

/** Runs a function that may throw {@link CsvError}, in steps. */
const attemptColumns = <A>(run: () => Steps<A>): Effect.Effect<A, CsvError> => runSteps(run, failOn(CsvError))

/** Options of writing the rows of a table. */
export interface WriteTableRequest {
  readonly time: readonly [number, number] | undefined
  readonly memory: number
  /** State of an earlier process, and callbacks for progress. */
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
    // no guard is needed for an array that is being created, since it has no other writers
    const guard = appended === undefined || checkpoints !== undefined ? undefined : yield* guardAppend(array, appended)
    const writer: CellWriter<Readonly<Record<string, unknown>>, AppendError> =
      yield* (array.schema.arrayType === "dense" ? openPlacedWriter(array, request, guard) : openSparseWriter(array, {
        ...request,
        order: "unordered",
        duplicates: options.duplicates ?? "refuse",
        maxFragmentSize: Infinity,
      }))
    /** converts errors of cells to errors of rows */
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
    /** number of the first empty row; empty rows are allowed at the end */
    let empty: number | undefined
    for (;;) {
      rows = yield* readRows(source, BATCH_ROWS, rows)
      if (rows.length === 0) break
      // convert rows in batches, since short rows arrive in large numbers
      for (let from = 0; from < rows.length; from += BATCH_ROWS) {
        const some = rows.slice(from, from + BATCH_ROWS)
        for (const [i, { length, 0: cell }] of some.entries()) {
          const isEmpty = length === 1 && cell === null && names.length > 1
          if (empty !== undefined && !isEmpty) {
            return yield* refuse("Syntax", empty, "the row is empty, and other rows follow")
          }
          if (isEmpty) {
            empty ??= row + i
          } else if (length !== names.length) {
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
