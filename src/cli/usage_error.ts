import * as Data from "effect/Data"
import type { TaggedErrorClass } from "../../schema/errors.ts"

const UsageErrorBase: TaggedErrorClass<"UsageError", { readonly reason: string }> = Data.TaggedError("UsageError")

/** The command line does not say what to do, or says it wrongly. */
export class UsageError extends UsageErrorBase {
  override get message(): string {
    return this.reason
  }
}
