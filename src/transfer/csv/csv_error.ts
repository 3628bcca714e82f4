/**
 * Errors in CSV text.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { taggedError, type TaggedErrorClass } from "../../../schema/errors/tagged_error.ts"

const CsvErrorBase: TaggedErrorClass<CsvError, "CsvError", {
  readonly source: string
  readonly row: number
  readonly column: string
  readonly detail: string
}> = taggedError("CsvError", () => ({
  source: Schema.String,
  row: Schema.Number,
  column: Schema.String,
  detail: Schema.String,
}))

/**
 * An invalid row of CSV, or a cell that its column's datatype cannot contain; nothing was written. `source` names the
 * text, `row` counts from 1 including the header, and `column` is `""` if the error is not in a single column.
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
 *   Effect.as([0, ""]),
 *   Effect.catchTag("CsvError", ({ row, column }) => Effect.succeed([row, column])),
 * )
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), [3, "n"])
 * ```
 */
export class CsvError extends CsvErrorBase {
  /** Describes the location and the error. */
  override get message(): string {
    const where = [this.source, this.row === 0 ? "" : `row ${this.row}`, this.column]
    return [...where.filter((part) => part !== ""), this.detail].join(": ")
  }
}
