/**
 * The base of all tagged errors of the library: `Schema.TaggedError` classes whose message, fields, cause, stack and
 * serialised form contain no credentials, and whose message is one line of limited length.
 *
 * The schema of a class is created on first use. Created when the modules load, the 24 schemas take 8 ms of each start
 * of the command line, which rarely needs them (Deno 2.9.6).
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import { pipeArguments } from "effect/Pipeable"
import * as Schema from "effect/Schema"
import { messageText } from "./message_text.ts"
import { SAFE, safeFields } from "./safe_fields.ts"

/** The constructor of a tagged error with fields `F`, and the schema of such errors; explicit types for JSR. */
export interface TaggedErrorClass<Self, Tag extends string, F>
  extends Schema.Schema<Self, { readonly _tag: Tag } & Readonly<F>> {
  /** Creates the error. */
  new (fields: F): Cause.YieldableError & { readonly _tag: Tag } & Readonly<F>
  /** The name of the schema: the tag. */
  readonly identifier: string
}

/**
 * Creates the base class of the errors with this tag and these fields. Subclasses define a getter `message`, which is
 * called once, when the error is created; its result is redacted and shortened.
 *
 * The constructor does not validate the fields, because an error about an error would hide the first one; decoding
 * does.
 */
export const taggedError = <Self, Tag extends string, Fields extends Schema.Struct.Fields>(
  tag: Tag,
  fields: () => Fields,
): TaggedErrorClass<Self, Tag, Schema.Struct.Type<Fields>> => {
  let memo: object | undefined
  // the getter `ast` of Effect's class creates errors of the class on which it is read
  const fromSchema = (name: "ast" | "fields", receiver: object): unknown =>
    Reflect.get(memo ??= Schema.TaggedError<Cause.YieldableError>()(tag, fields()), name, receiver)
  const Base = Data.TaggedError(tag) as unknown as new (fields: object) => Cause.YieldableError
  class SafeError extends Base {
    static readonly [Schema.TypeId] = Schema.Unknown[Schema.TypeId]
    static readonly identifier = tag
    static get ast(): unknown {
      return fromSchema("ast", this)
    }
    static get fields(): unknown {
      return fromSchema("fields", this)
    }
    static annotations(annotations: Schema.Annotations.Schema<unknown>): unknown {
      return Schema.make(this.ast as Schema.Schema<unknown>["ast"]).annotations(annotations)
    }
    static pipe(): unknown {
      return pipeArguments(this, arguments)
    }

    constructor(fields: object) {
      super(safeFields(fields))
      const value = messageText(this.message)
      Object.defineProperty(this, "message", { value, enumerable: false, configurable: true, writable: true })
    }
  }
  Object.defineProperty(SafeError.prototype, SAFE, { value: true })
  return SafeError as unknown as TaggedErrorClass<Self, Tag, Schema.Struct.Type<Fields>>
}
