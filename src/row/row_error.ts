/**
 * Errors of rows.
 *
 * @module
 */
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { taggedError, type TaggedErrorClass } from "../../schema/errors/tagged_error.ts"

/** Why a row cannot be read or written. */
export type RowReason =
  /** The schema of the rows rejects the row. */
  | "Rejected"
  /** The array has no field of this name. */
  | "UnknownName"
  /** A field of the array cannot contain a value. */
  | "InvalidValue"
  /** A value is null, and the field is not nullable. */
  | "NullValue"
  /** Coordinates are outside the domain. */
  | "OutOfBounds"
  /** Another row has the same coordinates. */
  | "Duplicate"
  /** Rows are not in the required order. */
  | "OutOfOrder"

const RowErrorBase: TaggedErrorClass<RowError, "RowError", {
  readonly uri: string
  readonly row: number
  readonly reason: RowReason
  readonly detail: string
  readonly cause?: unknown
}> = taggedError("RowError", () => ({
  uri: Schema.String,
  row: Schema.Number,
  reason: Schema.Literal(
    "Rejected",
    "UnknownName",
    "InvalidValue",
    "NullValue",
    "OutOfBounds",
    "Duplicate",
    "OutOfOrder",
  ),
  detail: Schema.String,
  cause: Schema.optional(Schema.Defect),
}))

/**
 * A row that the schema of the rows, or the array at `uri`, rejects. `reason` is the kind of problem, and `detail`
 * names the field. `row` counts from 0 in the result, in the rows to write, or in all batches of a stream. `cause` is
 * Effect's `ParseError` if the schema rejected the row.
 *
 * ```ts
 * import { layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const Shallow = Schema.Struct({ depth: Schema.Number.pipe(Schema.lessThan(30)) })
 * const program = TileArray.open("tests/support/quakes").pipe(
 *   Effect.flatMap((quakes) => Sparse.read(quakes, { select: ["depth"] })),
 *   Effect.flatMap((result) => Sparse.decodeRows(result, Shallow)),
 *   Effect.catchTag("RowError", ({ row, detail }) => Effect.succeed(`row ${row}: ${detail}`)),
 * )
 * const answer = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(answer, "row 0: depth: Expected a number less than 30, actual 33.5")
 * ```
 */
export class RowError extends RowErrorBase {
  /** The number of the row and the problem. */
  override get message(): string {
    return `${this.uri}: row ${this.row}: ${this.detail}`
  }
}

/** Returns the error of a row that a schema rejects: "place: Expected …". */
export const rowErrorOf = (uri: string, row: number, issue: ParseResult.ParseIssue): RowError =>
  new RowError({
    uri,
    row,
    reason: "Rejected",
    detail: ParseResult.ArrayFormatter.formatIssueSync(issue).map(({ path, message }) =>
      path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`
    ).join("; "),
    cause: ParseResult.parseError(issue),
  })
