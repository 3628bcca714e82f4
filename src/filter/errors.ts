/**
 * What can be wrong with a tile beyond its layout: its digests, its cipher, and values that a filter cannot hold.
 *
 * @module
 */
import * as Data from "effect/Data"
import type { TaggedErrorClass } from "../../schema/errors.ts"
import type { FilterType } from "../../schema/filter.ts"

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

const FilterRefusedBase: TaggedErrorClass<"FilterRefused", {
  readonly filter: FilterType
  readonly reason: string
  readonly cell: number | undefined
}> = Data.TaggedError("FilterRefused")

/**
 * Values that a filter cannot hold, or could not give back: nothing was written of them. `cell` counts from the start of the
 * tile; it is undefined where the filters before have moved the values, and where no single cell is to blame.
 */
export class FilterRefused extends FilterRefusedBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    const where = this.cell === undefined ? "" : `cell ${this.cell} of the tile: `
    return `${this.filter}: ${where}${this.reason}; change the values, or write to an array without this filter`
  }
}
