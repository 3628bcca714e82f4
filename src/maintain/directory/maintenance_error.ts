/**
 * The error of maintenance that would lose or hide cells, or that conflicts with another change.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { taggedError, type TaggedErrorClass } from "../../../schema/errors/tagged_error.ts"

/** Why maintenance is refused. Nothing was changed. */
export type MaintenanceReason =
  /** A named fragment does not exist, or was replaced. */
  | "Missing"
  /** Two tasks of a plan, or a task and other contents of the array, overlap. */
  | "Overlap"
  /** A fragment was written with another schema. */
  | "Mismatch"
  /** The array changed since the plan was made. */
  | "Stale"
  /** The result would hide cells, or let hidden cells reappear. */
  | "LosesCells"
  /** The format version of the array does not support the operation. */
  | "Unsupported"

const MaintenanceErrorBase: TaggedErrorClass<MaintenanceError, "MaintenanceError", {
  readonly uri: string
  readonly reason: MaintenanceReason
  readonly detail: string
}> = taggedError("MaintenanceError", () => ({
  uri: Schema.String,
  reason: Schema.Literal("Missing", "Overlap", "Mismatch", "Stale", "LosesCells", "Unsupported"),
  detail: Schema.String,
}))

/**
 * Maintenance was refused, and nothing was changed. The message describes the conflict.
 *
 * ```ts
 * import { MaintenanceError } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const error = new MaintenanceError({ uri: "mem://a", reason: "Stale", detail: "the fragment f was replaced" })
 * assertEquals(error.message, "mem://a: the fragment f was replaced")
 * ```
 */
export class MaintenanceError extends MaintenanceErrorBase {
  /** The location and the reason. */
  override get message(): string {
    return `${this.uri}: ${this.detail}`
  }
}
