import { messageText } from "../errors/message_text.ts"

/**
 * What a codec throws while it is inside a structure: it knows where, but not yet in which file. {@link encode} throws it for
 * a value that the version cannot hold; {@link decode} makes a {@link FormatError} of it.
 *
 * ```ts
 * import { BinaryIssue, encode, VacuumFile } from "@tessera/array/schema"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const error = assertThrows(() => encode(VacuumFile, ["/__fragments/a", ""], 22), BinaryIssue)
 * assertEquals([error.reason, error.offset], ["a line is one line, and not empty", 15])
 * ```
 */
export class BinaryIssue extends Error {
  /** Field names and indexes, outermost first; filled while the error travels up through the structs. */
  readonly path: Array<string | number> = []

  /** What is wrong with which byte. */
  constructor(
    /** where, from the start of the structure */
    readonly offset: number,
    /** what is wrong there */
    readonly reason: string,
    /** whether the bytes may be sound, but of a kind that this engine does not read */
    readonly unsupported: boolean = false,
  ) {
    // without a message of its own, which would hide the getter
    super()
    this.name = "BinaryIssue"
  }

  /** The field, what is wrong with it, and where. */
  override get message(): string {
    return messageText(`${this.path.join(".")}: ${this.reason} at offset ${this.offset}`)
  }
}
