/**
 * The one error of the bytes.
 *
 * @module
 */
import { taggedError, type TaggedErrorClass } from "./tagged_error.ts"

export type { TaggedErrorClass }

const FormatErrorBase: TaggedErrorClass<"FormatError", {
  readonly uri: string
  readonly path: string
  readonly offset: number
  readonly version: number
  readonly reason: string
  readonly unsupported?: boolean
}> = taggedError("FormatError")

/**
 * Bytes that are not what the format says they are: truncated, damaged, forged or of a later version.
 *
 * `uri` names the file, `path` the field inside the structure (`attributes.2.filters`), `offset` the byte at which the
 * field starts (in the unfiltered structure for what lies in a generic tile, in the file otherwise), `version` the format
 * version by which the bytes were read. `unsupported` tells what is sound but unknown here (a newer format, a filter that does
 * not exist yet) from what is damaged.
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
  /** The file, the place in it, and what is wrong there. */
  override get message(): string {
    const field = this.path === "" ? "" : `${this.path}: `
    const where = `(at offset ${this.offset}, format version ${this.version})`
    return `${this.uri}: ${field}${this.reason} ${where}`
  }
}
