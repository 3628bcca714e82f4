/**
 * Infers the datatypes of CSV columns from their first rows.
 */
import type { CsvRow } from "./csv_rows.ts"
import type { Datatype } from "../../../schema/array/datatype.ts"
import { parseDatetime } from "../../../schema/array/datetime.ts"
import { finish, type Steps } from "../../kernel/steps.ts"

/** A datatype; a question mark marks a nullable column. */
export type CsvType = Datatype | `${Datatype}?`

/** The datatype and nullability of a column. */
export interface ColumnType {
  readonly type: Datatype
  readonly nullable: boolean
}

/** Parses a column type. */
export const columnTypeOf = (written: CsvType): ColumnType => ({
  type: written.replace(/\?$/, "") as Datatype,
  nullable: written.endsWith("?"),
})

/** Plain spellings of numbers. Text with a leading plus sign or surplus zeros is a code, not a number. */
const whole = /^-?(0|[1-9]\d{0,19})$/
const decimal = /^-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/
const special = /^-?(nan|inf|infinity)$/i
const booleanText = /^(true|false)$/i
const noTime = /^nat$/i
const day = /^[+-]?\d{4,9}-\d{2}-\d{2}/

/** Datatypes of datetimes, coarsest first. */
const moments = ["datetime_ms", "datetime_us", "datetime_ns"] as const satisfies ReadonlyArray<Datatype>

const isWhole = (cell: string): boolean => {
  if (!whole.test(cell)) return false
  // numbers of up to 18 characters fit into int64
  return cell.length < 19 || BigInt.asIntN(64, BigInt(cell)) === BigInt(cell)
}

const isUnsigned = (cell: string): boolean =>
  whole.test(cell) && (cell.length < 19 ? !cell.startsWith("-") : BigInt.asUintN(64, BigInt(cell)) === BigInt(cell))

/**
 * Returns whether a number keeps its value as float64. Whole numbers must keep all digits, since they may be keys, and
 * no number may overflow.
 */
const isNumber = (cell: string): boolean => {
  if (!decimal.test(cell)) return false
  const value = Number(cell)
  return Number.isFinite(value) &&
    (Math.abs(value) <= Number.MAX_SAFE_INTEGER || !/^-?\d+$/.test(cell) || BigInt(value) === BigInt(cell))
}

/** Returns whether a datetime has no finer digits than the datatype and is inside its range. */
const isMoment = (type: Datatype, cell: string): boolean => {
  const count = day.test(cell) ? parseDatetime(type, cell) : undefined
  return typeof count === "bigint" && BigInt.asIntN(64, count) === count
}

/** Datatypes with their tests; a column gets the first datatype that fits all cells. */
const kinds: ReadonlyArray<readonly [type: Datatype, holds: (cell: string) => boolean]> = [
  ["int64", isWhole],
  ["uint64", isUnsigned],
  ["float64", (cell) => isNumber(cell) || special.test(cell)],
  ["bool", (cell) => booleanText.test(cell)],
  ...moments.map((type) =>
    [
      type,
      (cell: string) => noTime.test(cell) || isMoment(type, cell),
    ] as const
  ),
]

/**
 * Returns the datatype that can represent all cells of a column; text if no other does. Missing and null cells make the
 * column nullable.
 */
export const inferType = (rows: ReadonlyArray<CsvRow>, column: number): ColumnType =>
  finish(inferTypeSteps(rows, column))

/** Number of cells inspected between two yields. */
const STEP_CELLS = 1 << 10

/** Like {@link inferType}, in steps. */
export function* inferTypeSteps(rows: ReadonlyArray<CsvRow>, column: number): Steps<ColumnType> {
  let remaining = kinds
  let nullable = false
  let seen = false
  for (let i = 0; i < rows.length; i++) {
    if (i % STEP_CELLS === STEP_CELLS - 1) yield
    const cell = rows[i][column]
    if (cell === null) {
      nullable = true
      continue
    }
    seen = true
    // the datatype of the previous cells usually fits the next cell too
    while (remaining.length > 0 && !remaining[0][1](cell)) remaining = remaining.slice(1)
    if (remaining.length === 0 && nullable) break
  }
  // once a datatype was dropped for an earlier cell, the next one must be tested with all cells
  for (const [type, holds] of seen ? remaining : []) {
    let i = 0
    for (; i < rows.length; i++) {
      if (i % STEP_CELLS === STEP_CELLS - 1) yield
      const cell = rows[i][column]
      if (cell !== null && !holds(cell)) break
    }
    if (i === rows.length) return { type, nullable }
  }
  return { type: "string_utf8", nullable }
}
