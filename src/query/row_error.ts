/**
 * Rows that are not what a schema says.
 *
 * @module
 */
import * as Data from "effect/Data"
import type { TaggedErrorClass } from "../../schema/errors.ts"

const RowErrorBase: TaggedErrorClass<"RowError", {
  readonly uri: string
  readonly row: number
  readonly reason: string
  readonly cause: unknown
}> = Data.TaggedError("RowError")

/**
 * A row of the array at `uri` that the schema of the rows refuses, for `reason`; `row` counts from 0 through the result, or
 * through all batches of a stream. `cause` is the `ParseError` of effect.
 */
export class RowError extends RowErrorBase {
  /** The row, and why. */
  override get message(): string {
    return `${this.uri}: row ${this.row}: ${this.reason}`
  }
}
