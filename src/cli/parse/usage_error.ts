import { taggedError, type TaggedErrorClass } from "../../../schema/errors/tagged_error.ts"

const UsageErrorBase: TaggedErrorClass<"UsageError", { readonly reason: string }> = taggedError("UsageError")

/** The command line does not say what to do, or says it wrongly. */
export class UsageError extends UsageErrorBase {
  override get message(): string {
    return this.reason
  }
}
