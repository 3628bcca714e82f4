/**
 * CSV that does not say what it should.
 *
 * @module
 */
import * as Data from "effect/Data"
import type { TaggedErrorClass } from "../../schema/errors.ts"

const CsvErrorBase: TaggedErrorClass<"CsvError", {
  readonly source: string
  readonly row: number
  readonly column: string
  readonly reason: string
}> = Data.TaggedError("CsvError")

/**
 * A row of CSV that is none, or a cell that no column of its datatype holds; nothing was written. `source` names the text, `row`
 * is counted from 1 on, the row of names among them, and `column` is `""` where it is no single one.
 */
export class CsvError extends CsvErrorBase {
  /** Where, and what is wrong there. */
  override get message(): string {
    const where = [this.source, this.row === 0 ? "" : `row ${this.row}`, this.column]
    return [...where.filter((part) => part !== ""), this.reason].join(": ")
  }
}
