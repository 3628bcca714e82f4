/**
 * Errors of invalid schemas.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import { attempt, failOn } from "../../platform/attempt.ts"
import * as Schema from "effect/Schema"
import { runSteps } from "../../platform/host/event_loop_turns.ts"
import type { Steps } from "../kernel/steps.ts"
import { taggedError, type TaggedErrorClass } from "../../schema/errors/tagged_error.ts"

/** Why an array cannot have a schema. */
export type SchemaReason =
  /** A part of the schema refers to a name that does not exist. */
  | "UnknownName"
  /** A name is empty or reserved. */
  | "InvalidName"
  /** A name or value occurs twice, or exists already. */
  | "Duplicate"
  /** A required part is missing. */
  | "Missing"
  /** The datatype, or the form of an input, is not possible here. */
  | "WrongType"
  /** Columns have different numbers of cells. */
  | "WrongLength"
  /** A filter does not support the values, the array or the other filters. */
  | "InvalidFilter"
  /** A domain or current domain is invalid. */
  | "InvalidDomain"
  /** A tile extent is invalid. */
  | "InvalidTile"
  /** Another value of the schema is invalid. */
  | "InvalidValue"
  /** Enumerations have more values or bytes than engines support. */
  | "TooLarge"
  /** Other parts of the array still use a part that the change removes or replaces. */
  | "InUse"
  /** The array type, order or format version does not support this combination. */
  | "Unsupported"

const SchemaErrorBase: TaggedErrorClass<SchemaError, "SchemaError", {
  readonly field: string
  readonly reason: SchemaReason
  readonly detail: string
}> = taggedError(
  "SchemaError",
  () => ({
    field: Schema.String,
    reason: Schema.Literal(
      "UnknownName",
      "InvalidName",
      "Duplicate",
      "Missing",
      "WrongType",
      "WrongLength",
      "InvalidFilter",
      "InvalidDomain",
      "InvalidTile",
      "InvalidValue",
      "TooLarge",
      "InUse",
      "Unsupported",
    ),
    detail: Schema.String,
  }),
)

/**
 * An invalid schema. `field` names the dimension, attribute or option (`""` for the whole schema), `reason` is the kind
 * of problem, see {@link SchemaReason}, and `detail` describes it and the expected value. `ArraySchema.dense` and
 * `ArraySchema.sparse` throw it: a schema is a constant of the program. `TileArray.create` and `TileArray.evolve` fail
 * with it.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, SchemaError } from "@tessera/array"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const error = assertThrows(
 *   () => ArraySchema.dense({ dims: { x: Dim.int32([9, 0]) }, attrs: { n: Attr.uint8() } }),
 *   SchemaError,
 * )
 * assertEquals([error.field, error.reason], ["x", "InvalidDomain"])
 * ```
 */
export class SchemaError extends SchemaErrorBase {
  /** The problem, its location and advice. */
  override get message(): string {
    return `${this.field === "" ? "the schema" : this.field}: ${this.detail}`
  }
}

const refused = failOn(SchemaError)

/**
 * Runs a function that creates or checks a schema; the `SchemaError` that it throws becomes the error of the Effect.
 */
export const attemptSchema = <A>(run: () => A): Effect.Effect<A, SchemaError> => attempt(run, refused)

/** Like {@link attemptSchema}, in steps that yield to the event loop. */
export const attemptSchemaSteps = <A>(run: () => Steps<A>): Effect.Effect<A, SchemaError> => runSteps(run, refused)
