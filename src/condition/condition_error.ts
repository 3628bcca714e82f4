/**
 * Errors of conditions.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { redactText } from "../../schema/errors/redact.ts"
import { taggedError, type TaggedErrorClass } from "../../schema/errors/tagged_error.ts"

/** Why a condition is invalid. */
export type ConditionReason =
  /** The text is not a condition. */
  | "Syntax"
  /** The value is not a condition. */
  | "InvalidTree"
  /** Conditions are nested too deep. */
  | "TooDeep"
  /** The array has no such field. */
  | "UnknownName"
  /** The value in a comparison is not a value of the field. */
  | "InvalidValue"
  /** The datatype of the field does not support the comparison. */
  | "Unsupported"

const ConditionErrorBase: TaggedErrorClass<ConditionError, "ConditionError", {
  readonly uri?: string
  readonly text?: string
  readonly at?: number
  readonly path: string
  readonly field: string
  readonly reason: ConditionReason
  readonly detail: string
}> = taggedError("ConditionError", () => ({
  uri: Schema.optional(Schema.String),
  text: Schema.optional(Schema.String),
  at: Schema.optional(Schema.Number),
  path: Schema.String,
  field: Schema.String,
  reason: Schema.Literal("Syntax", "InvalidTree", "TooDeep", "UnknownName", "InvalidValue", "Unsupported"),
  detail: Schema.String,
}))

/**
 * An invalid condition: text that cannot be parsed, an unknown field, or a value that a field cannot have. Nothing was
 * read. `reason` is the kind of problem, see {@link ConditionReason}, and `detail` describes it. `at` is the position
 * in `text` for conditions from text; `path` is the location in the tree (`and[1].not`) for other conditions. `field`
 * is `""` if the problem does not belong to a field; `uri` is present if the condition was used with an array.
 *
 * ```ts
 * import { Condition, ConditionError, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals, assertThrows } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const { text, at, reason } = assertThrows(() => Condition.parse("depth >"), ConditionError)
 * assertEquals([text, at, reason], ["depth >", 7, "Syntax"])
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   return yield* Sparse.read(quakes, { where: "dept > 400" })
 * })
 * const wrong = Effect.catchTag(program, "ConditionError", ({ field, reason }) => Effect.succeed([field, reason]))
 * assertEquals(await Effect.runPromise(Effect.provide(wrong, layerDefault)), ["dept", "UnknownName"])
 * ```
 */
export class ConditionError extends ConditionErrorBase {
  /** Creates the error. If credentials are removed from URLs in `text`, `at` is adjusted. */
  constructor(fields: ConstructorParameters<typeof ConditionErrorBase>[0]) {
    const { text, at } = fields
    // removing credentials moves the text after them
    super(text === undefined || at === undefined ? fields : { ...fields, at: redactText(text.slice(0, at)).length })
  }

  /** The problem, its location and advice. */
  override get message(): string {
    const array = this.uri === undefined ? "" : `${this.uri}: `
    const place = this.text === undefined ? this.path : `character ${this.at! + 1} of ${JSON.stringify(this.text)}`
    return `${array}condition${place === "" ? "" : `, ${place}`}: ${
      this.field === "" ? "" : `${this.field}: `
    }${this.detail}`
  }
}
