/**
 * What all tagged errors of the library are made of: no message, field, cause, stack or serialised form of one shows
 * credentials, and every message is one line of limited length.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import { messageText } from "./message_text.ts"
import { SAFE, safeFields } from "./safe_fields.ts"

/** The constructor of a tagged error with fields `F`; spelled out so that JSR needs no inference. */
export type TaggedErrorClass<Tag extends string, F extends object> = new (
  fields: F,
) => Cause.YieldableError & { readonly _tag: Tag } & Readonly<F>

/**
 * A base class for errors with this tag. Subclasses describe themselves in a getter `message`, from their fields; what it
 * returns is made safe to print here, once, when the error is made.
 */
export const taggedError = <Tag extends string, F extends object>(tag: Tag): TaggedErrorClass<Tag, F> => {
  const Base = Data.TaggedError(tag) as unknown as new (fields: object) => Cause.YieldableError
  class SafeError extends Base {
    constructor(fields: F) {
      super(safeFields(fields))
      const value = messageText(this.message)
      Object.defineProperty(this, "message", { value, enumerable: false, configurable: true, writable: true })
    }
  }
  Object.defineProperty(SafeError.prototype, SAFE, { value: true })
  return SafeError as unknown as TaggedErrorClass<Tag, F>
}
