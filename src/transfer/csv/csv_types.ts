/**
 * Infers the datatypes of CSV columns from their first rows.
 */
import type { CsvRow } from "./csv_rows.ts"
import type { Datatype } from "../../../schema/array/datatype.ts"
import { parseDatetime } from "../../../schema/array/datetime.ts"
import { finish, type Steps } from "../../kernel/steps.ts"

/** A datatype; a question mark after it marks a nullable column. */
export type CsvType = Datatype | `${Datatype}?`

/** What a column is. */
export interface ColumnType {
  readonly type: Datatype
  readonly nullable: boolean
}

/** A type as it is written. */
export const columnTypeOf = (written: CsvType): ColumnType => ({
  type: written.replace(/\?$/, "") as Datatype,
  nullable: written.endsWith("?"),
})

/** Numbers that are written as numbers are: what starts with more zeros than it needs, or a plus, is a code of some kind. */
const whole = /^-?(0|[1-9]\d{0,19})$/
const decimal = /^-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/
const special = /^-?(nan|inf|infinity)$/i
const truth = /^(true|false)$/i
const noTime = /^nat$/i
const day = /^[+-]?\d{4,9}-\d{2}-\d{2}/

/** From the coarsest to the finest that dates need. */
const moments = ["datetime_ms", "datetime_us", "datetime_ns"] as const satisfies ReadonlyArray<Datatype>

const isWhole = (cell: string): boolean => {
  if (!whole.test(cell)) return false
  // as long as int64 goes
  return cell.length < 19 || BigInt.asIntN(64, BigInt(cell)) === BigInt(cell)
}

const isUnsigned = (cell: string): boolean =>
  whole.test(cell) && (cell.length < 19 ? !cell.startsWith("-") : BigInt.asUintN(64, BigInt(cell)) === BigInt(cell))

/** Whether a number keeps its value as float64: whole numbers keep all digits, as keys must, and none overflows. */
const isNumber = (cell: string): boolean => {
  if (!decimal.test(cell)) return false
  const value = Number(cell)
  return Number.isFinite(value) &&
    (Math.abs(value) <= Number.MAX_SAFE_INTEGER || !/^-?\d+$/.test(cell) || BigInt(value) === BigInt(cell))
}

/** Whether a moment is as coarse as the datatype, and not too far away for it. */
const isMoment = (type: Datatype, cell: string): boolean => {
  const count = day.test(cell) ? parseDatetime(type, cell) : undefined
  return typeof count === "bigint" && BigInt.asIntN(64, count) === count
}

/** Kinds of columns, the first that holds all cells is taken. */
const kinds: ReadonlyArray<readonly [type: Datatype, holds: (cell: string) => boolean]> = [
  ["int64", isWhole],
  ["uint64", isUnsigned],
  ["float64", (cell) => isNumber(cell) || special.test(cell)],
  ["bool", (cell) => truth.test(cell)],
  ...moments.map((type) =>
    [
      type,
      (cell: string) => noTime.test(cell) || isMoment(type, cell),
    ] as const
  ),
]

/**
 * Returns the datatype that can represent all cells of a column; text as the last choice. Missing and null cells make
 * it nullable.
 */
export const inferType = (rows: ReadonlyArray<CsvRow>, column: number): ColumnType =>
  finish(inferTypeSteps(rows, column))

/** Cells inspected between two yields. */
const STEP = 1 << 10

/** As {@link inferType}, in steps. */
export function* inferTypeSteps(rows: ReadonlyArray<CsvRow>, column: number): Steps<ColumnType> {
  let remaining = kinds
  let nullable = false
  let seen = false
  for (let i = 0; i < rows.length; i++) {
    if (i % STEP === STEP - 1) yield
    const cell = rows[i][column]
    if (cell === null) {
      nullable = true
      continue
    }
    seen = true
    // the datatype of the previous cells usually fits this one too
    while (remaining.length > 0 && !remaining[0][1](cell)) remaining = remaining.slice(1)
    if (remaining.length === 0 && nullable) break
  }
  // a datatype that failed for an earlier cell was dropped; the next one must fit all cells
  for (const [type, holds] of seen ? remaining : []) {
    let i = 0
    for (; i < rows.length; i++) {
      if (i % STEP === STEP - 1) yield
      const cell = rows[i][column]
      if (cell !== null && !holds(cell)) break
    }
    if (i === rows.length) return { type, nullable }
  }
  return { type: "string_utf8", nullable }
}
