/**
 * The one error of the bytes.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"

/** The constructor of a tagged error with fields `F`; spelled out so that JSR needs no inference. */
export type TaggedErrorClass<Tag extends string, F extends object> = new (
  fields: F,
) => Cause.YieldableError & { readonly _tag: Tag } & Readonly<F>

const FormatErrorBase: TaggedErrorClass<"FormatError", {
  readonly uri: string
  readonly path: string
  readonly offset: number
  readonly version: number
  readonly reason: string
  readonly unsupported?: boolean
}> = Data.TaggedError("FormatError")

/** Text with its control characters spelled out: names from damaged bytes can hold any. */
const oneLine = (text: string): string =>
  // deno-lint-ignore no-control-regex
  text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)

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
    return oneLine(`${this.uri}: ${field}${this.reason} ${where}`)
  }
}
