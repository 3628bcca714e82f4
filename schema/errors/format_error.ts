/**
 * The error of bytes that do not conform to the format.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { taggedError, type TaggedErrorClass } from "./tagged_error.ts"

export type { TaggedErrorClass }

/** Why a structure cannot be read: damaged bytes, or a version, filter or feature that is not supported. */
export type FormatReason = "Damaged" | "Unsupported"

const FormatErrorBase: TaggedErrorClass<FormatError, "FormatError", {
  readonly uri: string
  readonly path: string
  readonly offset: number
  readonly version: number
  readonly reason: FormatReason
  readonly detail: string
}> = taggedError("FormatError", () => ({
  uri: Schema.String,
  path: Schema.String,
  offset: Schema.Number,
  version: Schema.Number,
  reason: Schema.Literal("Damaged", "Unsupported"),
  detail: Schema.String,
}))

/**
 * Bytes that do not conform to the format: truncated, damaged, forged or of a later version.
 *
 * `uri` names the file, `path` the field inside the structure (`attributes.2.filters`), `offset` the byte at which the
 * field starts (in the unfiltered structure for contents of generic tiles, in the file otherwise), `version` the format
 * version of the decoder. `reason` is `"Unsupported"` for valid structures of a newer format, or with an unknown
 * filter, and otherwise `"Damaged"`, the default; `detail` explains it.
 *
 * ```ts
 * import { decode, FormatError, IgnoreFile } from "@tessera/array/schema"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const error = assertThrows(() => decode(IgnoreFile, Uint8Array.of(0xff), 22, "mem://a/i.ign"), FormatError)
 * assertEquals(error._tag, "FormatError")
 * assertEquals(error.message, "mem://a/i.ign: not valid UTF-8 (at offset 0, format version 22)")
 * ```
 */
export class FormatError extends FormatErrorBase {
  /** Creates the error; `reason` is `"Damaged"` by default. */
  constructor(
    fields: Omit<ConstructorParameters<typeof FormatErrorBase>[0], "reason"> & { readonly reason?: FormatReason },
  ) {
    super({ ...fields, reason: fields.reason ?? "Damaged" })
  }

  /** Describes the error with its file and position. */
  override get message(): string {
    const field = this.path === "" ? "" : `${this.path}: `
    const where = `(at offset ${this.offset}, format version ${this.version})`
    return `${this.uri}: ${field}${this.detail} ${where}`
  }
}
