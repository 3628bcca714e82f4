/**
 * Errors in CSV text.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { taggedError, type TaggedErrorClass } from "../../../schema/errors/tagged_error.ts"

/** Why CSV cannot be imported. */
export type CsvReason =
  /** The source is not text in UTF-8. */
  | "InvalidText"
  /** The text is not CSV, or contains an empty row. */
  | "Syntax"
  /** The source contains no rows. */
  | "Empty"
  /** The source has changed since the import began. */
  | "SourceChanged"
  /** A column has no name. */
  | "InvalidName"
  /** The array has no field of the column's name. */
  | "UnknownName"
  /** The array has a field without a column. */
  | "Missing"
  /** Two columns have the same name, or two rows the same coordinates. */
  | "Duplicate"
  /** A row has more or fewer cells than there are columns. */
  | "WrongLength"
  /** The field of the column cannot contain the value of a cell. */
  | "InvalidValue"
  /** A cell is empty, and the field is not nullable. */
  | "NullValue"
  /** Coordinates are outside the domain. */
  | "OutOfBounds"
  /** Rows are not in the required order. */
  | "OutOfOrder"

const CsvErrorBase: TaggedErrorClass<CsvError, "CsvError", {
  readonly source: string
  readonly row: number
  readonly column: string
  readonly reason: CsvReason
  readonly detail: string
}> = taggedError("CsvError", () => ({
  source: Schema.String,
  row: Schema.Number,
  column: Schema.String,
  reason: Schema.Literal(
    "InvalidText",
    "Syntax",
    "Empty",
    "SourceChanged",
    "InvalidName",
    "UnknownName",
    "Missing",
    "Duplicate",
    "WrongLength",
    "InvalidValue",
    "NullValue",
    "OutOfBounds",
    "OutOfOrder",
  ),
  detail: Schema.String,
}))

/**
 * An invalid row of CSV, or a cell that its column's datatype cannot contain; nothing was written. `source` names the
 * text, `row` counts from 1 including the header, and `column` is `""` if the error does not belong to a single column.
 * `reason` is the kind of problem, see {@link CsvReason}, and `detail` describes it.
 *
 * ```ts
 * import { Csv, layerMemory, layerNative } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Stream from "effect/Stream"
 *
 * const text = Stream.make("x,n\n1,2\n2,three\n")
 * const program = Csv.create("mem://points", text, { arrayType: "sparse", dims: ["x"], types: { n: "int32" } }).pipe(
 *   Effect.as([0, "", ""]),
 *   Effect.catchTag("CsvError", ({ row, column, reason }) => Effect.succeed([row, column, reason])),
 * )
 * const result = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(result, [3, "n", "InvalidValue"])
 * ```
 */
export class CsvError extends CsvErrorBase {
  /** Describes the location and the error. */
  override get message(): string {
    const where = [this.source, this.row === 0 ? "" : `row ${this.row}`, this.column]
    return [...where.filter((part) => part !== ""), this.detail].join(": ")
  }
}
