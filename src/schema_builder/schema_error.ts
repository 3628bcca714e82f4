/**
 * What can be wrong with a schema that is being made.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import { attempt, failOn } from "../../platform/attempt.ts"
import * as Schema from "effect/Schema"
import { runSteps } from "../../platform/host/event_loop_turns.ts"
import type { Steps } from "../kernel/steps.ts"
import { taggedError, type TaggedErrorClass } from "../../schema/errors/tagged_error.ts"

const SchemaErrorBase: TaggedErrorClass<SchemaError, "SchemaError", {
  readonly field: string
  readonly detail: string
}> = taggedError("SchemaError", () => ({ field: Schema.String, detail: Schema.String }))

/**
 * A schema that no array can have: `field` names the dimension, attribute or option (`""` where it is the whole), `detail` says
 * what is wrong and what would be right. `ArraySchema.dense` and `ArraySchema.sparse` throw it: a schema is a value of the
 * program, and wrong from its first line on. `TileArray.create` and `TileArray.evolve` fail with it.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, SchemaError } from "@tessera/array"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const error = assertThrows(
 *   () => ArraySchema.dense({ dims: { x: Dim.int32([9, 0]) }, attrs: { n: Attr.uint8() } }),
 *   SchemaError,
 * )
 * assertEquals([error._tag, error.field], ["SchemaError", "x"])
 * ```
 */
export class SchemaError extends SchemaErrorBase {
  /** What is wrong, where, and what would be right. */
  override get message(): string {
    return `${this.field === "" ? "the schema" : this.field}: ${this.detail}`
  }
}

const refused = failOn(SchemaError)

/** Runs what makes or checks a schema; what it refuses becomes the Effect's failure. */
export const attemptSchema = <A>(run: () => A): Effect.Effect<A, SchemaError> => attempt(run, refused)

/** As {@link attemptSchema}, in steps between which the event loop gets turns. */
export const attemptSchemaSteps = <A>(run: () => Steps<A>): Effect.Effect<A, SchemaError> => runSteps(run, refused)
