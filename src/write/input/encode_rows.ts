/**
 * Converts rows to columns: encodes them through an Effect Schema, and enumeration values as codes.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { turnIfDue } from "../../../platform/host/event_loop_turns.ts"
import { codesOf } from "../../array/enumeration/enumeration_codes.ts"
import { type EnumerationError, loadEnumerations } from "../../array/enumeration/enumerations.ts"
import { cellReasonOf, reasonOf, WriteError } from "../../array/open/errors.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { RowError, rowErrorOf, type RowReason } from "../../row/row_error.ts"
import { fieldsOf } from "../../fragment/field.ts"
import type { CellInput } from "./column_input.ts"

/** The cells of rows, by field: lists of values. */
export type RowColumns = Readonly<Record<string, ReadonlyArray<CellInput>>>

/** Encodes rows as columns; `first` is the number of the first row. */
export type EncodeRows<A, R> = (rows: Iterable<A>, first: number) => Effect.Effect<RowColumns, RowError, R>

/** Converts the error of a cell to an error of its row. */
export const asRowError = (uri: string) => <E>(error: E): E | RowError =>
  error instanceof WriteError && error.cell !== undefined
    ? new RowError({
      uri,
      row: error.cell,
      reason: cellReasonOf(error.reason),
      detail: error.field === "" ? reasonOf(error, "row") : `${error.field}: ${reasonOf(error, "row")}`,
      cause: error,
    })
    : error

/** Number of rows encoded between two turns of the event loop. */
const ROWS_PER_TURN = 64

/** Creates the row encoder of an array. */
export const rowEncoder = <A, I, R>(
  array: OpenedArray,
  schema: Schema.Schema<A, I, R>,
): Effect.Effect<EncodeRows<A, R>, EnumerationError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri } = array
    const { byName } = fieldsOf(array.schema)
    const codes = new Map<string, (value: unknown) => number | undefined>()
    for (const enumeration of yield* loadEnumerations(array)) codes.set(enumeration.name, codesOf(enumeration))
    const encode = ParseResult.encode(schema)

    /** Appends an encoded row. */
    const append = (columns: Record<string, Array<CellInput>>, row: number, encoded: I): RowError | undefined => {
      const fields = encoded as Readonly<Record<string, unknown>>
      const refuse = (reason: RowReason, name: string, detail: string): RowError =>
        new RowError({ uri, row, reason, detail: `${name}: ${detail}`, cause: undefined })
      for (const name of Object.keys(fields)) {
        if (fields[name] !== undefined && !byName.has(name)) {
          return refuse("UnknownName", name, "the array has no such field")
        }
      }
      for (const [name, { enumeration }] of byName) {
        const value = fields[name] ?? null
        const codeOf = enumeration === undefined || value === null ? undefined : codes.get(enumeration)
        if (codeOf === undefined) {
          columns[name].push(value as CellInput)
        } else {
          const code = codeOf(value)
          if (code === undefined) {
            return refuse(
              "InvalidValue",
              name,
              `${JSON.stringify(value)} is not a value of the enumeration ${JSON.stringify(enumeration)}`,
            )
          }
          columns[name].push(code)
        }
      }
      return undefined
    }

    return (rows, first) =>
      Effect.suspend(() => {
        const columns: Record<string, Array<CellInput>> = {}
        for (const name of byName.keys()) {
          columns[name] = []
        }
        const all = rows[Symbol.iterator]()
        // encode in a plain loop as long as rows encode synchronously; continue as an Effect if a row needs a service
        // or time
        const run = (row: number): Effect.Effect<RowColumns, RowError, R> => {
          const pause = row + ROWS_PER_TURN
          for (let next = all.next(); next.done !== true; next = all.next(), row++) {
            const encoded = encode(next.value)
            if (!Either.isEither(encoded)) {
              const at = row
              return Effect.flatMap(Effect.mapError(encoded, (issue) => rowErrorOf(uri, at, issue)), (value) => {
                const error = append(columns, at, value)
                return error === undefined ? run(at + 1) : Effect.fail(error)
              })
            }
            const either = encoded as Either.Either<I, ParseResult.ParseIssue>
            if (Either.isLeft(either)) return Effect.fail(rowErrorOf(uri, row, either.left))
            const error = append(columns, row, either.right)
            if (error !== undefined) return Effect.fail(error)
            if (row === pause) {
              const next = row + 1
              return Effect.flatMap(turnIfDue, () => run(next))
            }
          }
          return Effect.succeed(columns)
        }
        return run(first)
      })
  })
