import * as Schema from "effect/Schema"
import { taggedError, type TaggedErrorClass } from "../../../schema/errors/tagged_error.ts"

const UsageErrorBase: TaggedErrorClass<UsageError, "UsageError", { readonly detail: string }> = taggedError(
  "UsageError",
  () => ({
    detail: Schema.String,
  }),
)

/** An invalid command line. */
export class UsageError extends UsageErrorBase {
  override get message(): string {
    return this.detail
  }
}
