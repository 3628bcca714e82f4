import { messageText } from "../errors/message_text.ts"

/**
 * The error that codecs throw inside a structure: it has the position, but not the file. {@link encode} throws it for a
 * value that the version cannot represent; {@link decode} converts it to a {@link FormatError}.
 *
 * ```ts
 * import { BinaryIssue, encode, VacuumFile } from "@tessera/array/schema"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const error = assertThrows(() => encode(VacuumFile, ["/__fragments/a", ""], 22), BinaryIssue)
 * assertEquals([error.reason, error.offset], ["a line must not be empty or contain a line feed", 15])
 * ```
 */
export class BinaryIssue extends Error {
  /** Field names and indexes, outermost first, added while the error propagates through the structures. */
  readonly path: Array<string | number> = []

  /** Creates an issue at a position. */
  constructor(
    /** The offset from the start of the structure, in bytes. */
    readonly offset: number,
    /** The reason. */
    readonly reason: string,
    /** Whether the bytes may be valid, but are of a kind that this engine does not read. */
    readonly unsupported: boolean = false,
  ) {
    // no message argument: an own property would hide the getter
    super()
    this.name = "BinaryIssue"
  }

  /** The field, the reason and the position. */
  override get message(): string {
    return messageText(`${this.path.join(".")}: ${this.reason} at offset ${this.offset}`)
  }
}
