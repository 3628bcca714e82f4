/**
 * The base of all tagged errors of the library: `Schema.TaggedError` classes whose message, fields, cause, stack and
 * serialised form show no credentials, and whose message is one line of limited length.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { messageText } from "./message_text.ts"
import { SAFE, safeFields } from "./safe_fields.ts"

/** The constructor of a tagged error with fields `F`, and the schema of such errors; explicit types for JSR. */
export interface TaggedErrorClass<Self, Tag extends string, F>
  extends Schema.Schema<Self, { readonly _tag: Tag } & Readonly<F>> {
  /** Makes the error. */
  new (fields: F): Cause.YieldableError & { readonly _tag: Tag } & Readonly<F>
  /** The schemas of the fields. */
  readonly fields: Schema.Struct.Fields
  /** The name of the schema: the tag. */
  readonly identifier: string
}

/**
 * Makes the base class of the errors with this tag. Subclasses define a getter `message`, which is called once, when the
 * error is made; its result is redacted and shortened here.
 *
 * The constructor does not validate the fields, because an error of an error would hide the first one; decoding does.
 */
export const taggedError = <Self, Tag extends string, Fields extends Schema.Struct.Fields>(
  tag: Tag,
  fields: Fields,
): TaggedErrorClass<Self, Tag, Schema.Struct.Type<Fields>> => {
  const Base = Schema.TaggedError<Cause.YieldableError>()(tag, fields) as unknown as new (
    fields: object,
    disableValidation: boolean,
  ) => Cause.YieldableError
  class SafeError extends Base {
    constructor(fields: object) {
      super(safeFields(fields), true)
      const value = messageText(this.message)
      Object.defineProperty(this, "message", { value, enumerable: false, configurable: true, writable: true })
    }
  }
  Object.defineProperty(SafeError.prototype, SAFE, { value: true })
  return SafeError as unknown as TaggedErrorClass<Self, Tag, Schema.Struct.Type<Fields>>
}
