/**
 * What a codec throws while it is inside a structure: it knows where, but not yet in which file.
 * `decode` turns it into a {@link FormatError}.
 */
export class BinaryIssue extends Error {
  /** Field names and indexes, outermost first; filled while the error travels up through the structs. */
  readonly path: Array<string | number> = []

  constructor(
    readonly offset: number,
    readonly reason: string,
    /** whether the bytes may be sound, but of a kind that this engine does not read */
    readonly unsupported: boolean = false,
  ) {
    // without a message of its own, which would hide the getter
    super()
    this.name = "BinaryIssue"
  }

  override get message(): string {
    return `${this.path.join(".")}: ${this.reason} at offset ${this.offset}`
  }
}
