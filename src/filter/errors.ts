/**
 * What can be wrong with a tile beyond its layout: its digests and its cipher.
 *
 * @module
 */
import * as Data from "effect/Data"
import type { TaggedErrorClass } from "../../schema/errors.ts"

const ChecksumMismatchBase: TaggedErrorClass<"ChecksumMismatch", {
  readonly uri: string
  readonly offset: number
  readonly algorithm: "md5" | "sha256"
}> = Data.TaggedError("ChecksumMismatch")

/** The bytes of a chunk are not those that were written. `offset` is where the chunk starts in the file `uri`. */
export class ChecksumMismatch extends ChecksumMismatchBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    return `${this.uri}: the ${this.algorithm} checksum of the chunk at offset ${this.offset} does not match: the file was ` +
      "damaged after it was written; restore it, or read without verifying checksums"
  }
}

const DecryptionFailedBase: TaggedErrorClass<"DecryptionFailed", {
  readonly uri: string
  readonly hint: string
}> = Data.TaggedError("DecryptionFailed")

/** Encrypted bytes that the key at hand does not open; `hint` says what to do. */
export class DecryptionFailed extends DecryptionFailedBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    return `${this.uri}: cannot decrypt: ${this.hint}`
  }
}
